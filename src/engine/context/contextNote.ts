import { textOf } from '../../protocol/contentBlocks.ts';
import type { SessionMessage } from '../../protocol/messages.ts';

/** One thing that the model should know beside the conversation: the date, git, an instruction file. */
export interface ContextPart {
  readonly name: string;
  readonly text: string;
}

/**
 * What has to be told before the next prompt: the parts that were never told on this branch of the conversation, or
 * that have changed. Told as a message and kept in the transcript, so that what was sent stays byte-identical, also
 * after a resume. Undefined when nothing is new.
 */
export function contextNote(parts: readonly ContextPart[], messages: readonly SessionMessage[]): string | undefined {
  const told = toldParts(messages);
  const news = parts.map(closeSafe).filter((part) => told.get(part.name) !== part.text);
  return news.length === 0 ? undefined : news.map((part) => `<context name="${part.name}">\n${part.text}\n</context>`).join('\n');
}

/** A text that holds our own closing tag must not end its part early. */
function closeSafe({ name, text }: ContextPart): ContextPart {
  return { name: name.replaceAll('"', "'"), text: text.replaceAll('</context>', '</ context>') };
}

function toldParts(messages: readonly SessionMessage[]): Map<string, string> {
  const told = new Map<string, string>();
  for (const message of messages) {
    if (message.type !== 'user' || !message.isMeta) continue;
    for (const match of textOf(message.message.content).matchAll(/<context name="([^"]+)">\n([\s\S]*?)\n<\/context>/g)) told.set(match[1]!, match[2]!);
  }
  return told;
}
