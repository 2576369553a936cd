import { sleep } from '../../base/abort.ts';
import type { Clock } from '../../base/abort.ts';
import { isAborted } from '../../base/errors.ts';
import type { ApiFailure } from '../../protocol/apiFailure.ts';
import { toApiFailure } from '../../protocol/apiFailure.ts';
import { MAX_RETRIES, decideRetry, isOverloaded } from './retryPolicy.ts';

/** How the next attempt differs from a plain one. */
export interface AttemptCall {
  readonly attempt: number;
  readonly newConnection: boolean;
  readonly refreshCredentials: boolean;
  readonly maxTokens: number | undefined;
  readonly useFallback: boolean;
}

/** Told while a failed request waits, and when the fallback takes over. Times in milliseconds. */
export type RetryNews =
  | { readonly type: 'waiting'; readonly failure: ApiFailure; readonly attempt: number; readonly maxRetries: number; readonly delayMs: number }
  | { readonly type: 'falling-back'; readonly failure: ApiFailure };

export interface RetryOptions<Y> {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: () => number;
  readonly hasFallback: boolean;
  readonly background: boolean;
  /** Ends a wait early, without ending the turn. */
  readonly retryNow?: (wake: () => void) => { dispose(): void };
  /** What to yield when an attempt failed and another follows: its partial output is withdrawn. */
  readonly withdraw: () => Y | undefined;
  readonly announce: (news: RetryNews) => Y;
}

/**
 * Runs attempts until one returns. Throws the last ApiFailure when the policy gives up, `aborted` when the signal says
 * so; nothing else.
 */
export async function* withRetry<Y, R>(run: (call: AttemptCall) => AsyncGenerator<Y, R, void>, options: RetryOptions<Y>): AsyncGenerator<Y, R, void> {
  let call: AttemptCall = { attempt: 1, newConnection: false, refreshCredentials: false, maxTokens: undefined, useFallback: false };
  let failures = 0;
  let overloadedInARow = 0;
  let credentialsRefreshed = false;
  for (;;) {
    let failure: ApiFailure;
    try {
      return yield* run(call);
    } catch (thrown) {
      if (isAborted(thrown)) throw thrown;
      failure = toApiFailure(thrown);
    }
    failures++;
    overloadedInARow = isOverloaded(failure) ? overloadedInARow + 1 : 0;
    const decision = decideRetry(failure, {
      failures,
      overloadedInARow,
      credentialsRefreshed,
      maxTokensReduced: call.maxTokens !== undefined,
      hasFallback: options.hasFallback && !call.useFallback,
      background: options.background,
      now: options.clock.now(),
      random: options.random(),
    });
    if (decision.action === 'give-up') throw failure;
    const withdrawn = options.withdraw();
    if (withdrawn !== undefined) yield withdrawn;
    call = { ...call, attempt: call.attempt + 1, newConnection: false, refreshCredentials: false };
    switch (decision.action) {
      case 'wait':
        yield options.announce({ type: 'waiting', failure, attempt: failures, maxRetries: MAX_RETRIES, delayMs: decision.delayMs });
        await waitBeforeRetry(decision.delayMs, options);
        call = { ...call, newConnection: decision.newConnection };
        break;
      case 'refresh-credentials':
        credentialsRefreshed = true;
        call = { ...call, refreshCredentials: true };
        break;
      case 'reduce-max-tokens':
        call = { ...call, maxTokens: decision.maxTokens };
        break;
      case 'fall-back':
        yield options.announce({ type: 'falling-back', failure });
        call = { ...call, useFallback: true };
        overloadedInARow = 0;
        failures = 0;
        break;
    }
  }
}

async function waitBeforeRetry(delayMs: number, options: Pick<RetryOptions<unknown>, 'signal' | 'clock' | 'retryNow'>): Promise<void> {
  const early = new AbortController();
  const registration = options.retryNow?.(() => early.abort());
  try {
    await sleep(delayMs, AbortSignal.any([options.signal, early.signal]), options.clock);
  } catch (thrown) {
    if (options.signal.aborted || !early.signal.aborted) throw thrown;
  } finally {
    registration?.dispose();
  }
}
