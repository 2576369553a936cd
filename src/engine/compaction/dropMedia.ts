import { isBlock } from '../../protocol/contentBlocks.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import type { SDKUserMessage, SessionMessage } from '../../protocol/messages.ts';
import { withContent } from './toolCalls.ts';

/** What stands in place of an image or document of an earlier message. */
export const LEFT_OUT_MEDIA = '(An image or document that was attached here was left out, because the request had become too large. If it is needed, ask the user for it.)';

/**
 * Of a request that is too large by its bytes: up to which message the images and documents that were attached have to
 * go, so that at least half of their weight does; undefined where they are not what makes it heavy. Those of the newest
 * prompt stay unless `newestToo`. `prepared` is what the model sees.
 */
export function chooseMedia(prepared: readonly SessionMessage[], { newestToo }: { readonly newestToo: boolean }): { readonly tailUuid: string; readonly count: number } | undefined {
  const weights = prepared.map(mediaWeight);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total < JSON.stringify(prepared).length / 2) return undefined;
  const newest = newestToo ? -1 : weights.findLastIndex((weight) => weight > 0);
  let tailUuid: string | undefined;
  let count = 0;
  let left = total;
  for (const [index, message] of prepared.entries()) {
    if (index === newest || left <= total / 2) break;
    if (weights[index] === 0) continue;
    left -= weights[index]!;
    count += mediaOf(message).length;
    tailUuid = message.uuid;
  }
  return tailUuid === undefined ? undefined : { tailUuid, count };
}

/** The messages with a note in place of what was attached to those up to the one at `upTo`. */
export function clearMedia(messages: readonly SessionMessage[], upTo: number): readonly SessionMessage[] {
  return upTo < 0 ? messages : messages.map((message, index) => (index <= upTo && message.type === 'user' && mediaWeight(message) > 0 ? cleared(message) : message));
}

/** What was made of a message before, so that it stays the same object. */
const made = new WeakMap<SDKUserMessage, SDKUserMessage>();

function cleared(message: SDKUserMessage): SDKUserMessage {
  const known = made.get(message);
  if (known) return known;
  const content = (message.message.content as readonly ContentBlock[]).map((block) => (isMedia(block) ? { type: 'text' as const, text: LEFT_OUT_MEDIA } : block));
  const shorter = withContent(message, content);
  made.set(message, shorter);
  return shorter;
}

/** UTF-16 units of base64. */
function mediaWeight(message: SessionMessage): number {
  return mediaOf(message).reduce((sum, block) => sum + String((block['source'] as { data?: unknown }).data ?? '').length, 0);
}

function mediaOf(message: SessionMessage): readonly ContentBlock[] {
  return message.type !== 'user' || typeof message.message.content === 'string' ? [] : message.message.content.filter(isMedia);
}

function isMedia(block: ContentBlock): boolean {
  return isBlock(block, 'image') || isBlock(block, 'document');
}
