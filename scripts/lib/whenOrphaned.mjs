/**
 * Calls back when the process that started this one is gone, however it ended (npm hands no signal on when it is killed).
 * Does not keep this process alive. Returns a function that stops the watching.
 */
export function whenOrphaned(callback) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) {
      clearInterval(timer);
      callback();
    }
  }, 500);
  timer.unref();
  return () => clearInterval(timer);
}
