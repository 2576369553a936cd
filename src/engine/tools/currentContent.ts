import { errorText, systemErrorCode, TurnstoneError } from '../../base/errors.ts';
import { encodeText, tryDecodeText, utf8 } from '../text/encoding.ts';
import type { TextEncoding } from '../text/encoding.ts';
import type { FileStat } from '../ports.ts';
import type { SeenFile } from './readFileState.ts';
import type { ToolContext } from './tool.ts';

export type ContentPorts = Pick<ToolContext, 'files' | 'documents' | 'digest' | 'clock'>;

/** What is at a path now, as the user sees it: the unsaved text of an open document goes before the disk. */
export type CurrentContent =
  | { readonly kind: 'absent' }
  | { readonly kind: 'folder' }
  | { readonly kind: 'other' }
  | CurrentText
  | { readonly kind: 'binary'; readonly bytes: Uint8Array; readonly hash: string; readonly stat: FileStat };

export interface CurrentText {
  readonly kind: 'text';
  readonly text: string;
  readonly hash: string;
  /** Of the file on disk; plain UTF-8 for a document that has none yet. */
  readonly encoding: TextEncoding;
  readonly isUnsaved: boolean;
  readonly stat: FileStat | undefined;
}

/** Reads `path` (links followed). Throws a `disk` error when it is there but cannot be read. */
export async function readCurrentContent(path: string, ports: ContentPorts): Promise<CurrentContent> {
  try {
    return await read(path, ports);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** SHA-256 of a text as {@link SeenFile} has it. */
export function hashText(text: string, ports: Pick<ContentPorts, 'digest'>): string {
  return ports.digest.sha256(new TextEncoder().encode(text));
}

/** What to remember of content that was just shown to the model. */
export function seenFrom(content: Exclude<CurrentContent, { kind: 'absent' | 'folder' | 'other' }>, ports: Pick<ContentPorts, 'clock'>): SeenFile {
  const isUnsaved = content.kind === 'text' && content.isUnsaved;
  return {
    hash: content.hash,
    onDisk: content.stat && !isUnsaved ? { mtimeMs: content.stat.mtimeMs, size: content.stat.size } : undefined,
    verifiedAtMs: ports.clock.now(),
    whole: true,
    text: content.kind === 'text' ? content.text : undefined,
  };
}

async function read(path: string, ports: ContentPorts): Promise<CurrentContent> {
  const unsaved = ports.documents.unsavedText(path);
  // Before the bytes: a write in between then makes the next look hash, instead of hiding behind its own time stamp.
  const stat = await ports.files.stat(path);
  if (unsaved === undefined && !stat) return { kind: 'absent' };
  if (stat?.kind === 'folder') return { kind: 'folder' };
  // A device or a pipe could block for ever.
  if (stat && stat.kind !== 'file') return { kind: 'other' };
  const bytes = stat ? await ports.files.readFile(path) : new Uint8Array();
  const decoded = tryDecodeText(bytes);
  if (unsaved !== undefined) {
    return { kind: 'text', text: unsaved, hash: hashText(unsaved, ports), encoding: decoded?.encoding ?? utf8, isUnsaved: true, stat };
  }
  if (!decoded) return { kind: 'binary', bytes, hash: ports.digest.sha256(bytes), stat: stat! };
  return { kind: 'text', text: decoded.text, hash: hashText(decoded.text, ports), encoding: decoded.encoding, isUnsaved: false, stat };
}

function unreadable(path: string, error: unknown): TurnstoneError {
  const code = systemErrorCode(error);
  const why = code === 'EACCES' || code === 'EPERM' ? 'there is no permission to' : errorText(error);
  return new TurnstoneError('disk', `${path} could not be read: ${why}.`, { cause: error });
}

/** Bytes for a text, in the encoding that the file has. */
export function bytesFor(text: string, encoding: TextEncoding | undefined): Uint8Array {
  return encodeText(text, encoding ?? utf8);
}
