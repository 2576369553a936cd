import { TurnstoneError } from '../../base/errors.ts';
import type { ImageBlock } from '../../protocol/contentBlocks.ts';
import { imageSize } from '../input/imageSize.ts';

/** Bytes. In base64 this stays below the API's limit of 5 MB for one image. */
const maxImageSize = 3.75 * 1024 * 1024;

/** Pixels of either edge that the API takes (platform.claude.com vision). */
const maxEdge = 8_000;

/** An image for the model, recognised by its first bytes and not by its name; undefined for anything else. Throws when it is too large. */
export function imageBlockFrom(bytes: Uint8Array, shownPath: string): ImageBlock | undefined {
  const mediaType = imageTypeOf(bytes);
  if (!mediaType) return undefined;
  if (bytes.length > maxImageSize) {
    const size = (bytes.length / (1024 * 1024)).toFixed(1);
    throw new TurnstoneError('invalid_input', `${shownPath} is too large to be shown to the model: ${size} MB, at most 3.75 MB are possible. Make a smaller copy with Bash and read that.`);
  }
  const edges = imageSize(bytes);
  if (edges && Math.max(edges.width, edges.height) > maxEdge) {
    throw new TurnstoneError('invalid_input', `${shownPath} is too large to be shown to the model: ${edges.width} × ${edges.height} pixels, at most ${maxEdge} are possible on either edge. Make a smaller copy with Bash and read that.`);
  }
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: toBase64(bytes) } };
}

function imageTypeOf(bytes: Uint8Array): string | undefined {
  const text = (start: number, end: number): string => String.fromCharCode(...bytes.subarray(start, end));
  if (text(0, 4) === '\x89PNG') return 'image/png';
  if (text(0, 3) === '\xff\xd8\xff') return 'image/jpeg';
  if (/^GIF8[79]a$/.test(text(0, 6))) return 'image/gif';
  return text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP' ? 'image/webp' : undefined;
}

export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  // Blocks of a multiple of three bytes join without padding between them.
  for (let start = 0; start < bytes.length; start += 12_288) parts.push(btoa(String.fromCharCode(...bytes.subarray(start, start + 12_288))));
  return parts.join('');
}
