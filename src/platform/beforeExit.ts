const works = new Set<() => void>();

/** Has `work` done when this process exits of itself, synchronously: nothing else is waited for then. Must not throw. */
export function beforeExit(work: () => void): { dispose(): void } {
  if (works.size === 0) process.once('exit', doAll);
  works.add(work);
  return {
    dispose() {
      works.delete(work);
      if (works.size === 0) process.off('exit', doAll);
    },
  };
}

function doAll(): void {
  for (const work of works) work();
}
