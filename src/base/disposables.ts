export interface DisposableLike {
  dispose(): void;
}

/** Collects disposables; what is added after disposal is disposed at once, so that a late registration cannot leak. */
export class DisposableStore implements DisposableLike {
  #items: DisposableLike[] = [];
  #disposed = false;

  add<T extends DisposableLike>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.push(item);
    return item;
  }

  get isDisposed(): boolean {
    return this.#disposed;
  }

  dispose(): void {
    this.#disposed = true;
    for (const item of this.#items.splice(0).reverse()) item.dispose();
  }
}

export function toDisposable(dispose: () => void): DisposableLike {
  return { dispose };
}
