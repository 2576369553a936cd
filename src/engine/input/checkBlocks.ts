import { isTurnstoneError } from '../../base/errors.ts';
import { isBlock } from '../../protocol/contentBlocks.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import { imageBlockFrom } from '../tools/imageContent.ts';
import { isPdf, maxPdfSize } from './pdfBlock.ts';

export interface CheckedBlocks {
  readonly blocks: readonly ContentBlock[];
  readonly notices: readonly string[];
}

/** Base64 characters of all images and documents of one prompt; the API takes 32 MB for a whole request. */
const maxAttachedLength = 28 * 1024 * 1024;

/**
 * Looks at what was pasted or dropped before it becomes part of the conversation, where a block that the server refuses
 * would be refused in every later request too. What can't go is replaced by a line that says so. Blocks that are fine
 * are passed on as they came.
 */
export function checkBlocks(blocks: readonly ContentBlock[]): CheckedBlocks {
  const notices: string[] = [];
  let length = 0;
  const checked = blocks.map((block): ContentBlock => {
    const data = base64Of(block);
    if (data === undefined) return block;
    const result = data.length + length > maxAttachedLength ? 'It does not fit into one message beside what comes before it.' : check(block, data);
    if (typeof result !== 'string') {
      length += data.length;
      return result;
    }
    const what = block.type === 'image' ? 'image' : 'document';
    notices.push(`An attached ${what} was left out. ${result}`);
    return { type: 'text', text: `(An attached ${what} was left out: ${result})` };
  });
  return { blocks: checked, notices };
}

function base64Of(block: ContentBlock): string | undefined {
  const source = isBlock(block, 'image') || isBlock(block, 'document') ? (block.source as { type: string; data?: unknown }) : undefined;
  return source?.type === 'base64' ? String(source.data ?? '') : undefined;
}

function check(block: ContentBlock, data: string): ContentBlock | string {
  const bytes = decode(data);
  if (!bytes) return 'Its data is not valid base64.';
  if (isBlock(block, 'document')) {
    if (!isPdf(bytes)) return 'It is not a PDF.';
    return bytes.length > maxPdfSize ? 'It is larger than 20 MB.' : block;
  }
  try {
    const image = imageBlockFrom(bytes, 'The image');
    if (!image) return 'It is none of png, jpg, gif and webp.';
    const named = (block as { source: { media_type?: unknown } }).source.media_type;
    // A wrong name would be refused; the first bytes say what it is.
    return image.source.type === 'base64' && image.source.media_type === named ? block : image;
  } catch (thrown) {
    if (isTurnstoneError(thrown)) return thrown.message;
    throw thrown;
  }
}

function decode(data: string): Uint8Array | undefined {
  try {
    const text = atob(data);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
  } catch {
    // The caller says that it is no base64.
    return undefined;
  }
}
