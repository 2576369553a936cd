import { isJsonObject, tryParseJson } from '../../base/json.ts';
import { folderOf, readSession } from '../transcript/sessionList.ts';
import type { Digest, FileSystem, SessionStore } from '../ports.ts';
import { joinPath } from '../transcript/transcriptPath.ts';
import { aboutKey, blobKey, filesPrefix, hashesIn, partKey } from './mirrorKeys.ts';
import type { MirroredPlace } from './mirrorKeys.ts';

/** A part takes no more than this, but always a whole line. Bytes. */
const partBytes = 4 * 1024 * 1024;
const lineFeed = 0x0a;
const tailBytes = 4096;

export interface MirrorParts {
  readonly files: FileSystem;
  readonly store: SessionStore;
  readonly digest: Digest;
  readonly dataRoot: string;
  /** Of this mirror in `dataRoot`: what of which session it has. */
  readonly stateFolder: string;
}

/**
 * 'mirrored': the mirror holds every whole line. 'behind': it holds more, from another machine. 'diverged': the session
 * was gone on with here and elsewhere; the mirror keeps the other one, and nothing is overwritten.
 */
export type MirrorOutcome = 'mirrored' | 'behind' | 'diverged';

/** What a list on another machine shows. */
export interface MirroredAbout {
  readonly sessionId: string;
  readonly title: string;
  /** ISO 8601. */
  readonly modified: string;
  /** Where it worked, on its machine; undefined where an older version described it. */
  readonly folder: string | undefined;
  /** Bytes of the transcript. */
  readonly size: number;
}

/**
 * Brings the mirror of one session up to date: what a line names goes before the line, so that a session that is fetched
 * from there finds what it needs. What the local file holds beyond what was sent is all that there is to send: nothing
 * else is remembered, and nothing is lost by a failure. Rejects like the store.
 */
export async function mirrorSession(parts: MirrorParts, transcript: string): Promise<MirrorOutcome> {
  const { files } = parts;
  if (!(await files.stat(transcript))) return 'mirrored';
  const place = placeOfTranscript(transcript);
  const state = await MirrorState.read(parts, place);
  await state.check(parts, transcript);
  await mirrorFiles(parts, transcript, { place, state });
  for (;;) {
    const bytes = await wholeLines(files, transcript, state.sent);
    if (bytes.length === 0) break;
    await mirrorBlobs(parts, hashesIn(bytes));
    const outcome = await mirrorPart(parts.store, partKey(place, state.sent), bytes);
    if (typeof outcome === 'string') return outcome;
    await state.add(outcome.accepted, await tailOf(parts, transcript, state.sent + outcome.accepted));
  }
  if (state.sent > state.described) await describe(parts, transcript, { place, state });
  return 'mirrored';
}

export function placeOfTranscript(transcript: string): MirroredPlace {
  const [project, name] = transcript.split(/[\\/]/).slice(-2) as [string, string];
  return { project, sessionId: name.replace(/\.jsonl$/, '') };
}

interface SessionInMirror {
  readonly place: MirroredPlace;
  readonly state: MirrorState;
}

/** The other side may have it already: then only the answer was lost, or another process of ours was quicker. */
async function mirrorPart(store: SessionStore, key: string, bytes: Uint8Array): Promise<{ readonly accepted: number } | 'behind' | 'diverged'> {
  if ((await store.write(key, bytes, 'absent')) === 'written') return { accepted: bytes.length };
  const there = (await store.read(key))?.bytes;
  if (!there) throw new Error(`the store says that ${key} is there, and that it is not`);
  const common = Math.min(there.length, bytes.length);
  if (!sameBytes(there.subarray(0, common), bytes.subarray(0, common))) return 'diverged';
  return there.length > bytes.length ? 'behind' : { accepted: there.length };
}

/** From `offset`, up to the last line feed: a torn line is not sent before it is whole. */
async function wholeLines(files: FileSystem, path: string, offset: number): Promise<Uint8Array> {
  for (let length = partBytes; ; length *= 2) {
    const bytes = await files.readRange(path, offset, length);
    const end = bytes.lastIndexOf(lineFeed);
    if (end !== -1 || bytes.length < length) return bytes.subarray(0, end + 1);
  }
}

async function mirrorBlobs({ files, store, dataRoot }: MirrorParts, hashes: ReadonlySet<string>): Promise<void> {
  for (const hash of hashes) {
    const path = joinPath(dataRoot, blobKey(hash));
    if ((await files.stat(path))?.kind === 'file') await store.write(blobKey(hash), await files.readFile(path), 'absent');
  }
}

