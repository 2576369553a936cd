import { errorText, systemErrorCode, TurnstoneError } from '../../base/errors.ts';
import { decodeText, utf8 } from '../text/encoding.ts';
import type { TextEncoding } from '../text/encoding.ts';
import type { FileStat } from '../ports.ts';
import type { SeenFile } from './readFileState.ts';
import type { ToolContext } from './tool.ts';

export type ContentPorts = Pick<ToolContext, 'files' | 'documents' | 'digest' | 'clock' | 'encodings'>;

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
  /** Of the file on disk; plain UTF-8, or what the editor would use, for one that is not there yet. */
  readonly encoding: TextEncoding;
  readonly isUnsaved: boolean;
  /** The editor shows the file in an encoding that it is not in: what it would save are other bytes, also where nothing was changed. */
  readonly isMisread: boolean;
  readonly stat: FileStat | undefined;
}

/** What is known of a file that is about to be read. */
export interface KnownOfFile {
  /** What it was read in before: what was guessed once stays so, as long as it fits. */
  readonly encoding?: string | undefined;
  /** Of it, from just before. */
  readonly stat?: FileStat | undefined;
}

/** Reads `path` (links followed). Throws a `disk` error when it is there but cannot be read. */
export async function readCurrentContent(path: string, ports: ContentPorts, known: KnownOfFile = {}): Promise<CurrentContent> {
  try {
    return await read(path, ports, known);
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
    ...(content.kind === 'text' && isFoundOut(content.encoding) && { encoding: content.encoding.name }),
  };
}

async function read(path: string, ports: ContentPorts, known: KnownOfFile): Promise<CurrentContent> {
  const unsaved = ports.documents.unsavedText(path);
  // Before the bytes: a write in between then makes the next look hash, instead of hiding behind its own time stamp.
  const stat = known.stat ?? (await ports.files.stat(path));
  if (unsaved === undefined && !stat) return { kind: 'absent' };
  if (stat?.kind === 'folder') return { kind: 'folder' };
  // A device or a pipe could block for ever.
  if (stat && stat.kind !== 'file') return { kind: 'other' };
  const bytes = stat ? await ports.files.readFile(path) : new Uint8Array();
  const hint = ports.documents.encodingOf?.(path);
  const decoded = await decodeText(bytes, { encodings: ports.encodings, hint, known: known.encoding });
  if (unsaved !== undefined) {
    const encoding = bytes.length === 0 ? encodingForNew(path, ports) : (decoded?.encoding ?? utf8);
    return { kind: 'text', text: unsaved, hash: hashText(unsaved, ports), encoding, isUnsaved: true, isMisread: isMisread(hint, encoding), stat };
  }
  if (!decoded) return { kind: 'binary', bytes, hash: ports.digest.sha256(bytes), stat: stat! };
  const { text } = decoded;
  const encoding = bytes.length === 0 ? encodingForNew(path, ports) : decoded.encoding;
  // Bytes that are no text all count in a hash.
  const hash = encoding.hasEscapes ? ports.digest.sha256(bytes) : hashText(text, ports);
  return { kind: 'text', text, hash, encoding, isUnsaved: false, isMisread: false, stat };
}

/** As the editor would store a new file at that path; without an editor UTF-8. */
export function encodingForNew(path: string, { documents, encodings }: Pick<ContentPorts, 'documents' | 'encodings'>): TextEncoding {
  const name = documents.encodingOf?.(path)?.toLowerCase().replaceAll('-', '') ?? 'utf8';
  if (name === 'utf8bom') return { name: 'utf-8', bom: true };
  if (name === 'utf16le' || name === 'utf16be') return { name: `utf-16${name.slice(5)}`, bom: true };
  return name === 'utf8' || !encodings ? utf8 : { name, bom: false };
}

function isFoundOut({ name, bom, hasEscapes }: TextEncoding): boolean {
  return hasEscapes === true || (name !== utf8.name && !bom);
}

function isMisread(hint: string | undefined, { name, hasEscapes }: TextEncoding): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]|bom$/g, '');
  return hasEscapes === true || (hint !== undefined && plain(hint) !== plain(name));
}

function unreadable(path: string, error: unknown): TurnstoneError {
  const code = systemErrorCode(error);
  const why = code === 'EACCES' || code === 'EPERM' ? 'there is no permission to' : errorText(error);
  return new TurnstoneError('disk', `${path} could not be read: ${why}.`, { cause: error });
}
