/** What the model knows of one file. Hash and text are those of the content as the user sees it, unsaved text included. */
export interface SeenFile {
  /** SHA-256 in hex: of the text (UTF-8, without BOM) for text, of the bytes for anything else. */
  readonly hash: string;
  /** Size and time of the file on disk at that moment; undefined when the content came from an unsaved document. */
  readonly onDisk: { readonly mtimeMs: number; readonly size: number } | undefined;
  /** When the content was last compared, milliseconds since 1970. */
  readonly verifiedAtMs: number;
  /** The model saw all of it. */
  readonly whole: boolean;
  /** What was read where that is not all: number of the first line (from 1) and how many. */
  readonly range?: { readonly firstLine: number; readonly lineCount: number } | undefined;
  /** The text then, so that the changed lines can be shown; undefined when it is no text or was too large to keep. */
  readonly text?: string | undefined;
  /** How the file is stored, where that had to be found out: no UTF-8, or damaged. */
  readonly encoding?: string | undefined;
  /** The model was told of a change to this content, but not shown all of it: not told again, and it must read again before editing. */
  readonly announcedHash?: string | undefined;
}

export interface ReadFileStateOptions {
  /** The file system takes `A` and `a` for the same name. Default: false. */
  readonly foldCase?: boolean | undefined;
  /** Files remembered. Default: 1,000. */
  readonly maxEntries?: number | undefined;
  /** UTF-16 units of text kept in all; of the least recently used files only the hash stays. Default: 16 million. */
  readonly maxTextLength?: number | undefined;
}

export type Freshness = 'fresh' | 'never-read' | 'changed';

/** A time stamp younger than this when it was looked at may hide a second write within the same tick (a FAT tick is 2 s). */
const timeStampTickMs = 2_000;

/**
 * What the model has read, by canonical path (links resolved). Whether a file is stale is decided by content alone;
 * size and time only spare the hashing. Bounded: the least recently used files are forgotten, and count as never read.
 */
export class ReadFileState {
  readonly #options: Required<{ [key in keyof ReadFileStateOptions]: NonNullable<ReadFileStateOptions[key]> }>;
  /** Oldest use first. */
  #entries = new Map<string, SeenFile & { readonly path: string }>();
  #textLength = 0;

  constructor(options: ReadFileStateOptions = {}) {
    this.#options = {
      foldCase: options.foldCase ?? false,
      maxEntries: options.maxEntries ?? 1_000,
      maxTextLength: options.maxTextLength ?? 16_000_000,
    };
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Length of all kept texts, in UTF-16 units. */
  get textLength(): number {
    return this.#textLength;
  }

  record(path: string, seen: SeenFile): void {
    this.forget(path);
    this.#entries.set(this.#key(path), { ...seen, path });
    this.#textLength += seen.text?.length ?? 0;
    this.#shrink();
  }

  get(path: string): SeenFile | undefined {
    const key = this.#key(path);
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Compares what the model knows with the hash of the content as it is now. */
  check(path: string, currentHash: string): Freshness {
    const seen = this.get(path);
    if (!seen) return 'never-read';
    return seen.hash === currentHash ? 'fresh' : 'changed';
  }

  /**
   * The file may have changed: the next look at it compares content, whatever its time stamp says. A folder stands for all
   * that is in it: that it came, went or was replaced is told once.
   */
  invalidate(path: string): void {
    const key = this.#key(path);
    for (const [known, entry] of this.#entries) {
      const isMeant = known === key || (known.startsWith(key) && /[\\/]/.test(known[key.length]!));
      // Replaced in its place: an event from outside is no use of the file.
      if (isMeant) this.#entries.set(known, { ...entry, onDisk: undefined });
    }
  }

  forget(path: string): void {
    const key = this.#key(path);
    this.#textLength -= this.#entries.get(key)?.text?.length ?? 0;
    this.#entries.delete(key);
  }

  /** Nothing counts as read any more. */
  clear(): void {
    this.#entries.clear();
    this.#textLength = 0;
  }

  /** Takes over what another state knows, in place of its own. */
  adopt(other: ReadFileState): void {
    this.#entries = new Map(other.#entries);
    this.#textLength = other.#textLength;
  }

  /** Least recently used first. */
  list(): readonly { readonly path: string; readonly seen: SeenFile }[] {
    return [...this.#entries.values()].map((entry) => ({ path: entry.path, seen: entry }));
  }

  /** One that knows nothing yet, with the same options. */
  emptyCopy(): ReadFileState {
    return new ReadFileState(this.#options);
  }

  clone(): ReadFileState {
    const copy = new ReadFileState(this.#options);
    copy.#entries = new Map(this.#entries);
    copy.#textLength = this.#textLength;
    return copy;
  }

  #key(path: string): string {
    return this.#options.foldCase ? path.normalize('NFC').toLowerCase() : path;
  }

  #shrink(): void {
    const { maxEntries, maxTextLength } = this.#options;
    while (this.#entries.size > maxEntries) {
      const oldest = this.#entries.values().next().value;
      if (oldest) this.forget(oldest.path);
    }
    for (const [key, entry] of this.#entries) {
      if (this.#textLength <= maxTextLength) return;
      if (entry.text === undefined) continue;
      this.#textLength -= entry.text.length;
      this.#entries.set(key, { ...entry, text: undefined });
    }
  }
}

/** Whether size and time alone prove that the content is still the one seen. */
export function isProvenUnchanged(seen: SeenFile, now: { readonly mtimeMs: number; readonly size: number }): boolean {
  if (!seen.onDisk) return false;
  if (seen.onDisk.mtimeMs !== now.mtimeMs || seen.onDisk.size !== now.size) return false;
  return seen.verifiedAtMs - now.mtimeMs > timeStampTickMs;
}
