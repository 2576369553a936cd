import type { Clock } from '../../base/abort.ts';
import { errorText } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { SessionMessage } from '../../protocol/messages.ts';
import type { BesideLine } from '../../protocol/transcript.ts';
import type { FileSystem } from '../ports.ts';
import { lineOfMessage, type LineContext } from './messageLines.ts';
import { WriteQueue, type ForeignChange, type QueuedLine } from './writeQueue.ts';

export interface TranscriptStoreOptions {
  readonly files: FileSystem;
  readonly clock: Clock;
  readonly log: Log;
  /** Of the `.jsonl` file. */
  readonly path: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** Of Turnstone. */
  readonly version: string;
  /** Where a loaded conversation ends; null for a new one. */
  readonly leafUuid: string | null;
  /** As found by `loadTranscript`; true for a new file. */
  readonly endsWithNewline: boolean;
  /** Told once when saving starts to fail, with a text for the user. */
  readonly onTrouble?: ((text: string) => void) | undefined;
  /** Bytes that the file held when it was read; 0 for a new one. Undefined: not known, so nobody else's writing is noticed. */
  readonly size?: number | undefined;
  /** Keeps other processes from writing. */
  readonly lock?: TranscriptLock | undefined;
  /** There is more in the file. Must not throw. */
  readonly onAppended?: (() => void) | undefined;
  /** All that could be written is. */
  readonly onDisposed?: (() => void) | undefined;
  /** Another process writes: nothing is written here. */
  readonly isReadOnly?: boolean | undefined;
}

/** The conversation as its session holds it, oldest first. */
export type HeldMessages = () => readonly SessionMessage[];

export interface TranscriptLock {
  /** Called before the first line is written. Never rejects. */
  take(): Promise<void>;
  /** Never rejects. */
  release(): Promise<void>;
}

/** What the transcript fills in. */
export type LineStamp = {
  sessionId: string;
  /** ISO 8601. */
  timestamp: string;
};

/** Writes one session's transcript. Invariant: a chained line's parent is the line chained before it, or where `moveTo` went. */
export class TranscriptStore {
  readonly path: string;
  readonly sessionId: string;
  readonly #options: TranscriptStoreOptions;
  readonly #queue: WriteQueue;
  #leafUuid: string | null;
  #isEmpty: boolean;
  #news: string[] = [];
  #held: HeldMessages = () => [];

