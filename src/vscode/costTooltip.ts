import { billingNote } from '../base/demoModel.ts';
import { formatSeconds } from '../base/formatSeconds.ts';
import { formatLeastUsd, formatUsd } from '../base/formatUsd.ts';
import { unreportedText } from '../base/unreportedText.ts';
import type { CostLine, CostSummary, NextRequest } from '../sdk/index.ts';

export interface CostFacts {
  readonly cost: CostSummary;
  readonly nextRequest: NextRequest;
  /** Which the next request goes to. */
  readonly model: string;
  readonly contextUse: { readonly used: number; readonly window: number };
}

/** Markdown: a row per model, what the next request would cost, and the rest. `now` in milliseconds since 1970. */
export function costTooltip({ cost, nextRequest, model: next, contextUse }: CostFacts, now: number): string {
  const rows = Object.entries(cost.modelUsage).map(([model, usage]) => {
    const written = usage.cacheCreation5mInputTokens + usage.cacheCreation1hInputTokens;
    const cells = [usage.inputTokens, usage.outputTokens, written, usage.cacheReadInputTokens].map(count);
    return `| ${model} | ${cells.join(' | ')} | ${formatUsd(usage.costUSD)}${billingNote([model])} |`;
  });
  const table = ['| Model | Input | Output | Cache written | Cache read | Cost |', '|:--|--:|--:|--:|--:|--:|', ...rows].join('\n');
  return [
    `**Turnstone, this session: ${sessionCost(cost)}${billingNote(Object.keys(cost.modelUsage))}**`,
    ...(cost.unreported ? [unreportedText(cost.unreported)] : []),
    rows.length > 0 ? table : 'Nothing was sent yet.',
    ...purposesText(cost.lines),
    ...(rows.length > 0 ? [nextText(nextRequest, now) + billingNote([next])] : []),
    [`Context: ${count(contextUse.used)} of ${count(contextUse.window)} tokens`, `Lines: +${count(cost.linesAdded)} −${count(cost.linesRemoved)}`].join(' · '),
    timesText(cost),
  ].join('\n\n');
}

/** A lower bound is told as one. */
export function sessionCost({ totalCostUsd, unreported }: Pick<CostSummary, 'totalCostUsd' | 'unreported'>): string {
  return unreported ? formatLeastUsd(totalCostUsd) : formatUsd(totalCostUsd);
}

/** Until this moment the tooltip stays true; undefined: until something happens. Milliseconds since 1970. */
export function trueUntil({ warmUntil }: NextRequest, now: number): number | undefined {
  if (warmUntil === undefined || warmUntil <= now) return undefined;
  const minutes = minutesLeft(warmUntil, now);
  return minutes <= 1 ? warmUntil : warmUntil - (minutes - 1) * 60_000;
}

const purposes: readonly (readonly [what: string, (line: CostLine) => boolean])[] = [
  ['answers asked for again', ({ purpose }) => purpose === 'retry'],
  ['sub-agents', ({ purpose }) => purpose === 'subAgent'],
  ['titles and summaries', ({ purpose }) => purpose === 'title' || purpose === 'summary'],
  ['web pages', ({ purpose }) => purpose === 'webPage'],
];

function purposesText(lines: readonly CostLine[]): string[] {
  const parts = purposes.flatMap(([what, belongs]) => {
    const own = lines.filter(belongs);
    if (own.length === 0) return [];
    const usd = own.reduce<number | null>((sum, line) => (sum === null || line.usd === null ? null : Object.values(line.usd).reduce((a, b) => a + b, sum)), 0);
    return [`${what} ${formatUsd(usd)}`];
  });
  return parts.length > 0 ? [`Of it: ${parts.join(', ')}`] : [];
}

function nextText({ tokens, cachedTokens, warmUntil, warmUsd, coldUsd }: NextRequest, now: number): string {
  const what = `Next request: about ${count(tokens)} tokens before it is answered`;
  if (coldUsd === null || warmUsd === null) return `${what}, price unknown`;
  if (warmUntil === undefined || warmUntil <= now) return `${what}, ${formatUsd(coldUsd)}. Nothing of it is known to be in the prompt cache`;
  const minutes = minutesLeft(warmUntil, now);
  const left = minutes <= 1 ? 'less than a minute' : `${minutes} minutes`;
  return `${what}, ${formatUsd(warmUsd)} while ${count(cachedTokens)} of them are in the prompt cache (${left} more), ${formatUsd(coldUsd)} after that`;
}

function timesText({ turnDurationMs, apiDurationMs, apiDurationWithoutRetriesMs, toolDurationMs }: CostSummary): string {
  const waited = formatSeconds(apiDurationMs) !== formatSeconds(apiDurationWithoutRetriesMs) ? ` (${formatSeconds(apiDurationWithoutRetriesMs)} without failed attempts)` : '';
  return `Turns ${formatSeconds(turnDurationMs)} · model ${formatSeconds(apiDurationMs)}${waited} · tools ${formatSeconds(toolDurationMs)}`;
}

/** Begun minutes count. */
function minutesLeft(until: number, now: number): number {
  return Math.ceil((until - now) / 60_000);
}

function count(amount: number): string {
  return amount.toLocaleString('en');
}
