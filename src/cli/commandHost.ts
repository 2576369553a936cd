import type { Log } from '../base/log.ts';
import type { Mirror } from '../sdk/index.ts';
import type { Output } from './output.ts';
import type { StopSignals } from './stopSignals.ts';

/** What a command needs of its process. Answers go to `output`, everything else to `log`. */
export interface CommandHost {
  readonly output: Output;
  readonly log: Log;
  readonly signals: StopSignals;
  readonly mirror?: Mirror | undefined;
  /** Called when nobody reads the answers any more. */
  callOnReaderGone(stop: () => void): void;
}
