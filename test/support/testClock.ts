import type { Clock } from '../../src/base/abort.ts';

interface Timer {
  readonly due: number;
  readonly ms: number;
  readonly callback: () => void;
}

/** Time that stands still until a test moves it. Begins on 30 November 2026, midnight UTC. Milliseconds. */
export class TestClock implements Clock {
  #now = Date.UTC(2026, 10, 30);
  readonly #timers = new Set<Timer>();
  #watchers: { readonly ms: number; readonly found: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): { dispose(): void } {
    const timer = { due: this.#now + ms, ms, callback };
    this.#timers.add(timer);
    for (const watcher of this.#watchers.filter((each) => each.ms === ms)) watcher.found();
    this.#watchers = this.#watchers.filter((each) => each.ms !== ms);
    return { dispose: () => void this.#timers.delete(timer) };
  }

  /** Settles as soon as somebody waits for this long; at once when somebody does already. */
  waitForTimer(ms: number): Promise<void> {
    if ([...this.#timers].some((timer) => timer.ms === ms)) return Promise.resolve();
    return new Promise((found) => this.#watchers.push({ ms, found }));
  }

  /** Moves time on; whatever falls due on the way happens at its own time. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter((timer) => timer.due <= end).sort((a, b) => a.due - b.due);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
    }
    this.#now = end;
  }
}
