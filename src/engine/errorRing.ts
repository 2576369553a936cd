export interface SessionError {
  readonly text: string;
}

const capacity = 100;

/**
 * The last errors of a session, in memory. A turn remembers the last error object before it began, not an index: an
 * index slides when the ring rotates.
 */
export class ErrorRing {
  #errors: SessionError[] = [];

  push(text: string): void {
    this.#errors.push({ text });
    if (this.#errors.length > capacity) this.#errors.shift();
  }

  watermark(): SessionError | undefined {
    return this.#errors.at(-1);
  }

  /** What came after the watermark; everything if that has been rotated out. */
  since(watermark: SessionError | undefined): readonly string[] {
    const start = watermark ? this.#errors.lastIndexOf(watermark) + 1 : 0;
    return this.#errors.slice(start).map((error) => error.text);
  }
}
