import { isJsonObject } from '../../base/json.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Usage } from '../../protocol/usage.ts';
import type { CostEntry } from './costTracker.ts';

/**
 * What the answers in these lines of a transcript have used, each API message once, with the usage that its last line
 * says. Answers that we or another tool made up, and lines without usage, cost nothing and are left out. What was taken
 * back stays paid for. Older writers kept the usage from the beginning of an answer: then the figure is a lower bound.
 */
export function costEntries(lines: Iterable<JsonObject>, withdrawn: ReadonlySet<string> = new Set()): CostEntry[] {
  const entries = new Map<string, CostEntry>();
  for (const line of lines) {
    const entry = line['type'] === 'assistant' && line['isApiErrorMessage'] !== true ? entryOf(line, withdrawn) : undefined;
    if (entry) entries.set(entry.messageId, entry);
  }
  return [...entries.values()];
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
