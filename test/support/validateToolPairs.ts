import type { WireMessage } from './apiTypes.ts';
import { blocksOf } from './apiTypes.ts';

/** Each tool call is answered once, in the very next message, before anything else there; nothing else is answered. */
export function validateToolPairs(messages: readonly WireMessage[]): string | undefined {
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const problem =
      message.role === 'assistant'
        ? validateCalls(messages, index, seen)
        : validateResults(messages, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function validateCalls(messages: readonly WireMessage[], index: number, seen: Set<string>): string | undefined {
  const unpaired = validateServerCalls(messages, index);
  if (unpaired !== undefined) return unpaired;
  const ids = idsOf(messages[index], 'tool_use', 'id');
  for (const id of ids) {
    if (!/^[a-zA-Z0-9_-]+$/.test(id)) return `messages.${index}: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
    if (seen.has(id)) return `messages.${index}: \`tool_use\` ids must be unique (${id})`;
    seen.add(id);
  }
  const answered = new Set(idsOf(messages[index + 1], 'tool_result', 'tool_use_id'));
  const missing = ids.filter(id => !answered.has(id));
  if (missing.length === 0) return undefined;
  return (
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. ` +
    'Each `tool_use` block must have a corresponding `tool_result` block in the next message.'
  );
}

/** What the API runs itself is answered in the same message, but for a paused answer at the end of all. */
function validateServerCalls(messages: readonly WireMessage[], index: number): string | undefined {
  const asked = new Set<string>();
  const open = new Set<string>();
  for (const block of blocksOf(messages[index]!)) {
    const isResult = block.type !== 'tool_result' && block.type.endsWith('_tool_result');
    const id = String(block[isResult ? 'tool_use_id' : 'id']);
    if (block.type === 'server_tool_use') {
      asked.add(id);
      open.add(id);
    }
    if (isResult && !asked.has(id)) return `messages.${index}: unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${id}. Each \`${block.type}\` block must have a corresponding \`server_tool_use\` block before it.`;
    if (isResult) open.delete(id);
  }
  if (open.size === 0 || index === messages.length - 1) return undefined;
  return `messages.${index}: \`server_tool_use\` ids were found without a corresponding result block: ${[...open].join(', ')}`;
}

function validateResults(messages: readonly WireMessage[], index: number): string | undefined {
  const asked = new Set(idsOf(messages[index - 1], 'tool_use', 'id'));
  const answered = new Set<string>();
  const message = messages[index];
  let sawOther = false;
  for (const [position, block] of (message === undefined ? [] : blocksOf(message)).entries()) {
    if (block.type !== 'tool_result') {
      sawOther = true;
      continue;
    }
    const path = `messages.${index}.content.${position}`;
    const id = String(block['tool_use_id']);
    if (!asked.has(id)) {
      return `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    if (answered.has(id)) return `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
    if (sawOther) return `${path}: \`tool_result\` blocks must come first in the message, before any other content`;
    answered.add(id);
  }
  return undefined;
}

function idsOf(message: WireMessage | undefined, type: string, field: string): string[] {
  if (message === undefined) return [];
  return blocksOf(message).filter(block => block.type === type).map(block => String(block[field]));
}
