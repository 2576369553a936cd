import { billingNote, isPretendPrice } from '../../base/demoModel.ts';
import { plural } from '../../base/text.ts';
import { formatUsd } from '../../base/formatUsd.ts';
import type { Clock } from '../../base/abort.ts';
import type { Usage } from '../../protocol/usage.ts';
import { CACHE_TTL_MS, judgeCache, keptAfter, keptPrefix, lookOf } from './cacheWatch.ts';
import type { CacheMiss, KeptPrefix, RequestLook } from './cacheWatch.ts';
import { amountsOf } from './charges.ts';
import type { CostTracker } from './costTracker.ts';

export interface CostNoticesParts {
  readonly cost: CostTracker;
  readonly clock: Clock;
  /** USD; undefined: no reminder. */
  readonly reminderUsd: number | undefined;
  /** What {@link CostNotices.toJSON} made in the process before. */
  readonly kept?: unknown;
}

/** What the next request costs before its answer begins. USD; null where the price is not known. */
export interface NextRequest {
  /** Of its prompt, estimated. */
  readonly tokens: number;
  /** Of these, those that the server has in its cache; 0 when it has none, or that is not known. */
  readonly cachedTokens: number;
  /** Until then they are kept, in milliseconds since 1970; undefined when there are none. */
  readonly warmUntil: number | undefined;
  /** With what is in the cache, and without. */
  readonly warmUsd: number | null;
  readonly coldUsd: number | null;
}

/** A miss that costs less is not worth a line. USD. */
const leastExtraUsd = 0.01;

/** Says what the user would want to know about money while it is spent: quiet lines, nothing stops. */
export class CostNotices {
  readonly #parts: CostNoticesParts;
  #kept: KeptPrefix | undefined;
  #asked: RequestLook | undefined;
  #reminders: number;

  constructor(parts: CostNoticesParts) {
    this.#parts = parts;
    this.#kept = keptPrefix(parts.kept);
    this.#reminders = this.#passed();
  }

  /** The request itself, which is about to leave. */
  sent<Request extends { readonly model: string }>(request: Request): Request {
    this.#asked = lookOf(request, this.#parts.clock.now());
    return request;
  }

  /** The answer to the request that was sent last. Returns lines for the user. */
  answered(usage: Usage | undefined): string[] {
    const asked = this.#asked;
    if (!asked || !usage) return [];
    const miss = this.#kept && judgeCache(this.#kept, asked, usage);
    this.#kept = keptAfter(asked, usage);
    return [miss && this.#missText(miss, asked, usage), this.#reminder()].filter((text) => text !== undefined);
  }

  /** The conversation no longer begins as it did, and is meant to: that it is read anew is no news. */
  forget(): void {
    this.#kept = undefined;
  }

  next(tokens: number, model: string): NextRequest {
    const { cost, clock } = this.#parts;
    const date = new Date(clock.now());
    const kept = this.#kept?.model === model && clock.now() - this.#kept.sentAt < CACHE_TTL_MS ? this.#kept : undefined;
    const cachedTokens = Math.min(kept?.tokens ?? 0, tokens);
    const price = (read: number): number | null => cost.price({ input_tokens: 0, output_tokens: 0, cache_read_input_tokens: read, cache_creation_input_tokens: tokens - read }, model, date);
    return { tokens, cachedTokens, warmUntil: kept && cachedTokens > 0 ? kept.sentAt + CACHE_TTL_MS : undefined, warmUsd: price(cachedTokens), coldUsd: price(0) };
  }

  /** For the session-state line. */
  toJSON(): unknown {
    return this.#kept;
  }

  #missText(miss: CacheMiss, asked: RequestLook, usage: Usage): string | undefined {
    const extra = this.#extraUsd(miss, asked, usage);
    if (isPretendPrice(asked.model) || (extra !== null && extra < leastExtraUsd)) return undefined;
    const price = extra === null ? 'the price of this model is not known' : `about ${formatUsd(extra)} more than from the cache`;
    return `${miss.tokens.toLocaleString('en')} tokens were not read from the prompt cache but processed anew, ${price}. ${reasonText(miss)}`;
  }

  /** What the same answer would have cost with these tokens from the cache. */
  #extraUsd(miss: CacheMiss, asked: RequestLook, usage: Usage): number | null {
    const { cost } = this.#parts;
    const date = new Date(asked.sentAt);
    const { input, cacheRead, cacheWrite5m, cacheWrite1h } = amountsOf(usage);
    const written = Math.min(miss.tokens, cacheWrite5m);
    const fresh = Math.min(miss.tokens - written, input);
    const plain = { input_tokens: input, output_tokens: 0, speed: usage.speed, service_tier: usage.service_tier, inference_geo: usage['inference_geo'] };
    const write = (tokens: number) => ({ ephemeral_5m_input_tokens: tokens, ephemeral_1h_input_tokens: cacheWrite1h });
    const paid = cost.price({ ...plain, cache_creation: write(cacheWrite5m), cache_read_input_tokens: cacheRead }, asked.model, date);
    const warm = cost.price({ ...plain, input_tokens: input - fresh, cache_creation: write(cacheWrite5m - written), cache_read_input_tokens: cacheRead + written + fresh }, asked.model, date);
    return paid === null || warm === null ? null : paid - warm;
  }

  #reminder(): string | undefined {
    const passed = this.#passed();
    if (passed <= this.#reminders) return undefined;
    this.#reminders = passed;
    const { totalCostUsd, knownCostUsd, modelUsage } = this.#parts.cost.summary();
    const unknown = totalCostUsd === null ? ', not counting models whose price is not known' : '';
    return `A reminder: this session has cost ${formatUsd(knownCostUsd)}${billingNote(Object.keys(modelUsage))} so far${unknown}. It goes on; /cost says what for. The next reminder comes at ${formatUsd((passed + 1) * this.#parts.reminderUsd!)}.`;
  }

  /** How many times the reminder's amount was spent. */
  #passed(): number {
    const { cost, reminderUsd } = this.#parts;
    // A hair less than the amount, by the way numbers are kept, is the amount.
    return reminderUsd !== undefined && reminderUsd > 0 ? Math.floor(cost.summary().knownCostUsd / reminderUsd + 1e-9) : 0;
  }
}

function reasonText({ why, idleMs }: CacheMiss): string {
  switch (why) {
    case 'model':
      return 'Another model answered: each has a cache of its own.';
    case 'tools':
      return 'The tools have changed since the last request, and the cache begins with them.';
    case 'instructions':
      return 'The system instructions have changed since the last request.';
    case 'idle':
      return `The last request was ${plural(Math.round(idleMs / 60_000), 'minute')} ago, and the server keeps a prompt for ${CACHE_TTL_MS / 60_000}.`;
    case 'reasoning':
      return 'Thinking or effort was changed since the last request.';
    case 'unknown':
      return 'What was sent began exactly as before, so the server must have dropped it early.';
  }
}
