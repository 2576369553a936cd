import { errorText } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { isInside } from '../../base/paths.ts';
import type { FileState } from '../../protocol/transcript.ts';
import type { ContentThen, FileSystem, UserWrites } from '../ports.ts';
import type { BlobStore } from './blobStore.ts';
import type { OthersWrite } from './commandsPart.ts';
import { recordsOfOthers, type RecordedWrite } from './otherSessions.ts';

export interface WritesByOthersOptions {
  readonly files: FileSystem;
  readonly blobs: BlobStore;
  readonly log: Log;
  /** Of an editor; without one nothing is known of what the user does. */
  readonly userWrites?: UserWrites | undefined;
  /** Where other sessions write down what they do, and our own transcript there. Undefined: there are no others. */
  readonly sessions?: { readonly dataRoot: string; readonly own: string } | undefined;
}

interface Noted {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly before: ContentThen | FileState;
  readonly after: ContentThen | FileState;
  /** It came while its file was looked at, and may show only the next time. */
  readonly isLate?: boolean;
}

/** Of so many writes the contents are held until a look needs them. */
const mostHeld = 200;

/** Collects, while commands run, the writes that are known to be the user's or another session's. */
export class WritesByOthers {
  readonly #options: WritesByOthersOptions;
  #following: ReturnType<UserWrites['follow']> | undefined;
  /** Up to when others' records were read. Milliseconds since 1970. */
  #readUntil = 0;
  /** In the order in which they happened. */
  #noted: Noted[] = [];

  constructor(options: WritesByOthersOptions) {
    this.#options = options;
  }

  start(): void {
    this.#following = this.#options.userWrites?.follow();
    this.#readUntil = Date.now();
    this.#noted = [];
  }

  stop(): void {
    this.#following?.stop();
    this.#following = undefined;
    this.#noted = [];
  }

  /**
   * Notes what came since the last call, and gives the commands that other sessions started meanwhile. `unclear`: files
   * that were being looked at; whether that was before or after the writes, nobody can say. Never rejects.
   */
  async collect(unclear: ReadonlySet<string> = new Set()): Promise<readonly string[]> {
    const since = this.#readUntil;
    this.#readUntil = Date.now();
    const { files, sessions } = this.#options;
    const byUser = await Promise.all((this.#following?.take() ?? []).map(async (write) => ({ ...write, path: await files.realpath(write.path).catch(() => write.path) })));
    const records = sessions && (await recordsOfOthers(files, sessions, since).catch((thrown: unknown) => this.#unread(thrown)));
    const fresh = [...byUser, ...pairs(records?.writes ?? [])].map((write) => (unclear.has(write.path) ? { ...withoutContent(write), isLate: true } : write));
    const all = [...this.#noted, ...fresh].sort((one, other) => one.at - other.at);
    this.#noted = all.map((write, at) => (at < all.length - mostHeld ? withoutContent(write) : write));
    return records?.commands ?? [];
  }

  /** Those to `path`. `mode`: with which their contents count. `keeps`: false where contents must not be kept. */
  async to(path: string, mode: number, keeps: boolean): Promise<readonly OthersWrite[]> {
    const writes = this.#noted.filter((write) => isInside(write.path, path));
    const state = async (write: Noted, content: Noted['before']): Promise<FileState | undefined> => (keeps && write.path === path ? this.#stateOf(content, mode) : undefined);
    return Promise.all(writes.map(async (write) => ({ before: await state(write, write.before), after: await state(write, write.after) })));
  }

  /** What was noted of `path` has been told, or no longer counts. */
  forget(path: string): void {
    this.#noted = this.#noted.flatMap((write) => (write.path !== path ? [write] : write.isLate ? [{ ...write, isLate: false }] : []));
  }

  async #stateOf(content: ContentThen | FileState, mode: number): Promise<FileState | undefined> {
    if (content === 'unknown') return undefined;
    if (content === 'absent') return { kind: 'absent' };
    if (!(content instanceof Uint8Array)) return content.kind === 'uncovered' ? undefined : content;
    const hash = await this.#options.blobs.put(content).catch(() => undefined);
    return hash === undefined ? undefined : { kind: 'file', hash, mode, size: content.length };
  }

  #unread(thrown: unknown): undefined {
    this.#options.log.warn(`What other sessions wrote while a command ran could not be read: ${errorText(thrown)}`);
    return undefined;
  }
}

/** A session notes what a file was in one line and what it left in the next. Of what a command did nobody knows whether another did it. */
function pairs(records: readonly RecordedWrite[]): Noted[] {
  const writes: Noted[] = [];
  for (const { path, at, before, after, isByCommand } of records) {
    if (isByCommand) {
      writes.push({ path, at, before: 'unknown', after: 'unknown' });
      continue;
    }
    const open = before ? -1 : writes.findLastIndex((write) => write.path === path && write.after === 'unknown' && write.before !== 'unknown');
    if (open >= 0) writes[open] = { ...writes[open]!, after: after ?? 'unknown' };
    else writes.push({ path, at, before: before ?? 'unknown', after: after ?? 'unknown' });
  }
  return writes;
}

function withoutContent(write: Noted): Noted {
  return { ...write, before: 'unknown', after: 'unknown' };
}
