import { fileURLToPath } from 'node:url';
import type * as acp from '@agentclientprotocol/sdk';
import { TurnstoneError } from '../base/errors.ts';
import { baseName } from '../base/paths.ts';
import type { ContentBlock } from '../protocol/contentBlocks.ts';

/**
 * Pure. What the user sent, as the engine takes it: texts and links in one text, in their order; then contents that the
 * client attached, and images. Files that are only linked become mentions, so that they are read under the session's own
 * rules. Throws `invalid_input` for what no model could be given.
 */
export function toPrompt(blocks: readonly acp.ContentBlock[]): readonly ContentBlock[] {
  let text = '';
  const attached: ContentBlock[] = [];
  const mention = (words: string): void => {
    text += text === '' || /\s$/.test(text) ? words : ` ${words}`;
  };
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        // Digits behind a line number would make it another one.
        text += /#L[\d-]+$/.test(text) && /^\w/.test(block.text) ? ` ${block.text}` : block.text;
        break;
      case 'image':
        attached.push({ type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } });
        break;
      case 'resource_link':
        mention(linkText(block));
        break;
      case 'resource':
        mention(`[${baseName(block.resource.uri)}](${block.resource.uri})`);
        attached.push(attachedContent(block.resource));
        break;
      case 'audio':
        throw new TurnstoneError('invalid_input', 'Sound cannot be sent to the model, so nothing was sent. Take it out and try again.');
    }
  }
  if (text.trim() === '' && attached.length === 0) throw new TurnstoneError('invalid_input', 'The prompt is empty, so nothing was sent.');
  return [...(text.trim() === '' ? [] : [{ type: 'text', text } as const]), ...attached];
}

/** `@"/path"#L3-9` for a file, a Markdown link for anything else. */
function linkText({ name, uri }: acp.ResourceLink): string {
  const file = fileOf(uri);
  if (!file || /["\n]/.test(file.path)) return `[${name}](${uri})`;
  return `@"${file.path}"${file.lines}`;
}

function fileOf(uri: string): { readonly path: string; readonly lines: string } | undefined {
  if (!URL.canParse(uri) || !uri.startsWith('file:')) return undefined;
  const url = new URL(uri);
  const range = /^#L(\d+)(?:[:-]L?(\d+))?$/.exec(url.hash);
  const lines = range ? `#L${range[1]}${range[2] === undefined ? '' : `-${range[2]}`}` : '';
  try {
    return { path: fileURLToPath(url), lines };
  } catch {
    // A file of another machine.
    return undefined;
  }
}

/** Text goes in a fence: what looks like a mention in it is none. */
function attachedContent(resource: acp.EmbeddedResource['resource']): ContentBlock {
  if ('text' in resource) return { type: 'text', text: `Content of ${resource.uri}, as the editor has it:\n${fenced(resource.text)}` };
  const { blob, mimeType, uri } = resource;
  if (mimeType?.startsWith('image/')) return { type: 'image', source: { type: 'base64', media_type: mimeType, data: blob } };
  if (mimeType === 'application/pdf') return { type: 'document', source: { type: 'base64', media_type: mimeType, data: blob } };
  throw new TurnstoneError('invalid_input', `${uri} is neither text nor an image nor a PDF, so nothing was sent. Take it out and try again.`);
}

/** Text in a Markdown fence that nothing in it can close. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`;
}
