import { TurnstoneError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { TranscriptLock } from '../engine/transcript/transcriptStore.ts';
import { lockSession } from '../platform/sessionLock.ts';
import type { LockOutcome, SessionLock } from '../platform/sessionLock.ts';

export interface LockRequest {
  /** Of the `.jsonl` file; the lock stands beside it. */
  readonly transcript: string;
  readonly log: Log;
}

/**
 * The lock of one session: nobody else writes its transcript while we have it. Where the disk allows no lock the session
 * goes on without one; the transcript then still notices when somebody else writes to it.
 */
export class SessionTranscriptLock implements TranscriptLock {
  readonly #request: LockRequest;
  #lock: SessionLock | undefined;
  /** Told when another process took the session over, or has it already. */
  onTrouble: (text: string) => void = () => {};

  constructor(request: LockRequest) {
    this.#request = request;
  }

  /** Undefined when it is ours now; else why it is not, for the user. */
  async tryToTake(): Promise<string | undefined> {
    const outcome = await lockSession(this.#request.transcript.replace(/\.jsonl$/, '.lock'), () => this.onTrouble(takenOver));
    if (outcome.kind === 'in-use') return inUse(outcome);
    if (outcome.kind === 'impossible') this.#request.log.debug(`the session is not locked: ${outcome.why}`);
    else this.#lock = outcome.lock;
    return undefined;
  }

  async take(): Promise<void> {
    const why = this.#lock ? undefined : await this.tryToTake();
    if (why !== undefined) this.onTrouble(why);
  }

  async release(): Promise<void> {
    await this.#lock?.release();
    this.#lock = undefined;
  }
}

export function inUseError(why: string): TurnstoneError {
  return new TurnstoneError('session_in_use', `${why} Nothing was sent, and the session is as it was. Wait until it is done there, go on in a copy of it (on the command line: --fork-session), or begin a new session.`);
}

export function readOnlyText(why: string): string {
  return `${why} Here it can be read, but nothing can be sent or taken back. Close it there and open it here again, or begin a new session.`;
}

const takenOver = 'Another program has taken this session over, because this one gave no sign of life for half a minute. Go on there, or close it there and open the session here again: what is said in both stands on two branches.';

function inUse({ holder }: Extract<LockOutcome, { kind: 'in-use' }>): string {
  if (!holder) return 'This session is open in another program.';
  const who = holder.isThisMachine ? (holder.pid === process.pid ? 'in this program already' : `in another program (process ${holder.pid})`) : `on another machine (${holder.host})`;
  return `This session is open ${who}, since ${holder.since}.`;
}
