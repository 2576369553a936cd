import { isBlock } from '../../protocol/contentBlocks.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import type { ConversationMessage, SessionMessage } from '../../protocol/messages.ts';
import { CallIds } from '../callIds.ts';

/**
 * A conversation in which no two answers use the same id for their calls, as proxies do that number anew each time:
 * everything after this tells results apart, and names their files, by it. Where no id is used twice, which is nearly
 * always, it is the same array; otherwise what needs no change are the same objects.
 */
export function uniqueCallIds(messages: readonly SessionMessage[]): readonly SessionMessage[] {
  return hasRepeatedId(messages) ? renameRepeated(messages) : messages;
}

function hasRepeatedId(messages: readonly SessionMessage[]): boolean {
  const seen = new Set<string>();
  for (const message of messages) {
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content) {
      if (!isBlock(block, 'tool_use')) continue;
      if (seen.has(block.id)) return true;
      seen.add(block.id);
    }
  }
  return false;
}

function renameRepeated(messages: readonly SessionMessage[]): readonly SessionMessage[] {
  const ids = new CallIds();
  /** What an id stands for at the moment, and the answer that uses it: undefined once there is a result. */
  const current = new Map<string, { answer: string | undefined; readonly name: string }>();
  let changed = false;
  const unique = messages.map((message) => {
    if ((message.type !== 'user' && message.type !== 'assistant') || typeof message.message.content === 'string') return message;
    const answer = message.type === 'assistant' ? message.message.id : undefined;
    const nameOf = (id: string): string => {
      const known = current.get(id);
      if (answer === undefined) {
        if (known) known.answer = undefined;
        return known?.name ?? id;
      }
      if (known?.answer === answer) return known.name;
      const name = ids.take(id);
      current.set(id, { answer, name });
      return name;
    };
    const renamed = rename(message, message.message.content.map((block) => callNameOf(block, nameOf)));
    changed ||= renamed !== message;
    return renamed;
  });
  return changed ? unique : messages;
}

function callNameOf(block: ContentBlock, nameOf: (id: string) => string): string | undefined {
  if (isBlock(block, 'tool_use')) return nameOf(block.id);
  return isBlock(block, 'tool_result') ? nameOf(block.tool_use_id) : undefined;
}

/** The same objects each time, because later stages remember what they made of them. */
const made = new WeakMap<SessionMessage, { readonly key: string; readonly message: SessionMessage }>();

function rename(message: ConversationMessage, names: readonly (string | undefined)[]): SessionMessage {
  const content = message.message.content as readonly ContentBlock[];
  if (content.every((block, index) => names[index] === undefined || names[index] === (isBlock(block, 'tool_use') ? block.id : block['tool_use_id']))) return message;
  // The usage of an answer is final only after its blocks are there.
  const key = [...names, message.type === 'assistant' ? JSON.stringify(message.message.usage) : ''].join('\n');
  const known = made.get(message);
  if (known?.key === key) return known.message;
  const blocks = content.map((block, index) => (names[index] === undefined ? block : { ...block, [isBlock(block, 'tool_use') ? 'id' : 'tool_use_id']: names[index] }));
  const renamed = { ...message, message: { ...message.message, content: blocks } } as SessionMessage;
  made.set(message, { key, message: renamed });
  return renamed;
}
