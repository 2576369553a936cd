import { systemClock } from '../../base/abort.ts';
import type { Clock } from '../../base/abort.ts';
import { systemErrorCode, TurnstoneError } from '../../base/errors.ts';
import type { Digest, FileSystem } from '../ports.ts';
import { joinPath } from '../transcript/transcriptPath.ts';

export interface BlobStoreOptions {
  readonly clock?: Pick<Clock, 'now'> | undefined;
  readonly files: FileSystem;
  readonly digest: Digest;
  /** `<root>/blobs`. */
  readonly folder: string;
}

/** In the folder of the contents: lists of those that running sessions need. */
export const heldFolder = 'in-use';
/** Milliseconds. */
export const heldForMs = 24 * 60 * 60 * 1000;
/** A content that was put or touched is not cleaned away for so long, named or not: its line in a transcript follows. Milliseconds. */
export const graceMs = 60 * 60 * 1000;
/** For so long after it was touched a content is taken to be there; well below {@link graceMs}, so that the line has time. */
const trustedMs = graceMs / 2;
/** Ends the name of a content that is being cleaned away. */
export const goingSuffix = '.going';

/** File contents by their full SHA-256: `ab/cdef…`, each stored once, whole or not at all, checked when read. */
export class BlobStore {
  readonly #options: BlobStoreOptions;
  /** Seen whole on disk by this process, and kept there since for a while. */
  readonly #known = new Map<string, { readonly until: number; isDurable: boolean }>();

  readonly #holder = crypto.randomUUID();

  constructor(options: BlobStoreOptions) {
    this.#options = options;
  }

  /**
   * Returns the SHA-256 of the bytes, in hex; they are on disk then. Rejects with the file system's error. With
   * `durable: false` a loss of power may take them, which is told when they are read; a later put makes up for it.
   */
  async put(bytes: Uint8Array, { durable = true }: { readonly durable?: boolean } = {}): Promise<string> {
    const hash = this.#options.digest.sha256(bytes);
    // One that was damaged meanwhile is written anew while its content is still at hand.
    if (this.#now() >= (this.#known.get(hash)?.until ?? -Infinity)) {
      const until = this.#now() + trustedMs;
      // Touched first: whoever cleans up, in whatever process, lets it be from now on, or has it out of the way already.
      const isWhole = (await this.#options.files.touch(this.#pathOf(hash))) && (await this.#isWhole(hash));
      if (!isWhole) await this.#options.files.writeFile(this.#pathOf(hash), bytes, { mode: 0o600, durable: false });
      this.#known.set(hash, { until, isDurable: false });
    }
    if (durable) await this.makeDurable(hash);
    return hash;
  }

  /** Says that these contents are needed although no transcript names them; counts for {@link heldForMs} after the last call. */
  async hold(hashes: readonly string[]): Promise<void> {
    await this.#options.files.appendFile(joinPath(joinPath(this.#options.folder, heldFolder), this.#holder), `${hashes.join('\n')}\n`);
  }

  /** Contents that this process has seen may be gone by now: the next put looks again. */
  forgetSeen(): void {
    this.#known.clear();
  }

  /**
   * Makes a content that was put with `durable: false` outlive a loss of power. Rejects with the file system's error.
   * It has its name already: one that such a loss cuts short is told by its hash, so nothing has to wait for its turn.
   */
  async makeDurable(hash: string): Promise<void> {
    const known = this.#known.get(hash);
    if (!known || known.isDurable) return;
    await this.#options.files.sync(this.#pathOf(hash));
    known.isDurable = true;
  }

  /** Throws a `disk` error when the content is gone or damaged. */
  async get(hash: string): Promise<Uint8Array> {
    const path = this.#pathOf(hash);
    // One that was about to be cleaned away may be under another name, or be on its way back.
    const bytes = (await this.#read(path)) ?? (await this.#read(`${path}${goingSuffix}`)) ?? (await this.#read(path));
    if (!bytes) throw blobError(`The saved content ${path} is missing.`);
    if (this.#options.digest.sha256(bytes) !== hash) throw blobError(`The saved content ${path} is damaged.`);
    return bytes;
  }

  async #read(path: string): Promise<Uint8Array | undefined> {
    if (!(await this.#options.files.stat(path))) return undefined;
    try {
      return await this.#options.files.readFile(path);
    } catch (thrown) {
      if (systemErrorCode(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }
  }

  #now(): number {
    return (this.#options.clock ?? systemClock).now();
  }

  async #isWhole(hash: string): Promise<boolean> {
    const bytes = await this.#read(this.#pathOf(hash));
    return bytes !== undefined && this.#options.digest.sha256(bytes) === hash;
  }

  #pathOf(hash: string): string {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw blobError(`"${hash}" is not the name of a saved content.`);
    return joinPath(joinPath(this.#options.folder, hash.slice(0, 2)), hash.slice(2));
  }
}

function blobError(what: string): TurnstoneError {
  return new TurnstoneError('disk', `${what} Nothing was changed.`);
}
