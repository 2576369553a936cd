import { isBlock, textOf } from '../../protocol/contentBlocks.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import type { ApiFailure } from '../../protocol/apiFailure.ts';
import { pairServerCalls } from '../serverCalls.ts';
import type { WireMessage } from './promptCache.ts';

/**
 * What a server does not take back of the answers it has given, or a gateway before it: `type.field` for a field of all
 * blocks of a type, `type` for all blocks of it, `#hash` for one block of a kind that no conversation can do without.
 */
export type RefusedPart = string;

export type HashBlock = (block: ContentBlock) => string;

/** Of blocks that an answer consists of, so that only the very one that was refused is left out. */
const indispensable = new Set(['text', 'tool_use']);
const essentialFields: { readonly [type: string]: readonly string[] } = { text: ['text'], tool_use: ['id', 'name', 'input'], server_tool_use: ['id', 'name', 'input'] };

/** The block of an earlier answer that the error names, by its place in the request. */
export function refusedAnswerBlock({ message }: ApiFailure, messages: readonly WireMessage[]): { readonly block: ContentBlock; readonly field: string | undefined } | undefined {
  const place = /messages\.(\d+)\.content\.(\d+)((?:\.\w+)*)/.exec(message);
  const named = place && messages[Number(place[1])];
  if (!place || named?.role !== 'assistant') return undefined;
  const block = named.content[Number(place[2])] as ContentBlock | undefined;
  if (!block) return undefined;
  const path = place[3]!.split('.').filter(Boolean);
  return { block, field: path[0] === block.type ? path[1] : path[0] };
}

export function refusedPart(block: ContentBlock, field: string | undefined, hash: HashBlock): RefusedPart {
  const essential = ['type', 'tool_use_id', 'content', ...(essentialFields[block.type] ?? [])];
  if (field !== undefined && block[field] !== undefined && !essential.includes(field)) return `${block.type}.${field}`;
  return indispensable.has(block.type) ? `#${hash(block)}` : block.type;
}

/** The messages without those parts. Where that leaves an answer nothing to say, `note` stands in its place. */
export function withoutParts(messages: readonly WireMessage[], parts: ReadonlyMap<RefusedPart, string>, hash: HashBlock): WireMessage[] {
  const lost = new Set<string>();
  return messages.map((message, index) => {
    const content = message.content as readonly ContentBlock[];
    if (message.role === 'user') return { ...message, content: withResultsAsText(content, lost) };
    lost.clear();
    let note: string | undefined;
    const kept = content.flatMap((block) => {
      const refused = parts.get(block.type) ?? parts.get(`#${hash(block)}`);
      if (refused === undefined) return [withoutFields(block, parts)];
      note = refused;
      if (isBlock(block, 'tool_use')) lost.add(block.id);
      return [];
    });
    if (note === undefined) return { ...message, content: kept };
    const paired = pairServerCalls(kept, index === messages.length - 1);
    const saysSomething = paired.length > 0 && !paired.at(-1)!.type.endsWith('thinking');
    return { ...message, content: saysSomething ? paired : [...paired, { type: 'text', text: note }] };
  });
}

function withoutFields(block: ContentBlock, parts: ReadonlyMap<RefusedPart, string>): ContentBlock {
  const fields = Object.entries(block);
  const kept = fields.filter(([field]) => !parts.has(`${block.type}.${field}`));
  return kept.length === fields.length ? block : (Object.fromEntries(kept) as ContentBlock);
}

/** A result whose call is left out can only be told in words, behind the results that answer calls. */
function withResultsAsText(content: readonly ContentBlock[], lost: ReadonlySet<string>): readonly ContentBlock[] {
  const isLost = (block: ContentBlock): boolean => isBlock(block, 'tool_result') && lost.has(block.tool_use_id);
  if (!content.some(isLost)) return content;
  const told = content.flatMap((block): ContentBlock[] => (isBlock(block, 'tool_result') && isLost(block) ? [{ type: 'text', text: `[Result of a call that was left out]\n${textOf((block.content ?? '') as string)}` }] : []));
  const results = content.filter((block) => isBlock(block, 'tool_result') && !isLost(block));
  return [...results, ...told, ...content.filter((block) => !isBlock(block, 'tool_result'))];
}
