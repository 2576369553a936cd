import { isJsonObject, isNestedDeeper } from '../../base/json.ts';
import { STREAM_EMPTY, apiFailure } from '../../protocol/apiFailure.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import type { RawStreamEvent } from '../../protocol/messages.ts';

/** No tool has an input like this; what goes much deeper can be neither checked nor written down again. */
const maxDepth = 100;

/** Throws an ApiFailure for an event that begins something which is no message, or no block of one. */
export function checkBeginning(event: RawStreamEvent): void {
  if (event.type === 'message_start' && !isMessage(event.message)) throw apiFailure({ message: 'a message began that is none', code: STREAM_EMPTY });
  if (event.type === 'content_block_start' && !isBlockOfSomeType(event.content_block)) throw apiFailure({ message: 'a part of the answer began that is none', code: STREAM_EMPTY });
}

/** Whether a tool's input can go through all hands: an object, and not nested without end. */
export function isUsableInput(input: unknown): input is { readonly [field: string]: unknown } {
  return isJsonObject(input) && !isNestedDeeper(input, maxDepth);
}

/** A call has an id and a name, whatever the server forgot: without them it can be neither answered nor sent back. */
export function withIdAndName(call: ContentBlock): ContentBlock {
  const { id, name } = call;
  if (typeof id === 'string' && typeof name === 'string') return call;
  return { ...call, id: idFrom(id), name: typeof name === 'string' ? name : '' };
}

function idFrom(id: unknown): string {
  if (typeof id === 'string' || typeof id === 'number') return String(id);
  return `call_${crypto.randomUUID()}`;
}

function isMessage(message: unknown): boolean {
  return isJsonObject(message) && typeof message['id'] === 'string';
}

function isBlockOfSomeType(block: unknown): boolean {
  if (!isJsonObject(block) || typeof block['type'] !== 'string') return false;
  const { input: _checkedWhenComplete, ...fields } = block;
  return !isNestedDeeper(fields, maxDepth);
}
