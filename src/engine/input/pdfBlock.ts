import { TurnstoneError } from '../../base/errors.ts';
import type { DocumentBlock } from '../../protocol/contentBlocks.ts';
import { toBase64 } from '../tools/imageContent.ts';
import { readCurrentContent, seenFrom } from '../tools/currentContent.ts';
import type { ToolContext } from '../tools/tool.ts';

/** Bytes. In base64 this leaves room for the rest within the API's limit of 32 MB for one request. */
export const maxPdfSize = 20 * 1024 * 1024;

/** A PDF file as a document for the model, recognised by its first bytes; undefined for any other file. Throws when it is too large. */
export async function pdfBlock(path: string, context: ToolContext): Promise<DocumentBlock | undefined> {
  if (!isPdf(await context.files.readRange(path, 0, 5))) return undefined;
  const size = (await context.files.stat(path))?.size ?? 0;
  if (size > maxPdfSize) throw new TurnstoneError('invalid_input', `${path} is too large to be attached: ${(size / (1024 * 1024)).toFixed(1)} MB, at most 20 MB are possible.`);
  const content = await readCurrentContent(path, context);
  if (content.kind !== 'binary' && content.kind !== 'text') return undefined;
  context.readFileState.record(await context.files.realpath(path), seenFrom(content, context));
  // An old PDF may be pure ASCII and pass for text: its bytes are wanted all the same.
  const bytes = content.kind === 'binary' ? content.bytes : await context.files.readFile(path);
  return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: toBase64(bytes) } };
}

export function isPdf(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, 5)) === '%PDF-';
}