  constructor(options: TranscriptStoreOptions) {
    this.path = options.path;
    this.sessionId = options.sessionId;
    this.#options = options;
    this.#leafUuid = options.leafUuid;
    this.#isEmpty = options.size === 0;
    this.#queue = new WriteQueue({
      files: options.files,
      clock: options.clock,
      path: options.path,
      endsWithNewline: options.endsWithNewline,
      size: options.size,
      beforeFirstAppend: () => options.lock?.take() ?? Promise.resolve(),
      onAppended: options.onAppended,
      linesAgain: (isQueued) => this.#linesOf(this.#held().filter(({ uuid }) => !isQueued(uuid))),
      onForeignChange: (how) => this.addNews(foreignChanges[how]),
      onTrouble: (text) => {
        options.log.error(text);
        options.onTrouble?.(text);
      },
    });
    if (options.size && !options.isReadOnly) this.#queue.hold();
  }

  /** From now on, what is held is written anew when somebody removes the file. */
  keepBehind(held: HeldMessages): void {
    this.#held = held;
  }

  /** Something that the user has to know, told once with the next message. */
  addNews(text: string): void {
    if (this.#news.includes(text)) return;
    this.#options.log.warn(text);
    this.#news.push(text);
  }

  takeNews(): readonly string[] {
    return this.#news.splice(0);
  }

  /** The uuid that the next chained line will follow. */
  get leafUuid(): string | null {
    return this.#leafUuid;
  }

  /** Nothing was ever written: there is no file. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** After a rewind: the next message starts a new branch there. */
  moveTo(leafUuid: string | null): void {
    this.#leafUuid = leafUuid;
  }

  /**
   * Chains a message. Its place is decided now; its content is read when it is written, so that usage and stop reason
   * that arrive later land on disk. With `holdUntil` that is not before the promise settles, also for all lines behind it.
   */
  recordMessage(message: SessionMessage, options: { readonly holdUntil?: Promise<void> | undefined } = {}): void {
    const context = this.#contextOf(message, this.#leafUuid);
    this.#leafUuid = message.uuid;
    this.#isEmpty = false;
    if (!this.#options.isReadOnly) this.#queue.enqueue(() => lineOfMessage(message, context), { ...options, key: message.uuid });
  }

  /** A line that is no part of the conversation's tree. Returns it as it will stand there. */
  record<Line extends BesideLine>(line: Line): Line & LineStamp {
    return this.#enqueue(line).whole;
  }

  /** Like {@link record}, but does not wait behind lines that are held. */
  recordAhead(line: BesideLine): void {
    const text = JSON.stringify(this.#stamped(line));
    if (!this.#options.isReadOnly) this.#queue.enqueueAhead(() => text);
  }

  /**
   * Like {@link record}, then flushed, and it outlives a loss of power: a commit. When it rejects (`disk`), the line will
   * never be written either, so that what it announces can be left undone.
   */
  async commit<Line extends BesideLine>(line: Line): Promise<Line & LineStamp> {
    const { whole, queued } = this.#enqueue(line);
    try {
      await this.#queue.flush();
    } catch (thrown) {
      if (await queued.withdraw()) throw thrown;
    }
    if (!this.#options.isReadOnly) await this.#sync();
    return whole;
  }

  /** Everything enqueued so far is on disk, or it rejects with a `disk` error; lines are kept and written when it works again. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  /** The process ends, and what is not on disk yet goes there at once: a name that was given in the last moment. Never throws. */
  writeNow(): void {
    this.#queue.writeNow();
  }

  /** Why lines wait in memory; undefined while all is well. */
  get trouble(): string | undefined {
    return this.#queue.trouble;
  }

  /** Writes what is left, without waiting for `holdUntil`. Rejects like {@link flush} when it could not. */
  async dispose(): Promise<void> {
    try {
      await this.#queue.dispose();
    } finally {
      this.#options.onDisposed?.();
      await this.#options.lock?.release();
    }
  }

  /** The line is written and counts; only a loss of power in the next seconds could take it. */
  async #sync(): Promise<void> {
    await this.#options.files.sync(this.path).catch((thrown: unknown) => this.#options.log.warn(`${this.path} may not outlive a loss of power: ${errorText(thrown)}`));
  }

  #contextOf(message: SessionMessage, parentUuid: string | null): LineContext {
    const timestamp = ('timestamp' in message ? message.timestamp : undefined) ?? this.#now();
    return { parentUuid, sessionId: this.sessionId, timestamp, cwd: this.#options.cwd, version: this.#options.version };
  }

  /** As one branch, each following the one before. */
  #linesOf(messages: readonly SessionMessage[]): string[] {
    return messages.map((message, index) => lineOfMessage(message, this.#contextOf(message, messages[index - 1]?.uuid ?? null)));
  }

  #enqueue<Line extends BesideLine>(line: Line): { readonly whole: Line & LineStamp; readonly queued: QueuedLine } {
    const whole = this.#stamped(line);
    this.#isEmpty = false;
    if (this.#options.isReadOnly) return { whole, queued: { withdraw: async () => true } };
    return { whole, queued: this.#queue.enqueue(() => JSON.stringify(whole)) };
  }

  #stamped<Line extends BesideLine>({ type, ...fields }: Line): Line & LineStamp {
    return { type, sessionId: this.sessionId, timestamp: this.#now(), ...fields } as unknown as Line & LineStamp;
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

const foreignChanges: { readonly [how in ForeignChange]: string } = {
  grown:
    'Another program has written to this session while it was open here. Nothing was overwritten, but its messages and yours now stand on two branches, and only the one that was added to last is gone on with when the session is opened again. End one of the two; everything stays in the file.',
  restored: 'Another program has removed the file of this session. It has been written down anew, as it was.',
  removed: 'Another program has removed the file of this session. What is here in memory of the conversation has been written down anew; what a compaction had replaced before is not among it, and files can be brought back only until this session is closed.',
  shrunk: 'Another program has shortened the file of this session. What is said from now on is saved there; what it held before is only here, in memory.',
};
