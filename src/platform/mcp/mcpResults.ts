import { isJsonObject } from '../../base/json.ts';
import type { McpContent, McpResult, McpToolInfo } from '../../protocol/mcp.ts';

type Fields = { readonly [field: string]: unknown };

/** In place of the library's own schemas: one tool or one piece of a result that is not as it should be must not cost all others. */
export const anyResult = { '~standard': { version: 1 as const, vendor: 'turnstone', validate: (value: unknown) => ({ value }) } };

/** A page of a list; `next` asks for the one behind it. */
export function toToolPage(page: unknown): { readonly tools: readonly McpToolInfo[]; readonly next: string | undefined } {
  const { tools, nextCursor }: Fields = isJsonObject(page) ? page : {};
  return { tools: Array.isArray(tools) ? tools.flatMap((tool: unknown) => toToolInfo(tool) ?? []) : [], next: typeof nextCursor === 'string' ? nextCursor : undefined };
}

/** Undefined for what cannot be called: it has no name. */
function toToolInfo(tool: unknown): McpToolInfo | undefined {
  if (!isJsonObject(tool) || typeof tool['name'] !== 'string' || tool['name'] === '') return undefined;
  const annotations = isJsonObject(tool['annotations']) ? tool['annotations'] : {};
  const title = tool['title'] ?? annotations['title'];
  return {
    name: tool['name'],
    title: typeof title === 'string' ? title : undefined,
    description: typeof tool['description'] === 'string' ? tool['description'] : '',
    inputSchema: tool['inputSchema'],
    isReadOnly: annotations['readOnlyHint'] === true,
  };
}

export function toResult(result: unknown): McpResult {
  const { content, structuredContent, isError }: Fields = isJsonObject(result) ? result : {};
  return { content: Array.isArray(content) ? content.map(toContent) : [], structured: structuredContent, isError: isError === true };
}

function toContent(part: unknown): McpContent {
  if (!isJsonObject(part)) return asText(part);
  const { type, text, data, mimeType, uri, name, description, resource } = part;
  if (type === 'text' && typeof text === 'string') return { type: 'text', text };
  if ((type === 'image' || type === 'audio') && typeof data === 'string') return { type: 'media', mediaType: String(mimeType ?? type), data, name: type === 'image' ? 'An image' : 'A sound' };
  if (type === 'resource_link' && typeof uri === 'string') return { type: 'link', uri, name: String(name ?? uri), description: typeof description === 'string' ? description : undefined };
  if (type === 'resource' && isJsonObject(resource)) return embedded(resource);
  return asText(part);
}

function embedded({ uri, text, blob, mimeType }: Fields): McpContent {
  const name = typeof uri === 'string' ? uri : 'a resource';
  if (typeof text === 'string') return { type: 'text', text: `[${name}]\n${text}` };
  return typeof blob === 'string' ? { type: 'media', mediaType: String(mimeType ?? 'application/octet-stream'), data: blob, name } : { type: 'link', uri: name, name };
}

/** A kind that is not known yet is shown as it came. */
function asText(part: unknown): McpContent {
  return { type: 'text', text: JSON.stringify(part) ?? '' };
}
