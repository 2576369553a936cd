import type { PromptImage, UserItem } from '../protocol/chatView.ts';
import { isBlock, textOf } from '../protocol/contentBlocks.ts';
import type { ContentBlock } from '../protocol/contentBlocks.ts';
import type { Session } from '../sdk/index.ts';

/** What the user sent. `id` becomes the uuid of the user message. */
export interface QueuedPrompt {
  readonly id: string;
  readonly text: string;
  readonly images: readonly PromptImage[];
}

/** For the model: images go before the words about them. */
export function promptContent({ text, images }: QueuedPrompt): string | readonly ContentBlock[] {
  if (images.length === 0) return text;
  const blocks = images.map(({ mediaType, data }): ContentBlock => ({ type: 'image', source: { type: 'base64', media_type: mediaType, data } }));
  return text.trim() === '' ? blocks : [...blocks, { type: 'text', text }];
}

export function promptItem(prompt: QueuedPrompt): UserItem {
  return { kind: 'user', timestamp: new Date().toISOString(), ...shownPrompt(prompt) };
}

/** Without the images themselves: a post to the panel has a limit. */
export function shownPrompt({ id, text, images }: QueuedPrompt): { readonly id: string; readonly text: string; readonly imageCount?: number } {
  return { id, text, ...(images.length > 0 && { imageCount: images.length }) };
}

/** Of what was kept as waiting, the prompts that are neither said by now nor waiting already. */
export function heldPrompts(kept: readonly QueuedPrompt[], session: Pick<Session, 'messages'>, waiting: readonly QueuedPrompt[]): readonly QueuedPrompt[] {
  const known = new Set([...session.messages.map(({ uuid }) => uuid), ...waiting.map(({ id }) => id)]);
  return kept.filter(({ id }) => !known.has(id));
}

/** What the user said last, to be sent once more. */
export function lastPrompt(session: Pick<Session, 'messages' | 'rewindTargets'>): Omit<QueuedPrompt, 'id'> | undefined {
  const [last] = session.rewindTargets();
  const message = session.messages.find(({ uuid }) => uuid === last?.messageId);
  const content = message?.type === 'user' ? message.message.content : (last?.text ?? '');
  const text = textOf(content);
  const images = typeof content === 'string' ? [] : content.flatMap(imageOf);
  return text.trim() === '' && images.length === 0 ? undefined : { text, images };
}

function imageOf(block: ContentBlock): PromptImage[] {
  if (!isBlock(block, 'image') || block.source.type !== 'base64') return [];
  return [{ mediaType: block.source.media_type as PromptImage['mediaType'], data: block.source.data }];
}
