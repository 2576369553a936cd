import * as z from 'zod';
import { isJsonObject } from '../../base/json.ts';
import type { Usage } from '../../protocol/usage.ts';
import { amountsOf } from './charges.ts';

/** How long the server keeps a prompt's prefix that is not used: the API's default for cache marks. In milliseconds. */
export const CACHE_TTL_MS = 5 * 60_000;

/** What a request looks like to the prompt cache: whatever differs here makes the server begin anew. */
export interface RequestLook {
  readonly model: string;
  /** When it was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  /** Fingerprints. */
  readonly tools: string;
  readonly system: string;
  readonly reasoning: string;
}

/** The beginning of the conversation that the server has in its cache. */
export interface KeptPrefix extends RequestLook {
  readonly tokens: number;
}

export interface CacheMiss {
  /** Tokens that were expected from the cache and were not. */
  readonly tokens: number;
  readonly why: 'model' | 'tools' | 'instructions' | 'idle' | 'reasoning' | 'unknown';
  /** Since the prefix was used last, in milliseconds. */
  readonly idleMs: number;
}

const keptSchema = z.lazy(() => z.object({ model: z.string(), sentAt: z.number(), tools: z.string(), system: z.string(), reasoning: z.string(), tokens: z.number().nonnegative() })) satisfies z.ZodType<KeptPrefix>;

/** Undefined for what is no {@link KeptPrefix}. */
export function keptPrefix(json: unknown): KeptPrefix | undefined {
  return keptSchema.safeParse(json).data;
}

export function lookOf(request: { readonly model: string; readonly [field: string]: unknown }, sentAt: number): RequestLook {
  const { model, tools, system, thinking, output_config: output } = request;
  return { model, sentAt, tools: fingerprintOnce(tools), system: fingerprintOnce(system), reasoning: fingerprint([thinking, output]) };
}

/**
 * What the server keeps after this answer; undefined where its count does not say: between calls of its own tools it sums
 * up what several passes have read.
 */
export function keptAfter(look: RequestLook, usage: Usage): KeptPrefix | undefined {
  const passes = Array.isArray(usage['iterations']) ? usage['iterations'].filter(isJsonObject) : [];
  const last = passes.findLast(({ type }) => type === 'message' || type === 'fallback_message') as Usage | undefined;
  const searches = Object.values(usage.server_tool_use ?? {}).some((count) => typeof count === 'number' && count > 0);
  if (last === undefined && searches) return undefined;
  const { cacheRead, cacheWrite5m, cacheWrite1h } = amountsOf(last ?? usage);
  return { ...look, tokens: cacheRead + cacheWrite5m + cacheWrite1h };
}

/** Below this many tokens a difference is how the server rounds to the blocks that it keeps. */
const leastMiss = 2_000;

/** Whether the answer had to read anew what was kept, and the likeliest reason. Pure. */
export function judgeCache(kept: KeptPrefix, asked: RequestLook, usage: Usage): CacheMiss | undefined {
  const tokens = kept.tokens - amountsOf(usage).cacheRead;
  if (tokens < Math.max(leastMiss, kept.tokens * 0.05)) return undefined;
  const idleMs = Math.max(0, asked.sentAt - kept.sentAt);
  return { tokens, idleMs, why: whyMissed(kept, asked, idleMs) };
}

function whyMissed(kept: KeptPrefix, asked: RequestLook, idleMs: number): CacheMiss['why'] {
  if (kept.model !== asked.model) return 'model';
  if (kept.tools !== asked.tools) return 'tools';
  if (kept.system !== asked.system) return 'instructions';
  if (idleMs > CACHE_TTL_MS) return 'idle';
  return kept.reasoning === asked.reasoning ? 'unknown' : 'reasoning';
}

const fingerprints = new WeakMap<object, string>();

/** Of something that is never changed. */
function fingerprintOnce(value: unknown): string {
  if (typeof value !== 'object' || value === null) return fingerprint(value);
  let known = fingerprints.get(value);
  if (known === undefined) fingerprints.set(value, (known = fingerprint(value)));
  return known;
}

/** FNV-1a of its JSON, in hex: enough to see that something differs. */
function fingerprint(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16);
}
