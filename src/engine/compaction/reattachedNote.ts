import { cutText } from '../../base/text.ts';
import type { SessionMessage } from '../../protocol/messages.ts';
import { textOf } from '../../protocol/contentBlocks.ts';
import type { ReadFileState } from '../tools/readFileState.ts';
import { splitLines } from '../text/lineEndings.ts';
import { numberedLine } from '../tools/snippet.ts';
import { isContextNote } from './contextCollapse.ts';
import { toolCallsOf } from './toolCalls.ts';

/** Files told anew, and tokens for each. */
const maxFiles = 5;
const tokensPerFile = 5_000;
const charactersPerToken = 3.5;

export interface ReattachFacts {
  /** The conversation before the compaction, and what is left of it. */
  readonly before: readonly SessionMessage[];
  readonly after: readonly SessionMessage[];
  readonly readFileState: ReadFileState;
  /** Tokens for all files together. */
  readonly budget: number;
}

/**
 * What the model has to be told anew after a compaction: the files that it read last, as it knows them, and the newest
 * of each instruction and fact of the environment. Undefined when there is nothing.
 */
export function reattachedNote(facts: ReattachFacts): string | undefined {
  const parts = [...fileTexts(facts), ...contextParts(facts)];
  return parts.length === 0 ? undefined : parts.join('\n');
}

function fileTexts({ after, readFileState, budget }: ReattachFacts): string[] {
  const shown = pathsRead(after);
  let left = Math.floor(budget * charactersPerToken);
  const texts: string[] = [];
  for (const { path, seen } of readFileState.list().toReversed()) {
    if (texts.length >= maxFiles || left <= 0) break;
    if (seen.text === undefined || seen.announcedHash !== undefined || shown.some((each) => path.endsWith(each))) continue;
    const text = cutText(linesOf(seen.text, seen.range), Math.min(left, Math.floor(tokensPerFile * charactersPerToken)));
    left -= text.length;
    texts.push(`<file path="${path}">\n${text}\n</file>`);
  }
  return texts.length === 0 ? [] : ['Of the files that were read before the conversation was shortened, these are the newest (long ones only in part):', ...texts.toReversed()];
}

function linesOf(text: string, range: { readonly firstLine: number; readonly lineCount: number } | undefined): string {
  const lines = splitLines(text).map((line) => line.content);
  const first = range?.firstLine ?? 1;
  return lines.slice(first - 1, range ? first - 1 + range.lineCount : undefined).map((line, index) => numberedLine(first + index, line)).join('\n');
}

function pathsRead(messages: readonly SessionMessage[]): string[] {
  return [...toolCallsOf(messages).values()].filter((call) => call.name === 'Read').map((call) => String(call.input['file_path']).replace(/^\.\//, ''));
}

/** Told in the very form in which the session tells them, so that it knows that they have been. */
function contextParts({ before, after }: ReattachFacts): string[] {
  const kept = partsIn(after);
  return [...partsIn(before)].filter(([name]) => !kept.has(name)).map(([, part]) => part);
}

function partsIn(messages: readonly SessionMessage[]): Map<string, string> {
  const parts = new Map<string, string>();
  for (const message of messages) {
    if (!isContextNote(message)) continue;
    for (const match of textOf(message.message.content).matchAll(/<context name="([^"]+)">\n[\s\S]*?\n<\/context>/g)) parts.set(match[1]!, match[0]);
  }
  return parts;
}
