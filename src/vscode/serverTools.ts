import { isJsonObject } from '../base/json.ts';
import type { ContentBlock } from '../protocol/contentBlocks.ts';

export interface ServerCall {
  readonly id: string;
  /** As our own tool for the same is called, where there is one. */
  readonly name: string;
  readonly input: { readonly [field: string]: unknown };
}

export interface ServerResult {
  readonly id: string;
  readonly failed: boolean;
  readonly text: string;
}

const ownNames: { readonly [name: string]: string | undefined } = { web_search: 'WebSearch', web_fetch: 'WebFetch' };

/** A call of a tool that the API runs itself. */
export function serverCall(block: { readonly [field: string]: unknown }): ServerCall | undefined {
  const { type, id, name, input } = block;
  if (type !== 'server_tool_use' || typeof id !== 'string' || typeof name !== 'string') return undefined;
  return { id, name: ownNames[name] ?? name, input: isJsonObject(input) ? input : {} };
}

/** What came of it: it stands in the answer too, in a block of the tool's own type. */
export function serverResult(block: ContentBlock): ServerResult | undefined {
  const { type, tool_use_id: id, content } = block;
  if (type === 'tool_result' || !type.endsWith('_tool_result') || typeof id !== 'string') return undefined;
  const error = isJsonObject(content) ? content['error_code'] : undefined;
  if (typeof error === 'string') return { id, failed: true, text: `It failed: ${error.replaceAll('_', ' ')}.` };
  return { id, failed: false, text: (Array.isArray(content) ? content : [content]).flatMap(partText).join('\n') };
}

/** What is encrypted for the model is no text for anybody. */
function partText(part: unknown): string[] {
  if (!isJsonObject(part)) return [];
  const { title, url, stdout, stderr, text } = part;
  if (typeof url === 'string') return [typeof title === 'string' && title !== '' ? `${title} — ${url}` : url];
  return [stdout, stderr, text].filter((each): each is string => typeof each === 'string' && each.trim() !== '');
}
