import { isBlock } from '../../protocol/contentBlocks.ts';
import type { ToolResultBlock } from '../../protocol/contentBlocks.ts';
import type { SDKUserMessage, SessionMessage } from '../../protocol/messages.ts';
import { cutText, cutTextStart } from '../../base/text.ts';
import { joinPath } from '../transcript/transcriptPath.ts';
import { resultText, toolResultsOf, withContent } from './toolCalls.ts';
import type { ToolCalls } from './toolCalls.ts';

/** UTF-16 units of one result that reach the model. Read names its own limit, because what it gives is what was asked for. */
const defaultLimit = 40_000;
/** None is below the default. */
const limits: { readonly [tool: string]: number } = { Read: 100_000 };
/** Of all results between two answers together: ten calls side by side must not fill the window. */
const groupLimit = 240_000;
/** Smaller results are not worth a file. */
const smallest = 8_000;
const previewStart = 3_000;
const previewEnd = 1_000;

/** A result that is kept in a file; the model sees its beginning, its end and the path. */
export interface StoredResult {
  readonly path: string;
  readonly text: string;
}

export interface BudgetedMessages {
  readonly messages: readonly SessionMessage[];
  /** Every result that has to be in a file, also those that have been for long. */
  readonly stored: readonly StoredResult[];
}

/**
 * Stage 1: results over their limit are replaced by a preview. Decided from the results alone, so that the
 * same conversation always gives the same bytes, also after a resume. `folder` takes the files.
 */
export function applyResultBudget(messages: readonly SessionMessage[], calls: ToolCalls, folder: string): BudgetedMessages {
  const stored: StoredResult[] = [];
  const budgeted: SessionMessage[] = [];
  for (let start = 0; start < messages.length; ) {
    let end = start + 1;
    if (messages[start]!.type === 'user') while (messages[end]?.type === 'user') end++;
    // Nearly always there is nothing to choose from: this runs over the whole conversation before each request.
    const tooLarge = resultsSize(messages, start, end) <= defaultLimit ? nothing : chooseTooLarge(messages.slice(start, end), calls);
    for (; start < end; start++) {
      const message = messages[start]!;
      budgeted.push(tooLarge.size === 0 || message.type !== 'user' ? message : shorten(message, { tooLarge, folder, stored }));
    }
  }
  return stored.length === 0 ? { messages, stored } : { messages: budgeted, stored };
}

const nothing: ReadonlySet<string> = new Set();

/** Of all results from one message up to another together: what is not over any single limit is over none. */
function resultsSize(messages: readonly SessionMessage[], start: number, end: number): number {
  let size = 0;
  for (let index = start; index < end; index++) {
    const message = messages[index]!;
    if (message.type !== 'user' || typeof message.message.content === 'string') continue;
    for (const block of message.message.content) if (isBlock(block, 'tool_result')) size += textSize(block);
  }
  return size;
}

/** Ids of results to shorten: each over its own limit, then the largest until all together fit. */
function chooseTooLarge(group: readonly SessionMessage[], calls: ToolCalls): ReadonlySet<string> {
  const sizes = group.flatMap(toolResultsOf).map((block) => ({ id: block.tool_use_id, size: textSize(block) }));
  const tooLarge = new Set(sizes.filter(({ id, size }) => size > (limits[calls.get(id)?.name ?? ''] ?? defaultLimit)).map(({ id }) => id));
  const rest = sizes.filter(({ id }) => !tooLarge.has(id)).sort((one, other) => other.size - one.size);
  let total = rest.reduce((sum, { size }) => sum + size, 0);
  for (const { id, size } of rest) {
    if (total <= groupLimit || size < smallest) break;
    tooLarge.add(id);
    total -= size;
  }
  return tooLarge;
}

function textSize({ content }: ToolResultBlock): number {
  if (content === undefined || typeof content === 'string') return content?.length ?? 0;
  return content.reduce((sum, part) => sum + (isBlock(part, 'text') ? part.text.length : 0), 0);
}

interface Shortening {
  readonly tooLarge: ReadonlySet<string>;
  readonly folder: string;
  readonly stored: StoredResult[];
}

/** What was made of a message before, so that it stays the same object. */
const made = new WeakMap<SDKUserMessage, { readonly key: string; readonly message: SDKUserMessage; readonly stored: readonly StoredResult[] }>();

function shorten(message: SDKUserMessage, { tooLarge, folder, stored }: Shortening): SDKUserMessage {
  const ids = toolResultsOf(message).map((block) => block.tool_use_id).filter((id) => tooLarge.has(id));
  if (ids.length === 0 || typeof message.message.content === 'string') return message;
  const key = [folder, ...ids].join('\n');
  let known = made.get(message);
  if (known?.key !== key) {
    const files: StoredResult[] = [];
    const content = message.message.content.map((block) => {
      if (!isBlock(block, 'tool_result') || !tooLarge.has(block.tool_use_id)) return block;
      const file = { path: joinPath(folder, `${fileName(block.tool_use_id)}.txt`), text: resultText(block) };
      files.push(file);
      return previewOf(block, file);
    });
    made.set(message, (known = { key, message: withContent(message, content), stored: files }));
  }
  stored.push(...known.stored);
  return known.message;
}

function previewOf(block: ToolResultBlock, { path, text }: StoredResult): ToolResultBlock {
  const images = typeof block.content === 'string' ? [] : (block.content ?? []).filter((part) => !isBlock(part, 'text'));
  const preview = [
    `(This result has ${text.length} characters, too many to be shown at once. All of it is in ${path}: read parts of that file with offset and limit, or search it with Grep.)`,
    cutText(text, previewStart),
    '[…]',
    cutTextStart(text, previewEnd),
  ].join('\n');
  return { ...block, content: images.length === 0 ? preview : [{ type: 'text', text: preview }, ...images] };
}

/** Ids come from the server: whatever could leave the folder is no part of a name. */
function fileName(id: string): string {
  return id.replace(/[^\w-]/g, '_').slice(0, 120) || 'result';
}
