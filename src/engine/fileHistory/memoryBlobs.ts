import { TurnstoneError } from '../../base/errors.ts';
import type { Digest } from '../ports.ts';

/** Contents that are needed for as long as a few writes take. */
export class MemoryBlobs {
  readonly #digest: Digest;
  readonly #contents = new Map<string, Uint8Array>();

  constructor(digest: Digest) {
    this.#digest = digest;
  }

  async put(bytes: Uint8Array): Promise<string> {
    const hash = this.#digest.sha256(bytes);
    this.#contents.set(hash, bytes);
    return hash;
  }

  async get(hash: string): Promise<Uint8Array> {
    const bytes = this.#contents.get(hash);
    if (!bytes) throw new TurnstoneError('disk', 'What the file held before is not known any more.');
    return bytes;
  }
}
