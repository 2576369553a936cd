import { raceAbort, sleep } from '../../base/abort.ts';
import type { Clock } from '../../base/abort.ts';
import { isAborted } from '../../base/errors.ts';
import type { ApiFailure } from '../../protocol/apiFailure.ts';
import { toApiFailure } from '../../protocol/apiFailure.ts';
import { decideRetry, isBrokenConnection, isOutOfCapacity, isOverloaded, retriesFor } from './retryPolicy.ts';
import type { RetryDecision, RetryState } from './retryPolicy.ts';

/** How the next attempt differs from a plain one. */
export interface AttemptCall {
  readonly attempt: number;
  readonly newConnection: boolean;
  readonly refreshCredentials: boolean;
  readonly maxTokens: number | undefined;
  readonly useFallback: boolean;
  /** Without streaming: the stream broke again and again. */
  readonly whole: boolean;
}

/**
 * Told while a failed request waits, when the fallback takes over, when the answer is fetched without streaming. Times
 * in milliseconds. `maxRetries` is 0 where there is no limit. `asking`: the wait is so long that the user is asked first.
 */
export type RetryNews =
  | ({ readonly type: 'waiting' } & Wait)
  | ({ readonly type: 'asking' } & Wait)
  | { readonly type: 'falling-back' | 'fetching-whole'; readonly failure: ApiFailure };

interface Wait {
  readonly failure: ApiFailure;
  readonly attempt: number;
  readonly maxRetries: number;
  readonly delayMs: number;
}

export interface RetryOptions<Y> {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hasFallback: boolean;
  readonly background: boolean;
  /** Nobody is there: rate limits and overload are waited out for ever. */
  readonly unattended: boolean;
  /** Ends a wait early, without ending the turn. */
  readonly retryNow?: ((wake: () => void) => { dispose(): void }) | undefined;
  /** Whether to wait as long as the server asks, when that is very long. Without it the answer is no. */
  readonly confirmLongWait?: ((failure: ApiFailure, delayMs: number) => Promise<boolean>) | undefined;
  /** The failed attempt had begun to answer. */
  readonly brokeInMiddle: () => boolean;
  /** Changes what the server refused; what to yield when it could, undefined when there is nothing to change. */
  readonly repair: (failure: ApiFailure) => Y | undefined;
  /** What to yield when an attempt failed and another follows: its partial output is withdrawn. */
  readonly withdraw: () => Y | undefined;
  readonly announce: (news: RetryNews) => Y;
}

/** Breaks in the middle of an answer before one request without streaming is made. */
const breaksBeforeWhole = 2;
/** Unattended waits say that they are alive this often. In milliseconds. */
const heartbeatMs = 30_000;

/** The attempts of one request: how the next one is made, and what happens between two of them. */
export class Retries<Y> {
  readonly #options: RetryOptions<Y>;
  readonly #tally = new Tally();
  #next: AttemptCall = { attempt: 1, newConnection: false, refreshCredentials: false, maxTokens: undefined, useFallback: false, whole: false };

  constructor(options: RetryOptions<Y>) {
    this.#options = options;
  }

  get next(): AttemptCall {
    return this.#next;
  }

