const checkpoints: { readonly name: string; readonly wallMs: number; readonly cpuMs: number }[] = [];
const isOn = process.env['TURNSTONE_PROFILE_STARTUP'] === '1';

/** Remembers when a stage of starting was first reached; nothing unless TURNSTONE_PROFILE_STARTUP is 1. */
export function checkpoint(name: string): void {
  if (!isOn || checkpoints.some((earlier) => earlier.name === name)) return;
  const { user, system } = process.cpuUsage();
  checkpoints.push({ name, wallMs: performance.now(), cpuMs: (user + system) / 1000 });
}

/** Prints the checkpoints on standard error: milliseconds since the process began, and of CPU. */
export function printStartupProfile(): void {
  for (const { name, wallMs, cpuMs } of checkpoints) {
    process.stderr.write(`startup ${name.padEnd(20)} ${wallMs.toFixed(1).padStart(8)} ms ${cpuMs.toFixed(1).padStart(8)} ms CPU\n`);
  }
  checkpoints.length = 0;
}
