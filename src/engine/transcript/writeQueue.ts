import type { Clock } from '../../base/abort.ts';
import type { DisposableLike } from '../../base/disposables.ts';
import { errorText, systemErrorCode, TurnstoneError } from '../../base/errors.ts';
import type { FileSystem, HeldFile } from '../ports.ts';

/** What gathers in this time is written together. Milliseconds. */
const drainAfterMs = 100;
/** One append takes no more than this, but always a whole line. UTF-16 units, close enough to bytes. */
const drainSize = 1024 * 1024;
/** The longest wait between two tries while the disk refuses. Milliseconds. */
const longestRetryMs = 10_000;

/** `restored`: the file was removed, and is there again as it was. `removed`: only what can be said again is. */
export type ForeignChange = 'grown' | 'shrunk' | 'restored' | 'removed';

export interface WriteQueueOptions {
  readonly files: FileSystem;
  readonly clock: Clock;
  readonly path: string;
  /** False when the file's last line was torn: the first append then starts on a line of its own. */
  readonly endsWithNewline: boolean;
  /** Called once when writing starts to fail, with a text for the user; again only after it worked in between. */
  readonly onTrouble?: ((text: string) => void) | undefined;
  /** Bytes that the file held when it was read; 0 for a new one. Undefined: not known. */
  readonly size?: number | undefined;
  /** Somebody else has written to the file, or taken something away. */
  readonly onForeignChange?: ((how: ForeignChange) => void) | undefined;
  /** Somebody else has removed the file, and it could not be held on to: what can be said again of what it held, as lines; `isQueued` tells what is written anyway. */
  readonly linesAgain?: ((isQueued: (key: string) => boolean) => readonly string[]) | undefined;
  /** Waited for before the first append. */
  readonly beforeFirstAppend?: (() => Promise<void>) | undefined;
  /** Called after each append. Must not throw. */
  readonly onAppended?: (() => void) | undefined;
}

export interface QueuedLine {
  /** Takes the line out again; false when it is on disk already. Never rejects. */
  withdraw(): Promise<boolean>;
}

interface Entry {
  readonly serialise: () => string;
  /** Undefined as soon as the line may be written. */
  hold: Promise<void> | undefined;
  /** By which {@link WriteQueueOptions.linesAgain} knows it. */
  readonly key?: string | undefined;
  /** Fixed with the first attempt, so that a half-written one can be recognised. */
  text?: string;
  state: 'queued' | 'written' | 'withdrawn';
}

