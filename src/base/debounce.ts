import type { DisposableLike } from './disposables.ts';

/** Runs `action` once nobody has called for `ms` milliseconds. Disposed, it runs no more. */
export function debounce(action: () => void, ms: number): DisposableLike & { call(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    call() {
      clearTimeout(timer);
      timer = setTimeout(action, ms);
    },
    dispose: () => clearTimeout(timer),
  };
}
