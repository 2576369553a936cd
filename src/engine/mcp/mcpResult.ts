import { errorText } from '../../base/errors.ts';
import { byteCount, cutText } from '../../base/text.ts';
import type { ImageBlock, TextBlock } from '../../protocol/contentBlocks.ts';
import type { McpContent, McpResult } from '../../protocol/mcp.ts';
import { imageBlockFrom } from '../tools/imageContent.ts';
import type { ToolOutcome } from '../tools/tool.ts';

/** UTF-16 units of one result that are kept at all; the model sees far less, and a file holds the rest. */
const maxKept = 5_000_000;
const maxImages = 20;

/** What a server answered, for the model. Pure. */
export function outcomeOf({ content, structured, isError }: McpResult, toolName: string): ToolOutcome {
  const blocks: (TextBlock | ImageBlock)[] = [];
  let room = maxKept;
  for (const part of content) {
    const images = blocks.filter(({ type }) => type === 'image').length;
    const block = blockOf(part, toolName, images < maxImages);
    if (block.type === 'image') blocks.push(block);
    else if (block.text !== '') room -= addText(blocks, block.text, room);
  }
  // Servers are to say the same in words; those that don't have said nothing else.
  if (blocks.length === 0 && structured !== undefined) addText(blocks, JSON.stringify(structured, undefined, 2), room);
  const [first, ...others] = blocks;
  const text = first === undefined ? '' : others.length === 0 && first.type === 'text' ? first.text : undefined;
  return { content: text ?? blocks, ...(isError && { isError: true }) };
}

function addText(blocks: (TextBlock | ImageBlock)[], text: string, room: number): number {
  if (room <= 0) return 0;
  const kept = cutText(text, room);
  const cut = kept.length < text.length ? `\n(The first ${kept.length} of ${text.length} characters. The rest was not kept.)` : '';
  const last = blocks.at(-1);
  if (last?.type === 'text') blocks[blocks.length - 1] = { type: 'text', text: `${last.text}\n${kept}${cut}` };
  else blocks.push({ type: 'text', text: `${kept}${cut}` });
  return text.length;
}

function blockOf(part: McpContent, toolName: string, mayShow: boolean): TextBlock | ImageBlock {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'link':
      return { type: 'text', text: `[Resource ${part.name}: ${part.uri}]${part.description ? ` ${part.description}` : ''}` };
    case 'media':
      return mayShow ? mediaBlock(part, toolName) : { type: 'text', text: `[${part.name}: left out, ${maxImages} images are shown at most]` };
  }
}

function mediaBlock({ mediaType, data, name }: Extract<McpContent, { type: 'media' }>, toolName: string): TextBlock | ImageBlock {
  const bytes = bytesOf(data);
  if (!bytes) return { type: 'text', text: `[${name}: ${mediaType}, damaged: it is not base64]` };
  try {
    const image = imageBlockFrom(bytes, `${name} of ${toolName}`);
    if (image) return image;
  } catch (thrown) {
    return { type: 'text', text: `[${errorText(thrown)}]` };
  }
  return { type: 'text', text: `[${name}: ${mediaType}, ${byteCount(bytes.length)}, which cannot be shown here]` };
}

function bytesOf(data: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
