import type { Writable } from 'node:stream';
import { systemErrorCode } from '../base/errors.ts';

/**
 * Standard output with back-pressure. When the reader has gone (`| head`) or nothing can be written any more (a full
 * disk), `onReaderGone` is called once and everything later is dropped.
 */
export class Output {
  private readonly stream: Writable;
  private readonly onReaderGone: () => void;
  private gone = false;
  /** Why nothing can be written; undefined while it can, and when it is only that nobody reads. */
  failure: string | undefined;

  constructor(stream: Writable, onReaderGone: () => void) {
    this.stream = stream;
    this.onReaderGone = onReaderGone;
    stream.on('error', (error) => this.broke(error));
  }

  get readerIsGone(): boolean {
    return this.gone;
  }

  /** Resolves when it has been handed to the system, or can't be any more. */
  async write(text: string | Uint8Array): Promise<void> {
    if (this.gone) return;
    await new Promise<void>((resolve) => this.stream.write(text, (error) => {
      if (error) this.broke(error);
      resolve();
    }));
  }

  private broke(error: Error): void {
    if (this.gone) return;
    this.gone = true;
    if (systemErrorCode(error) !== 'EPIPE') this.failure = error.message;
    this.onReaderGone();
  }
}
