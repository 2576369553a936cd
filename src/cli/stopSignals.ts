/** Exit code of a process that a signal ended: 128 and the signal's number. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof exitCodes;

/**
 * Turns the first stop signal into a calm end: `onStop` is called and the run goes on to save and report. A second
 * one ends the process at once, as does one that comes before there is anything to save.
 */
export class StopSignals {
  /** Set once a signal came. */
  exitCode: number | undefined;
  private onStop: (() => void) | undefined;

  constructor() {
    for (const signal of Object.keys(exitCodes) as StopSignal[]) process.on(signal, () => this.received(exitCodes[signal]));
  }

  callOnStop(onStop: () => void): void {
    this.onStop = onStop;
  }

  private received(exitCode: number): void {
    if (this.exitCode !== undefined || !this.onStop) process.exit(exitCode);
    this.exitCode = exitCode;
    this.onStop();
  }
}
