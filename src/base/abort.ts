import { abortedError } from './errors.ts';
import type { DisposableLike } from './disposables.ts';

/** Time as a port: tests move it by hand. Milliseconds throughout. */
export interface Clock {
  now(): number;
  setTimeout(callback: () => void, ms: number): DisposableLike;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, ms) {
    const timer = setTimeout(callback, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};

/** Calls `listener` once when the signal aborts, at once if it has already. Dispose to stop listening. */
export function onAbort(signal: AbortSignal, listener: () => void): DisposableLike {
  if (signal.aborted) {
    listener();
    return { dispose: () => {} };
  }
  signal.addEventListener('abort', listener, { once: true });
  return { dispose: () => signal.removeEventListener('abort', listener) };
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortedError(signal.reason);
}

/** Waits `ms` milliseconds; rejects with an `aborted` error as soon as the signal aborts. */
export function sleep(ms: number, signal: AbortSignal, clock: Clock = systemClock): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortedError(signal.reason));
    const timer = clock.setTimeout(() => {
      listener.dispose();
      resolve();
    }, ms);
    const listener = onAbort(signal, () => {
      timer.dispose();
      reject(abortedError(signal.reason));
    });
  });
}

/** Settles like `promise`, or rejects with an `aborted` error the moment the signal aborts, whichever is first. */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const listener = onAbort(signal, () => reject(abortedError(signal.reason)));
    promise.then(resolve, reject).finally(() => listener.dispose());
  });
}

/** A controller that aborts with its parent. Dispose when the child's work is over. */
export function childController(parent: AbortSignal): AbortController & DisposableLike {
  const controller = new AbortController();
  const listener = onAbort(parent, () => controller.abort(parent.reason));
  return Object.assign(controller, { dispose: () => listener.dispose() });
}
