import type { Writable } from 'node:stream';

/**
 * Standard output with back-pressure. When the reader has gone (`| head`), `onReaderGone` is called once and
 * everything later is dropped.
 */
export class Output {
  private readonly stream: Writable;
  private gone = false;

  constructor(stream: Writable, onReaderGone: () => void) {
    this.stream = stream;
    stream.on('error', () => {
      if (!this.gone) onReaderGone();
      this.gone = true;
    });
  }

  get readerIsGone(): boolean {
    return this.gone;
  }

  /** Resolves when the text has been handed to the system, or can't be any more. */
  async write(text: string): Promise<void> {
    if (this.gone) return;
    await new Promise<void>((resolve) => this.stream.write(text, () => resolve()));
  }
}
