/**
 * Content blocks of the Messages API, as they travel and as they are kept. Only the fields that we read are named;
 * whatever else a block carries is kept as it came (`[extra: string]: unknown`).
 */
export interface CacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: '5m' | '1h' | undefined;
}

interface BlockExtras {
  readonly cache_control?: CacheControl | undefined;
  readonly [extra: string]: unknown;
}

export interface TextBlock extends BlockExtras {
  readonly type: 'text';
  readonly text: string;
}

export interface ImageBlock extends BlockExtras {
  readonly type: 'image';
  readonly source:
    | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
    | { readonly type: 'url'; readonly url: string };
}

export interface DocumentBlock extends BlockExtras {
  readonly type: 'document';
  readonly source: { readonly type: string; readonly [extra: string]: unknown };
}

export interface ThinkingBlock extends BlockExtras {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}

export interface RedactedThinkingBlock extends BlockExtras {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

export interface ToolUseBlock extends BlockExtras {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: { readonly [field: string]: unknown };
}

export interface ToolResultBlock extends BlockExtras {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly (TextBlock | ImageBlock)[] | undefined;
  readonly is_error?: boolean | undefined;
}

/** Server tools, citations, compaction, fallback and whatever comes next: kept, replayed, not interpreted. */
export interface OtherBlock extends BlockExtras {
  readonly type: OtherBlockType;
}
type OtherBlockType = string & { readonly other?: never };

export type KnownBlock =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock;

export type ContentBlock = KnownBlock | OtherBlock;

/** Narrows a block by its type; needed because an unknown type may be any string. */
export function isBlock<T extends KnownBlock['type']>(
  block: ContentBlock,
  type: T,
): block is Extract<KnownBlock, { type: T }> {
  return block.type === type;
}

/** The tool calls among some content. */
export function toolUsesOf(content: string | readonly ContentBlock[]): ToolUseBlock[] {
  return typeof content === 'string' ? [] : content.filter((block): block is ToolUseBlock => isBlock(block, 'tool_use'));
}

/** The plain text of some content, text blocks joined by line breaks. */
export function textOf(content: string | readonly ContentBlock[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (isBlock(block, 'text') ? [block.text] : [])).join('\n');
}
