/** Calls back when the process that started this one is gone, however it ended. Does not keep this process alive. */
export function whenOrphaned(callback) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) {
      clearInterval(timer);
      callback();
    }
  }, 500);
  timer.unref();
}