  /**
   * An attempt has thrown this. Waits where that helps, and decides what the next attempt is like. Throws the
   * ApiFailure when the policy gives up, `aborted` when the signal says so, and what `confirmLongWait` throws; nothing else.
   */
  async *afterFailure(thrown: unknown): AsyncGenerator<Y, void, void> {
    if (isAborted(thrown)) throw thrown;
    const failure = toApiFailure(thrown);
    const options = this.#options;
    const tally = this.#tally;
    tally.count(failure, options);
    const news = { failure, attempt: tally.attemptOf(failure, options), maxRetries: limitFor(failure, options) };
    let decision = decideRetry(failure, stateOf(tally, failure, this.#next, options));
    if (decision.action === 'ask') decision = yield* askUser({ ...news, type: 'asking', delayMs: decision.delayMs }, decision.otherwise, options);
    const repaired = decision.action === 'repair' ? options.repair(failure) : undefined;
    if (decision.action === 'give-up' || (decision.action === 'repair' && repaired === undefined)) throw failure;
    const withdrawn = options.withdraw();
    if (withdrawn !== undefined) yield withdrawn;
    if (repaired !== undefined) yield repaired;
    this.#next = { ...this.#next, attempt: this.#next.attempt + 1, newConnection: false, refreshCredentials: false, whole: false };
    switch (decision.action) {
      case 'wait':
        yield* waitBeforeRetry({ ...news, type: 'waiting', delayMs: decision.delayMs }, options);
        this.#next = { ...this.#next, newConnection: decision.newConnection, whole: tally.wantsWhole() };
        if (this.#next.whole) yield options.announce({ type: 'fetching-whole', failure });
        break;
      case 'refresh-credentials':
        tally.credentialsRefreshed = true;
        this.#next = { ...this.#next, refreshCredentials: true };
        break;
      case 'reduce-max-tokens':
        this.#next = { ...this.#next, maxTokens: decision.maxTokens };
        break;
      case 'fall-back':
        yield options.announce({ type: 'falling-back', failure });
        this.#next = { ...this.#next, useFallback: true };
        tally.startOver();
        break;
      case 'ask': // answered above
      case 'repair': // the next request is built from what was learnt
        break;
    }
  }
}

/** What has gone wrong so far, counted as the policy needs it. */
class Tally {
  credentialsRefreshed = false;
  overloadedInARow = 0;
  #failures = 0;
  /** Of an unattended session: rate limits and overload, which are no reason to give up and count on their own. */
  #patient = 0;
  #breaks = 0;
  #triedWhole = false;

  count(failure: ApiFailure, options: Pick<RetryOptions<unknown>, 'unattended' | 'brokeInMiddle'>): void {
    if (isEndless(failure, options)) this.#patient++;
    else this.#failures++;
    this.overloadedInARow = isOverloaded(failure) ? this.overloadedInARow + 1 : 0;
    if (isBrokenConnection(failure) && options.brokeInMiddle()) this.#breaks++;
  }

  attemptOf(failure: ApiFailure, options: Pick<RetryOptions<unknown>, 'unattended'>): number {
    return isEndless(failure, options) ? this.#patient : this.#failures;
  }

  /** True once, after the stream broke often enough. */
  wantsWhole(): boolean {
    if (this.#triedWhole || this.#breaks < breaksBeforeWhole) return false;
    this.#triedWhole = true;
    return true;
  }

  startOver(): void {
    this.overloadedInARow = 0;
    this.#failures = 0;
    this.#patient = 0;
  }
}

function stateOf(tally: Tally, failure: ApiFailure, call: AttemptCall, options: RetryOptions<unknown>): RetryState {
  return {
    failures: tally.attemptOf(failure, options),
    overloadedInARow: tally.overloadedInARow,
    credentialsRefreshed: tally.credentialsRefreshed,
    maxTokensReduced: call.maxTokens !== undefined,
    hasFallback: options.hasFallback && !call.useFallback,
    background: options.background,
    unattended: options.unattended,
    now: options.clock.now(),
    random: options.random(),
  };
}

function isEndless(failure: ApiFailure, options: Pick<RetryOptions<unknown>, 'unattended'>): boolean {
  return options.unattended && isOutOfCapacity(failure);
}

/** What `max_retries` says: 0 for no limit. */
function limitFor(failure: ApiFailure, options: Pick<RetryOptions<unknown>, 'unattended'>): number {
  return isEndless(failure, options) ? 0 : retriesFor(failure);
}

/** Turns a wait that nobody should sit through unasked into one that was agreed to, or into the end. */
async function* askUser<Y>(question: RetryNews & { readonly type: 'asking' }, refused: RetryDecision, options: RetryOptions<Y>): AsyncGenerator<Y, RetryDecision, void> {
  const { confirmLongWait, signal } = options;
  if (!confirmLongWait) return refused;
  const early = new AbortController();
  const registration = options.retryNow?.(() => early.abort());
  try {
    yield options.announce(question);
    const wait = await raceAbort(confirmLongWait(question.failure, question.delayMs), AbortSignal.any([signal, early.signal]));
    return wait ? { action: 'wait', delayMs: question.delayMs, newConnection: false } : refused;
  } catch (thrown) {
    if (signal.aborted || !early.signal.aborted) throw thrown;
    return { action: 'wait', delayMs: 0, newConnection: false };
  } finally {
    registration?.dispose();
  }
}

/** One wait with its countdown; an unattended one in slices, each with a sign of life. */
async function* waitBeforeRetry<Y>(news: RetryNews & { readonly type: 'waiting' }, options: RetryOptions<Y>): AsyncGenerator<Y, void, void> {
  const slice = options.unattended ? heartbeatMs : Infinity;
  for (let left = news.delayMs, first = true; left > 0 || first; left -= slice, first = false) {
    yield options.announce({ ...news, delayMs: left });
    if (await isWokenEarly(Math.min(left, slice), options)) return;
  }
}

async function isWokenEarly(delayMs: number, options: Pick<RetryOptions<unknown>, 'signal' | 'clock' | 'retryNow'>): Promise<boolean> {
  const early = new AbortController();
  const registration = options.retryNow?.(() => early.abort());
  try {
    await sleep(delayMs, AbortSignal.any([options.signal, early.signal]), options.clock);
    return false;
  } catch (thrown) {
    if (options.signal.aborted || !early.signal.aborted) throw thrown;
    return true;
  } finally {
    registration?.dispose();
  }
}
