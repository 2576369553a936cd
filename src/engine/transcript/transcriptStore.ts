import type { Clock } from '../../base/abort.ts';
import type { Log } from '../../base/log.ts';
import type { SessionMessage } from '../../protocol/messages.ts';
import type { BesideLine } from '../../protocol/transcript.ts';
import type { FileSystem } from '../ports.ts';
import { lineOfMessage } from './messageLines.ts';
import { WriteQueue, type QueuedLine } from './writeQueue.ts';

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

  constructor(options: TranscriptStoreOptions) {
    this.path = options.path;
    this.sessionId = options.sessionId;
    this.#options = options;
    this.#leafUuid = options.leafUuid;
    this.#queue = new WriteQueue({
      files: options.files,
      clock: options.clock,
      path: options.path,
      endsWithNewline: options.endsWithNewline,
      onTrouble: (text) => {
        options.log.error(text);
        options.onTrouble?.(text);
      },
    });
  }

  /** The uuid that the next chained line will follow. */
  get leafUuid(): string | null {
    return this.#leafUuid;
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
    const context = {
      parentUuid: this.#leafUuid,
      sessionId: this.sessionId,
      timestamp: ('timestamp' in message ? message.timestamp : undefined) ?? this.#now(),
      cwd: this.#options.cwd,
      version: this.#options.version,
    };
    this.#leafUuid = message.uuid;
    this.#queue.enqueue(() => lineOfMessage(message, context), options.holdUntil);
  }

  /** A line that is no part of the conversation's tree. Returns it as it will stand there. */
  record<Line extends BesideLine>(line: Line): Line & LineStamp {
    return this.#enqueue(line).whole;
  }

  /**
   * Like {@link record}, then flushed: a commit. When it rejects (`disk`), the line will never be written either,
   * so that what it announces can be left undone.
   */
  async commit<Line extends BesideLine>(line: Line): Promise<Line & LineStamp> {
    const { whole, queued } = this.#enqueue(line);
    try {
      await this.#queue.flush();
    } catch (thrown) {
      if (await queued.withdraw()) throw thrown;
    }
    return whole;
  }

  /** Everything enqueued so far is on disk, or it rejects with a `disk` error; lines are kept and written when it works again. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  /** Why lines wait in memory; undefined while all is well. */
  get trouble(): string | undefined {
    return this.#queue.trouble;
  }

  /** Writes what is left, without waiting for `holdUntil`. Rejects like {@link flush} when it could not. */
  dispose(): Promise<void> {
    return this.#queue.dispose();
  }

  #enqueue<Line extends BesideLine>(line: Line): { readonly whole: Line & LineStamp; readonly queued: QueuedLine } {
    const { type, ...fields } = line;
    const whole = { type, sessionId: this.sessionId, timestamp: this.#now(), ...fields } as unknown as Line & LineStamp;
    return { whole, queued: this.#queue.enqueue(() => JSON.stringify(whole)) };
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}
