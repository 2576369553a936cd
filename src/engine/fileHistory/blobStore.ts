import { TurnstoneError } from '../../base/errors.ts';
import type { Digest, FileSystem } from '../ports.ts';
import { joinPath } from '../transcript/transcriptPath.ts';

export interface BlobStoreOptions {
  readonly files: FileSystem;
  readonly digest: Digest;
  /** `<root>/blobs`. */
  readonly folder: string;
}

/** In the folder of the contents: lists of those that running sessions need. */
export const heldFolder = 'in-use';
/** Milliseconds. */
export const heldForMs = 24 * 60 * 60 * 1000;

/** File contents by their full SHA-256: `ab/cdef…`, each stored once, whole or not at all, checked when read. */
export class BlobStore {
  readonly #options: BlobStoreOptions;
  /** Seen whole on disk by this process: true where it outlives a loss of power. */
  readonly #known = new Map<string, boolean>();

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
    if (!this.#known.has(hash)) {
      const isWhole = await this.#isWhole(hash);
      if (!isWhole) await this.#options.files.writeFile(this.#pathOf(hash), bytes, { mode: 0o600, durable: false });
      this.#known.set(hash, false);
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
    if (this.#known.get(hash) !== false) return;
    await this.#options.files.sync(this.#pathOf(hash));
    this.#known.set(hash, true);
  }

  /** Throws a `disk` error when the content is gone or damaged. */
  async get(hash: string): Promise<Uint8Array> {
    const path = this.#pathOf(hash);
    if (!(await this.#options.files.stat(path))) throw blobError(`The saved content ${path} is missing.`);
    const bytes = await this.#options.files.readFile(path);
    if (this.#options.digest.sha256(bytes) !== hash) throw blobError(`The saved content ${path} is damaged.`);
    return bytes;
  }

  async #isWhole(hash: string): Promise<boolean> {
    const path = this.#pathOf(hash);
    if (!(await this.#options.files.stat(path))) return false;
    return this.#options.digest.sha256(await this.#options.files.readFile(path)) === hash;
  }

  #pathOf(hash: string): string {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw blobError(`"${hash}" is not the name of a saved content.`);
    return joinPath(joinPath(this.#options.folder, hash.slice(0, 2)), hash.slice(2));
  }
}

function blobError(what: string): TurnstoneError {
  return new TurnstoneError('disk', `${what} Nothing was changed.`);
}
