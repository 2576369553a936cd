import { isJsonObject } from '../../base/json.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Usage } from '../../protocol/usage.ts';
import { chargeLineSchema } from '../../protocol/transcript.ts';
import { costPurpose } from './costSummary.ts';
import type { CostEntry } from './costTracker.ts';
import { outputTokensIn } from './unreportedUse.ts';

/**
 * What the answers and charges in these lines of a transcript have used, each API message once, with the usage that its last line
 * says; a charge counts until the lines of its answer come. Answers that we or another tool made up, and lines without usage, cost nothing and are left out. What was taken
 * back stays paid for. Older writers kept the usage from the beginning of an answer: then the figure is a lower bound.
 */
export function costEntries(lines: Iterable<JsonObject>, withdrawn: ReadonlySet<string> = new Set()): CostEntry[] {
  const entries = new Map<string, CostEntry>();
  for (const line of lines) {
    if (line['type'] === 'charge') {
      const charge = chargeOf(line);
      if (charge) entries.set(charge.messageId, charge);
      continue;
    }
    const entry = line['type'] === 'assistant' && line['isApiErrorMessage'] !== true ? entryOf(line, withdrawn) : undefined;
    if (!entry) continue;
    entries.set(entry.messageId, isCut(line, entries.get(entry.messageId)) ? cutAfter(line, entry, entries.get(entry.messageId)) : entry);
  }
  return [...entries.values()];
}

function chargeOf(line: JsonObject): CostEntry | undefined {
  const parsed = chargeLineSchema.safeParse(line);
  if (!parsed.success) return undefined;
  const { messageId, model, purpose, state, receivedTokens, timestamp } = parsed.data;
  // The process that was to hear its end is gone.
  return { messageId, model, usage: line['usage'] as Usage, date: new Date(timestamp), purpose: costPurpose(purpose), ...(state && { state: 'cut', receivedTokens: receivedTokens ?? 0 }) };
}

/** Its beginning was charged, and its lines say nothing of an end; other tools leave that out of whole answers, too. */
function isCut(line: JsonObject, known: CostEntry | undefined): boolean {
  return line['isCutOff'] === true || (known?.state === 'cut' && (line['message'] as JsonObject)['stop_reason'] === null);
}

/** What came stands in its lines. */
function cutAfter({ message }: JsonObject, entry: CostEntry, known: CostEntry | undefined): CostEntry {
  const length = JSON.stringify((message as JsonObject)['content']).length;
  return { ...entry, state: 'cut', receivedTokens: (known?.receivedTokens ?? 0) + outputTokensIn(length) };
}

function entryOf(line: JsonObject, withdrawn: ReadonlySet<string>): CostEntry | undefined {
  const { message, uuid, timestamp, isSidechain } = line;
  if (!isJsonObject(message) || !isUsage(message['usage']) || message['model'] === '<synthetic>') return undefined;
  return {
    messageId: typeof message['id'] === 'string' ? message['id'] : String(uuid),
    model: typeof message['model'] === 'string' ? message['model'] : 'unknown model',
    usage: message['usage'],
    date: new Date(typeof timestamp === 'string' ? timestamp : Number.NaN),
    purpose: withdrawn.has(String(uuid)) ? 'retry' : isSidechain === true ? 'subAgent' : 'answer',
  };
}

function isUsage(usage: unknown): usage is Usage {
  return isJsonObject(usage) && typeof usage['input_tokens'] === 'number' && typeof usage['output_tokens'] === 'number';
}