/**
 * Appends lines to one file: in the order of `enqueue`, many with one append, none lost.
 * Invariant: `#entries` holds exactly the lines that are not known to be on disk.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  #entries: Entry[] = [];
  #needsNewline: boolean;
  #running: Promise<void> | undefined;
  #timer: DisposableLike | undefined;
  #failure: unknown;
  #failures = 0;
  /** Size of the file and text of the append that failed: some of it may be on disk. */
  #doubtful: { readonly sizeBefore: number; readonly text: string; readonly entries: readonly Entry[] } | undefined;
  #disposed = false;
  /** What the file holds unless somebody else writes to it; undefined after a failed append. */
  #expectedSize: number | undefined;
  #hasAppended = false;
  /** The file itself, should somebody take its name away. */
  #held: Promise<HeldFile | undefined> | undefined;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#needsNewline = !options.endsWithNewline;
    this.#expectedSize = options.size;
  }

  /** There is a file already: from now on it can be brought back. */
  hold(): void {
    const { files, path } = this.#options;
    this.#held ??= files.hold(path).catch(() => undefined);
  }

  /** `serialise` is called when the line is written, not now; a line waits for `holdUntil`, and so do those behind it. */
  enqueue(serialise: () => string, { holdUntil, key }: { readonly holdUntil?: Promise<void> | undefined; readonly key?: string | undefined } = {}): QueuedLine {
    const entry: Entry = { serialise, hold: undefined, key, state: 'queued' };
    if (holdUntil) {
      entry.hold = holdUntil.then(
        () => this.#release(entry),
        () => this.#release(entry),
      );
    }
    this.#entries.push(entry);
    if (this.#disposed) void this.#drain();
    else this.#schedule();
    return { withdraw: () => this.#withdraw(entry) };
  }

  /** Ahead of the lines that are held, behind all others. */
  enqueueAhead(serialise: () => string): void {
    const firstHeld = this.#entries.findIndex((entry) => entry.hold !== undefined);
    this.#entries.splice(firstHeld < 0 ? this.#entries.length : firstHeld, 0, { serialise, hold: undefined, state: 'queued' });
    if (this.#disposed) void this.#drain();
    else this.#schedule();
  }

  /** Resolves when everything enqueued so far is on disk; rejects with a `disk` error when it could not be written now. */
  async flush(): Promise<void> {
    const last = this.#entries.at(-1);
    while (last && this.#entries.includes(last)) {
      const head = this.#entries[0];
      if (head?.hold && !this.#running) await head.hold;
      else await this.#drain();
      if (this.#failure !== undefined) throw diskError(this.#failure, this.#options.path);
    }
  }

  /** Why lines wait in memory; undefined while all is well. */
  get trouble(): string | undefined {
    return this.#failure === undefined ? undefined : diskError(this.#failure, this.#options.path).message;
  }

  /**
   * The process ends now, and nothing can be waited for: what is left, held or not, is written at once. What an append has
   * on its way is left to it; what one has failed with is written again, which readers know how to take. Never throws.
   */
  writeNow(): void {
    const onItsWay = this.#running ? new Set(this.#doubtful?.entries) : new Set<Entry>();
    const left = this.#entries.filter((entry) => entry.state === 'queued' && !onItsWay.has(entry));
    for (const entry of left) entry.text ??= this.#serialise(entry);
    const lines = left.filter(({ state }) => state === 'queued').map(({ text }) => `${text}\n`);
    if (lines.length === 0) return;
    try {
      this.#options.files.appendFileNow(this.#options.path, (this.#needsNewline || this.#doubtful ? '\n' : '') + lines.join(''));
      for (const entry of left) entry.state = 'written';
    } catch (thrown) {
      this.#reportFailure(thrown);
    }
  }

  /** Writes what is left, held or not. Rejects like {@link flush}. Nothing is retried afterwards. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#timer?.dispose();
    for (const entry of this.#entries) entry.hold = undefined;
    try {
      await this.flush();
    } finally {
      await this.#letGo();
    }
  }

  async #withdraw(entry: Entry): Promise<boolean> {
    await this.#running;
    // A failed append may have put this very line on disk; when even that can't be told, it counts as not written.
    await this.#settleDoubt().catch((thrown: unknown) => this.#reportFailure(thrown));
    if (entry.state === 'queued') entry.state = 'withdrawn';
    return entry.state === 'withdrawn';
  }

  #release(entry: Entry): void {
    entry.hold = undefined;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#disposed || this.#timer || this.#running || !this.#entries[0] || this.#entries[0].hold) return;
    const wait = Math.min(drainAfterMs * 2 ** Math.min(this.#failures, 10), longestRetryMs);
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      void this.#drain();
    }, wait);
  }

  /** One append, or waits for the one that runs. Never rejects: the outcome is in `#failure`. */
  #drain(): Promise<void> {
    this.#running ??= this.#appendOnce().finally(() => {
      this.#running = undefined;
      this.#schedule();
    });
    return this.#running;
  }

  async #appendOnce(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    const { files, path } = this.#options;
    try {
      await this.#settleDoubt();
      let batch = this.#takeBatch();
      if (batch.length > 0) {
        if (!this.#hasAppended) await this.#options.beforeFirstAppend?.();
        this.#hasAppended = true;
        let stat = await files.stat(path);
        if (!stat) {
          await this.#writeAgain();
          stat = await files.stat(path);
        }
        const sizeBefore = stat?.size ?? 0;
        if (await this.#lookForOthers(sizeBefore)) batch = this.#takeBatch();
        const text = (this.#needsNewline ? '\n' : '') + batch.map((entry) => `${entry.text}\n`).join('');
        this.#expectedSize = undefined;
        this.#doubtful = { sizeBefore, text, entries: batch };
        await files.appendFile(path, text);
        this.#doubtful = undefined;
        this.#expectedSize = sizeBefore + new TextEncoder().encode(text).length;
        this.#needsNewline = false;
        this.hold();
        this.#markWritten(batch.length);
        this.#options.onAppended?.();
      }
      this.#failure = undefined;
      this.#failures = 0;
    } catch (thrown) {
      this.#reportFailure(thrown);
    }
  }

  /** The file is gone. Byte for byte as it was, if it is held and nobody else has written to it. */
  async #writeAgain(): Promise<void> {
    const held = this.#expectedSize ? await this.#held : undefined;
    if (held && (await held.size()) === this.#expectedSize) {
      await held.writeAgain();
      this.#options.onForeignChange?.('restored');
    }
    await this.#letGo();
  }

  async #letGo(): Promise<void> {
    const held = await this.#held;
    this.#held = undefined;
    await held?.close();
  }

  /**
   * Two writers hide each other's messages from the next reader: the user must hear of it, whatever let it happen. True
   * when lines were put before all others, because the file is gone.
   */
  async #lookForOthers(size: number): Promise<boolean> {
    const expected = this.#expectedSize;
    if (expected === undefined || size === expected) return false;
    const queued = new Set(this.#entries.map(({ key }) => key));
    const again = size === 0 ? (this.#options.linesAgain?.((key) => queued.has(key)) ?? []) : [];
    this.#entries.unshift(...again.map((text): Entry => ({ serialise: () => text, hold: undefined, state: 'queued' })));
    this.#options.onForeignChange?.(size > expected ? 'grown' : again.length > 0 ? 'removed' : 'shrunk');
    const end = size === 0 ? undefined : await this.#options.files.readRange(this.#options.path, size - 1, 1);
    this.#needsNewline = end !== undefined && end[0] !== 0x0a;
    return again.length > 0;
  }

  /** The ready lines at the head, at most {@link drainSize} of them; withdrawn ones fall out. */
  #takeBatch(): Entry[] {
    this.#dropSettled();
    const batch: Entry[] = [];
    let size = 0;
    for (const entry of this.#entries) {
      if (entry.hold) break;
      entry.text ??= this.#serialise(entry);
      if (entry.state === 'withdrawn') continue;
      if (batch.length > 0 && size + entry.text.length > drainSize) break;
      size += entry.text.length;
      batch.push(entry);
    }
    this.#dropSettled();
    return batch;
  }

  #dropSettled(): void {
    this.#entries = this.#entries.filter((entry) => entry.state === 'queued');
  }

  /** A line that is no JSON must not block those behind it for ever. */
  #serialise(entry: Entry): string {
    try {
      return entry.serialise();
    } catch (thrown) {
      entry.state = 'withdrawn';
      this.#options.onTrouble?.(`One line of the session can't be written: ${errorText(thrown)}. Everything else is saved.`);
      return '';
    }
  }

  /** After a failed append: which of its lines are whole on disk, and does the file end in a torn one? */
  async #settleDoubt(): Promise<void> {
    if (!this.#doubtful) return;
    const { files, path } = this.#options;
    const { sizeBefore, text, entries } = this.#doubtful;
    const written = ((await files.stat(path))?.size ?? 0) - sizeBefore;
    if (written > 0) {
      const onDisk = await files.readRange(path, sizeBefore, written);
      const expected = new TextEncoder().encode(text).subarray(0, written);
      const isOurs = onDisk.length === expected.length && onDisk.every((byte, index) => byte === expected[index]);
      let end = this.#needsNewline ? 1 : 0;
      for (const entry of isOurs ? entries : []) {
        end += new TextEncoder().encode(entry.text).length;
        // Whole even if only its line feed is missing: that comes with the next append.
        if (end <= written) entry.state = 'written';
        end += 1;
      }
      this.#needsNewline = onDisk.at(-1) !== 0x0a;
      this.#dropSettled();
    }
    this.#doubtful = undefined;
  }

  #markWritten(count: number): void {
    for (const entry of this.#entries.splice(0, count)) entry.state = 'written';
  }

  #reportFailure(thrown: unknown): void {
    const isNew = this.#failure === undefined;
    this.#failure = thrown ?? new Error('unknown reason');
    this.#failures += 1;
    if (isNew) this.#options.onTrouble?.(diskError(this.#failure, this.#options.path).message);
  }
}

function diskError(cause: unknown, path: string): TurnstoneError {
  return new TurnstoneError(
    'disk',
    `The session could not be saved to ${path}: ${reasonFor(cause)}. It goes on in memory, and what is missing is written as soon as that works again; don't close it before.`,
    { cause },
  );
}

function reasonFor(cause: unknown): string {
  switch (systemErrorCode(cause)) {
    case 'ENOSPC':
      return 'the disk is full';
    case 'EDQUOT':
      return 'your disk quota is used up';
    case 'EACCES':
    case 'EPERM':
      return 'writing there is not permitted';
    case 'EROFS':
      return 'the disk is read-only';
    default:
      return errorText(cause);
  }
}
