import type { MessagesRequest, WireBlock, WireMessage } from './apiTypes.ts';
import { blocksOf } from './apiTypes.ts';
import type { SentMessages } from './sentMessages.ts';
import { isThinking, keyOf } from './sentMessages.ts';

/**
 * Thinking blocks have to be ones this server sent to this model, unaltered; and within the current tool trace (all
 * that follows the last message that is not tool results) none may be missing or out of place.
 */
export function validateThinking(request: MessagesRequest, sent: SentMessages): string | undefined {
  const traceStart = startOfToolTrace(request.messages);
  for (const [index, message] of request.messages.entries()) {
    if (message.role !== 'assistant') continue;
    const problem =
      validateOrigin(message, index, { model: request.model, sent }) ??
      (index > traceStart ? validateTrace(message, index, { model: request.model, sent }) : undefined);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

interface Known {
  readonly model: string;
  readonly sent: SentMessages;
}

function validateOrigin(message: WireMessage, index: number, { model, sent }: Known): string | undefined {
  for (const [position, block] of blocksOf(message).entries()) {
    if (!isThinking(block)) continue;
    const path = `messages.${index}.content.${position}`;
    const verdict = sent.judge(block, model);
    if (verdict === 'unknown') {
      return block.type === 'thinking' ? `${path}: Invalid \`signature\` in \`thinking\` block` : `${path}: Invalid \`data\` in \`redacted_thinking\` block`;
    }
    if (verdict === 'altered') return cannotBeModified(path);
  }
  return undefined;
}

/** Thinking blocks and calls, in their order: everything that was thought before a call still in the request. */
function validateTrace(message: WireMessage, index: number, { model, sent }: Known): string | undefined {
  const blocks = blocksOf(message);
  const calls = blocks.filter(block => block.type === 'tool_use').map(block => String(block['id']));
  const answers = new Set(calls.map(id => sent.answerWithCall(id)).filter(answer => answer !== undefined));
  if ([...answers].every(answer => !answer.content.some(isThinking))) return undefined;
  const wanted = [...answers].flatMap(answer =>
    upToLastCall(answer.content, calls).filter(block => (isThinking(block) && answer.model === model) || calls.includes(String(block['id']))),
  );
  // Other thinking may stand beside it: a paused answer and the one that goes on from it are one message.
  const ours = new Set([...answers].flatMap(answer => upToLastCall(answer.content, calls).map(idOf)));
  const found = blocks.filter(block => (isThinking(block) && ours.has(idOf(block))) || sent.answerWithCall(String(block['id'])) !== undefined);
  const wrong = wanted.findIndex((block, position) => idOf(block) !== idOf(found[position]));
  if (wrong === -1 && found.length === wanted.length) return undefined;
  const expected = wanted[wrong];
  if (expected !== undefined && isThinking(expected) && !found.some(block => idOf(block) === idOf(expected))) {
    return `messages.${index}.content: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found[wrong]?.type ?? 'nothing'}\`. Thinking blocks have to be passed back with the tool calls they came with.`;
  }
  return cannotBeModified(`messages.${index}.content`);
}

/** What came later may never have arrived, or was cut off. */
function upToLastCall(content: readonly WireBlock[], calls: readonly string[]): readonly WireBlock[] {
  return content.slice(0, content.findLastIndex(block => calls.includes(String(block['id']))) + 1);
}

function cannotBeModified(path: string): string {
  return `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
}

function idOf(block: WireBlock | undefined): string {
  if (block === undefined) return '';
  return isThinking(block) ? keyOf(block) : `call ${String(block['id'])}`;
}

/** The index of the last message in which a person speaks: one of the user's without tool results. */
function startOfToolTrace(messages: readonly WireMessage[]): number {
  return messages.findLastIndex(message => message.role === 'user' && !blocksOf(message).some(block => block.type === 'tool_result'));
}
