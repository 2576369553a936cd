import type { CostSummary } from '../../engine/ports.ts';

/** A figure of a counter: how much it has grown, under which attributes. */
export interface Growth {
  readonly value: number;
  readonly attributes: { readonly [name: string]: string };
}

/** What sessions have added to each counter. Dollars, tokens, searches, lines, seconds. */
export interface CostGrowth {
  readonly cost: readonly Growth[];
  readonly tokens: readonly Growth[];
  readonly searches: readonly Growth[];
  readonly lines: readonly Growth[];
  readonly time: readonly Growth[];
}

/** What came to a session's cost since `before`, which is counted already. A price that is not known adds no dollars. */
export function costGrowth(before: CostSummary, now: CostSummary): CostGrowth {
  const earlier = new Map(before.lines.map((line) => [`${line.purpose} ${line.model}`, line]));
  const growth = { cost: [] as Growth[], tokens: [] as Growth[], searches: [] as Growth[] };
  for (const { model, purpose, amounts, usd } of now.lines) {
    const known = earlier.get(`${purpose} ${model}`);
    const { webSearches, ...tokens } = amounts;
    const attributes = { 'gen_ai.request.model': model, 'turnstone.purpose': purpose };
    if (usd !== null) growth.cost.push({ value: picoDollars(sum(usd) - (known?.usd ? sum(known.usd) : 0)), attributes });
    growth.searches.push({ value: webSearches - (known?.amounts.webSearches ?? 0), attributes });
    for (const [kind, count] of Object.entries(tokens)) growth.tokens.push({ value: count - (known?.amounts[kind as keyof typeof tokens] ?? 0), attributes: { ...attributes, 'gen_ai.token.type': tokenTypes[kind as keyof typeof tokens] } });
  }
  return {
    ...growth,
    lines: [
      { value: now.linesAdded - before.linesAdded, attributes: { type: 'added' } },
      { value: now.linesRemoved - before.linesRemoved, attributes: { type: 'removed' } },
    ],
    time: [
      { value: (now.turnDurationMs - before.turnDurationMs) / 1000, attributes: { type: 'turns' } },
      { value: (now.apiDurationMs - before.apiDurationMs) / 1000, attributes: { type: 'model' } },
      { value: (now.apiDurationWithoutRetriesMs - before.apiDurationWithoutRetriesMs) / 1000, attributes: { type: 'model_without_retries' } },
      { value: (now.toolDurationMs - before.toolDurationMs) / 1000, attributes: { type: 'tools' } },
    ],
  };
}

/** Adds up what several sessions have, by attributes; what is nothing is left out. */
export function mergeGrowth(all: readonly (readonly Growth[])[]): Growth[] {
  const merged = new Map<string, Growth>();
  for (const growth of all.flat()) {
    const key = JSON.stringify(growth.attributes);
    merged.set(key, { attributes: growth.attributes, value: growth.value + (merged.get(key)?.value ?? 0) });
  }
  return [...merged.values()].filter(({ value }) => value > 0);
}

const tokenTypes = { input: 'input', output: 'output', cacheWrite5m: 'cache_write_5m', cacheWrite1h: 'cache_write_1h', cacheRead: 'cache_read' } as const;

function sum(usd: object): number {
  return Object.values(usd).reduce((all: number, each: number) => all + each, 0);
}

/** Without what the way numbers are kept adds. */
function picoDollars(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}