/** Large results and the transcripts of sub-agents. They may grow, so they are sent whole whenever they have changed. */
async function mirrorFiles({ files, store }: MirrorParts, transcript: string, { place, state }: SessionInMirror): Promise<void> {
  const folder = transcript.replace(/\.jsonl$/, '');
  for await (const { path, name } of filesUnder(files, folder, '')) {
    const stat = await files.stat(path);
    const mark = `${stat?.size} ${stat?.mtimeMs}`;
    if (!stat || state.files[name] === mark) continue;
    await store.write(`${filesPrefix(place)}${name}`, await files.readFile(path), 'any');
    await state.noteFile(name, mark);
  }
}

async function* filesUnder(files: FileSystem, folder: string, prefix: string): AsyncGenerator<{ readonly path: string; readonly name: string }> {
  if ((await files.stat(folder))?.kind !== 'folder') return;
  for (const { name, kind } of await files.readFolder(folder)) {
    const path = joinPath(folder, name);
    if (kind === 'folder') yield* filesUnder(files, path, `${prefix}${name}/`);
    else if (kind === 'file') yield { path, name: prefix + name };
  }
}

/** Whoever has seen more of the session says what it is called. */
async function describe({ files, store }: MirrorParts, transcript: string, { place, state }: SessionInMirror): Promise<void> {
  const session = await readSession(files, transcript);
  if (!session) return;
  const { title, modified } = session.summary;
  const about: MirroredAbout = { sessionId: place.sessionId, title, modified, folder: folderOf(session), size: state.sent };
  const bytes = new TextEncoder().encode(JSON.stringify(about));
  const key = aboutKey(place);
  for (let attempt = 0; attempt < 5; attempt++) {
    const there = await store.read(key);
    const known = there && tryParseJson(new TextDecoder().decode(there.bytes));
    if (isJsonObject(known) && typeof known['size'] === 'number' && known['size'] > about.size) break;
    if ((await store.write(key, bytes, there ? { version: there.version } : 'absent')) === 'written') break;
  }
  await state.noteDescribed();
}

/** What the last bytes are that were sent: tells whether the file is still the one that they came from. */
async function tailOf({ files, digest }: MirrorParts, transcript: string, end: number): Promise<string> {
  const start = Math.max(0, end - tailBytes);
  return digest.sha256(await files.readRange(transcript, start, end - start));
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.every((byte, index) => byte === other[index]);
}

/** How much of a session the mirror has, on disk beside the data. Lost, it is found again by asking the mirror. */
class MirrorState {
  readonly #files: FileSystem;
  readonly #path: string;
  /** Bytes of the transcript that are there. */
  sent = 0;
  #tail = '';
  /** `sent` when it was last described. */
  described = 0;
  /** Size and time of the files beside it that are there. */
  files: Record<string, string> = {};

  private constructor(files: FileSystem, path: string) {
    this.#files = files;
    this.#path = path;
  }

  static async read({ files, stateFolder }: MirrorParts, { project, sessionId }: MirroredPlace): Promise<MirrorState> {
    const state = new MirrorState(files, joinPath(joinPath(stateFolder, project), `${sessionId}.json`));
    const saved = (await files.stat(state.#path)) ? tryParseJson(new TextDecoder().decode(await files.readFile(state.#path))) : undefined;
    if (!isJsonObject(saved)) return state;
    if (typeof saved['sent'] === 'number') state.sent = saved['sent'];
    if (typeof saved['tail'] === 'string') state.#tail = saved['tail'];
    if (typeof saved['described'] === 'number') state.described = saved['described'];
    if (isJsonObject(saved['files'])) state.files = saved['files'] as Record<string, string>;
    return state;
  }

  /** A file that was exchanged is compared with the mirror from its beginning. */
  async check(parts: MirrorParts, transcript: string): Promise<void> {
    if (this.sent > 0 && (await tailOf(parts, transcript, this.sent)) !== this.#tail) this.sent = this.described = 0;
  }

  async add(bytes: number, tail: string): Promise<void> {
    this.sent += bytes;
    this.#tail = tail;
    await this.#save();
  }

  async noteFile(name: string, mark: string): Promise<void> {
    this.files[name] = mark;
    await this.#save();
  }

  async noteDescribed(): Promise<void> {
    this.described = this.sent;
    await this.#save();
  }

  #save(): Promise<void> {
    const text = JSON.stringify({ sent: this.sent, tail: this.#tail, described: this.described, files: this.files });
    return this.#files.writeFile(this.#path, new TextEncoder().encode(text), { mode: 0o600, durable: false });
  }
}
