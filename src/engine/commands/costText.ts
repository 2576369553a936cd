import { billingWords, isPretendPrice } from '../../base/demoModel.ts';
import { formatSeconds } from '../../base/formatSeconds.ts';
import { formatUsd, formatUsdExactly } from '../../base/formatUsd.ts';
import { plural } from '../../base/text.ts';
import { unreportedText } from '../../base/unreportedText.ts';
import type { AnswerSpeed } from '../../protocol/usage.ts';
import { addAmounts, totalUsd } from '../cost/charges.ts';
import type { Amounts } from '../cost/charges.ts';
import type { CostLine, CostPurpose, CostSummary } from '../cost/costSummary.ts';

/** Where the money of a session went: by model, by what the request was for, by kind of token. The lines add up to the total. */
export function costText(cost: CostSummary, lastAnswer?: AnswerSpeed): string {
  const models = Object.keys(cost.modelUsage);
  return [
    models.length === 0 ? 'This session has cost nothing yet: no request was answered.' : totalText(cost),
    ...(cost.unreported ? [unreportedText(cost.unreported)] : []),
    ...models.flatMap((model) => modelLines(model, cost)),
    ...(models.length === 0 ? [] : ['', ...speedText(lastAnswer), timesText(cost)]),
    ...(cost.linesAdded + cost.linesRemoved > 0 ? [`Lines of files: ${count(cost.linesAdded)} added, ${count(cost.linesRemoved)} removed.`] : []),
    ...inheritedText(cost),
  ].join('\n');
}

function totalText({ totalCostUsd, knownCostUsd, modelUsage, unreported }: CostSummary): string {
  const atLeast = unreported ? 'at least ' : '';
  const details = [totalCostUsd !== null && totalCostUsd > 0 ? formatUsdExactly(totalCostUsd) : '', billingWords(Object.keys(modelUsage))].filter(Boolean);
  if (totalCostUsd !== null) return `This session has cost ${atLeast}${formatUsd(totalCostUsd)}${details.length > 0 ? ` (${details.join(', ')})` : ''}.`;
  const unknown = Object.keys(modelUsage).filter((model) => modelUsage[model]!.costUSD === null);
  return `This session has cost ${atLeast}${formatUsdExactly(knownCostUsd)} and what ${unknown.join(', ')} costs, for which no price is known. Prices of your own can be set: turnstone.prices in the settings, --prices on the command line.`;
}

function modelLines(model: string, { modelUsage, lines }: CostSummary): string[] {
  const pretend = isPretendPrice(model) ? ' (for show: nobody is billed)' : '';
  const own = lines.filter((line) => line.model === model);
  return ['', `${model}: ${formatUsdExactly(modelUsage[model]!.costUSD)}${pretend}`, ...own.flatMap((line) => [`  ${purposeText(line)}`, ...kinds(line)])];
}

const purposes: { readonly [purpose in CostPurpose]: string } = {
  answer: 'answers',
  retry: 'answers that were taken back and asked for again, as far as the server counted them',
  subAgent: 'sub-agents',
  title: 'titles',
  summary: 'summaries of the conversation',
  webPage: 'web pages read by a small model',
};

function purposeText({ purpose, requests, usd }: CostLine): string {
  // A model that only helped another one's answer along has no answer of its own.
  const how = requests > 0 ? plural(requests, 'request') : 'within answers of another model';
  return `${purposes[purpose]}, ${how}: ${formatUsdExactly(usd && totalUsd(usd))}`;
}

const kindNames: { readonly [kind in keyof Amounts]: string } = {
  input: 'input',
  output: 'output',
  cacheWrite5m: 'written to the cache for 5 minutes',
  cacheWrite1h: 'written to the cache for 1 hour',
  cacheRead: 'read from the cache',
  webSearches: 'web searches',
};

function kinds({ amounts, usd }: CostLine): string[] {
  const used = (Object.keys(kindNames) as (keyof Amounts)[]).filter((kind) => amounts[kind] > 0);
  return used.map((kind) => `    ${count(amounts[kind])} ${kindNames[kind]}${usd ? `: ${formatUsdExactly(usd[kind])}` : ''}`);
}

function speedText(lastAnswer: AnswerSpeed | undefined): string[] {
  if (typeof lastAnswer?.time_to_first_token_ms !== 'number') return [];
  const pace = lastAnswer.output_tokens_per_second;
  return [`The newest answer began ${lastAnswer.time_to_first_token_ms < 50 ? 'at once' : `after ${formatSeconds(lastAnswer.time_to_first_token_ms)}`}${pace === null ? '' : ` and came at ${Math.round(pace)} tokens a second`}.`];
}

function timesText({ apiDurationMs, apiDurationWithoutRetriesMs, toolDurationMs, turnDurationMs, lines }: CostSummary): string {
  const waited = formatSeconds(apiDurationMs) !== formatSeconds(apiDurationWithoutRetriesMs) ? `, ${formatSeconds(apiDurationWithoutRetriesMs)} without failed attempts` : '';
  const { cacheRead, input, cacheWrite5m, cacheWrite1h } = lines.map(({ amounts }) => amounts).reduce((a, b) => addAmounts(a, b));
  const prompt = cacheRead + input + cacheWrite5m + cacheWrite1h;
  const share = prompt > 0 ? ` ${Math.round((cacheRead / prompt) * 100)} % of all prompts came from the cache.` : '';
  return `Time: turns ${formatSeconds(turnDurationMs)}; of it the model ${formatSeconds(apiDurationMs)}${waited}, tools ${formatSeconds(toolDurationMs)}.${share}`;
}

function inheritedText({ inherited }: CostSummary): string[] {
  if (!inherited) return [];
  const { sessionId, usd } = inherited;
  return [`Not counted here: the conversation that this fork began with. Its answers were paid for in session ${sessionId}${usd === null ? '' : `: ${formatUsdExactly(usd)}`}.`];
}

function count(amount: number): string {
  return amount.toLocaleString('en');
}
