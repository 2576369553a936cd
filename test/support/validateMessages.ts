import type { WireBlock, WireMessage } from './apiTypes.ts';
import { blocksOf } from './apiTypes.ts';
import { validateBlockFields } from './validateBlockFields.ts';
import { validateToolPairs } from './validateToolPairs.ts';

/** Blocks that only one of the two roles may send. */
const userOnly = new Set(['tool_result', 'image', 'document', 'search_result', 'container_upload']);
const assistantOnly = new Set(['tool_use', 'thinking', 'redacted_thinking', 'server_tool_use', 'web_search_tool_result', 'compaction', 'fallback']);

/** The `messages` of a request: roles, blocks, and the pairing of tool calls and results. */
export function validateMessages(messages: unknown, tools: unknown): string | undefined {
  if (messages === undefined) return 'messages: Field required';
  if (!Array.isArray(messages)) return 'messages: Input should be a valid list';
  if (messages.length === 0) return 'messages: at least one message is required';
  for (const [index, message] of messages.entries()) {
    const problem = validateMessage(message, `messages.${index}`);
    if (problem !== undefined) return problem;
  }
  const checked = messages as readonly WireMessage[];
  return validateRoles(checked) ?? validateToolPairs(checked) ?? validateToolsPresent(checked, tools) ?? validateEnd(checked);
}

function validateMessage(message: unknown, path: string): string | undefined {
  if (typeof message !== 'object' || message === null) return `${path}: Input should be an object`;
  const { role, content, ...others } = message as Record<string, unknown>;
  if (role !== 'user' && role !== 'assistant') return `${path}.role: Input should be 'user' or 'assistant'`;
  const [extra] = Object.keys(others);
  if (extra !== undefined) return `${path}.${extra}: Extra inputs are not permitted`;
  if (content === undefined) return `${path}.content: Field required`;
  if (typeof content !== 'string' && !Array.isArray(content)) return `${path}.content: Input should be a valid list`;
  if (content.length === 0) return `${path}: all messages must have non-empty content`;
  if (typeof content === 'string') return content.trim() === '' ? blankText(path) : undefined;
  return validateBlocks(content, role, path);
}

function validateBlocks(blocks: readonly unknown[], role: 'user' | 'assistant', path: string): string | undefined {
  for (const [index, block] of blocks.entries()) {
    const place = `${path}.content.${index}`;
    if (typeof block !== 'object' || block === null) return `${place}: Input should be an object`;
    const wireBlock = block as WireBlock;
    const problem = validateBlockFields(wireBlock, place) ?? validateRoleOfBlock(wireBlock, role, place) ?? validateText(wireBlock, place);
    if (problem !== undefined) return problem;
  }
  const last = (blocks.at(-1) as WireBlock).type;
  if (role === 'assistant' && (last === 'thinking' || last === 'redacted_thinking')) {
    return `${path}: The final block in an assistant message cannot be \`${last}\`.`;
  }
  return undefined;
}

function validateRoleOfBlock(block: WireBlock, role: 'user' | 'assistant', path: string): string | undefined {
  const forbidden = role === 'user' ? assistantOnly : userOnly;
  return forbidden.has(block.type) ? `${path}: \`${block.type}\` blocks are not allowed in \`${role}\` messages` : undefined;
}

function validateText(block: WireBlock, path: string): string | undefined {
  if (block.type === 'text') return String(block['text']).trim() === '' ? blankText(path) : undefined;
  if (block.type !== 'tool_result' || !Array.isArray(block['content'])) return undefined;
  for (const [index, inner] of (block['content'] as readonly WireBlock[]).entries()) {
    const place = `${path}.content.${index}`;
    const problem = validateBlockFields(inner, place) ?? validateRoleOfResultPart(inner, place) ?? validateText(inner, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function validateRoleOfResultPart(block: WireBlock, path: string): string | undefined {
  const allowed = ['text', 'image', 'search_result', 'document', 'tool_reference'];
  return allowed.includes(block.type) ? undefined : `${path}: Input tag '${block.type}' is not allowed in a tool_result`;
}

function blankText(path: string): string {
  return `${path}: text content blocks must contain non-whitespace text`;
}

/** Stricter than the API, which would merge neighbours of one role: our engine promises to alternate. */
function validateRoles(messages: readonly WireMessage[]): string | undefined {
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  const repeated = messages.findIndex((message, index) => message.role === messages[index - 1]?.role);
  if (repeated === -1) return undefined;
  return `messages: roles must alternate between "user" and "assistant", but found multiple "${messages[repeated]?.role}" roles in a row (messages.${repeated})`;
}

function validateToolsPresent(messages: readonly WireMessage[], tools: unknown): string | undefined {
  const usesTools = messages.some(message => blocksOf(message).some(block => block.type === 'tool_use' || block.type === 'tool_result'));
  if (!usesTools || (Array.isArray(tools) && tools.length > 0)) return undefined;
  return 'Requests which include `tool_use` or `tool_result` blocks must define tools';
}

/** A conversation may end with words put into the model's mouth, but not with blanks after them. */
function validateEnd(messages: readonly WireMessage[]): string | undefined {
  const last = messages.at(-1);
  if (last === undefined || last.role !== 'assistant') return undefined;
  const block = blocksOf(last).at(-1);
  if (block?.type !== 'text' || !/\s$/.test(String(block['text']))) return undefined;
  return 'messages: final assistant content cannot end with trailing whitespace';
}
