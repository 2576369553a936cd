import { errorText, isTurnstoneError } from '../../base/errors.ts';
import { baseName, displayPath, isAbsolutePath, isInside, resolvePath } from '../../base/paths.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import { readTool } from '../tools/readTool.ts';
import type { ToolContext } from '../tools/tool.ts';
import { findMentions, withoutPunctuation } from './findMentions.ts';
import type { Mention } from './findMentions.ts';
import { pdfBlock } from './pdfBlock.ts';

export interface AttachFacts {
  /** As a Read of the model would have it: what is attached counts as read. */
  readonly tool: ToolContext;
  readonly homeFolder: string;
  readonly dataRoot: string;
  /** The user typed the text: a path that is written whole may lead out of the workspace. */
  readonly isTyped: boolean;
  /** Why a file may not be shown to the model at all; undefined when it may. The path has its links resolved. */
  readonly whyDenied?: ((realPath: string) => string | undefined) | undefined;
}

export interface Attachments {
  /** For the model, after the prompt. */
  readonly blocks: readonly ContentBlock[];
  /** Absolute paths of the files that were attached. */
  readonly paths: readonly string[];
  /** For the user: what stayed plain text, and why. */
  readonly notices: readonly string[];
}

/** Mentions looked up in one prompt. Pasted logs may hold thousands of `@`. */
const maxMentions = 50;
const maxFolderEntries = 200;

/**
 * Looks up what a prompt mentions. What is no file stays the plain text that it is; what is one and cannot be shown is
 * said. Never throws for what is on the disk.
 */
export async function attachMentions(text: string, facts: AttachFacts): Promise<Attachments> {
  const mentions = findMentions(text);
  const blocks: ContentBlock[] = [];
  const paths: string[] = [];
  const notices: string[] = mentions.length > maxMentions ? [`Only the first ${maxMentions} of ${mentions.length} mentions were looked up.`] : [];
  for (const mention of mentions.slice(0, maxMentions)) {
    try {
      const target = await locate(mention, facts);
      if (target) {
        blocks.push(...(await attach(mention, target, facts)));
        paths.push(target.path);
      } else if (mention.isExplicit) notices.push(`${mention.written} was sent as plain text: there is no such file or folder.`);
    } catch (thrown) {
      notices.push(`${mention.written} was sent as plain text. ${isTurnstoneError(thrown) ? thrown.message : errorText(thrown)}`);
    }
  }
  return { blocks, paths, notices };
}

interface Target {
  readonly path: string;
  readonly realPath: string;
  readonly kind: 'file' | 'folder' | 'other';
  /** Set when it must not be shown, with the reason. */
  readonly refused?: string | undefined;
}

async function locate(mention: Mention, facts: AttachFacts): Promise<Target | undefined> {
  const names = [...new Set([mention.path, withoutPunctuation(mention.path)])].filter(Boolean);
  for (const name of names) {
    for (const path of candidates(name, facts)) {
      const stat = await facts.tool.files.stat(path);
      if (!stat) continue;
      const realPath = await facts.tool.files.realpath(path);
      return { path, realPath, kind: stat.kind === 'file' || stat.kind === 'folder' ? stat.kind : 'other', refused: whyRefused(name, realPath, facts) };
    }
  }
  return undefined;
}

/** In the working folder, else in another folder of the workspace, also with that folder's name in front. */
function candidates(name: string, { tool, homeFolder }: AttachFacts): string[] {
  if (name.startsWith('~/')) return [resolvePath(homeFolder, name.slice(2))];
  if (isAbsolutePath(name)) return [resolvePath(name, '.')];
  const [first = '', ...rest] = name.split('/');
  const named = tool.roots.filter((root) => rest.length > 0 && baseName(root) === first).map((root) => resolvePath(root, rest.join('/') || '.'));
  return [...new Set([resolvePath(tool.cwd, name), ...tool.roots.map((root) => resolvePath(root, name)), ...named])];
}

/** Outside the workspace only what the user typed with its full path; a link or `..` does not lead out unseen. */
function whyRefused(name: string, realPath: string, { tool, dataRoot, isTyped, whyDenied }: AttachFacts): string | undefined {
  const denied = whyDenied?.(realPath);
  if (denied !== undefined) return denied;
  const isTypedWhole = isTyped && (name.startsWith('~/') || isAbsolutePath(name));
  if (isTypedWhole || tool.roots.some((root) => isInside(root, realPath)) || isInside(dataRoot, realPath)) return undefined;
  return `It is outside the workspace: type its full path (${realPath}) to attach it.`;
}

async function attach(mention: Mention, target: Target, facts: AttachFacts): Promise<readonly ContentBlock[]> {
  if (target.refused !== undefined) throw new Error(target.refused);
  if (target.kind === 'other') throw new Error('It is a device or a pipe, not a file.');
  if (target.kind === 'folder') return [textBlock(await folderText(target.path, facts.tool))];
  const pdf = await pdfBlock(target.path, facts.tool);
  if (pdf) return [textBlock(`<attached-file path="${target.path}" type="application/pdf" />`), pdf];
  const range = mention.lines && { offset: mention.lines.first, limit: mention.lines.last - mention.lines.first + 1 };
  const input = { file_path: target.path, ...range };
  const plan = await readTool.plan(input, facts.tool);
  const run = readTool.run({ input, plan }, facts.tool);
  let step = await run.next();
  while (!step.done) step = await run.next();
  const { content } = step.value;
  if (typeof content !== 'string') return [textBlock(`<attached-file path="${target.path}" />`), ...content];
  const lines = mention.lines ? ` lines="${mention.lines.first}-${mention.lines.last}"` : '';
  return [textBlock(`<attached-file path="${target.path}"${lines}>\n${content.replaceAll('</attached-file>', '</ attached-file>')}\n</attached-file>`)];
}

async function folderText(path: string, { files, cwd }: ToolContext): Promise<string> {
  const entries = [...(await files.readFolder(path))].filter(({ name }) => name !== '.git').sort((one, other) => (one.name < other.name ? -1 : 1));
  const shown = entries.slice(0, maxFolderEntries).map(({ name, kind }) => (kind === 'folder' ? `${name}/` : name));
  const more = entries.length - shown.length;
  const rest = more > 0 ? [`(${more} more; use Glob to find them)`] : [];
  return `<attached-folder path="${path}" shown-as="${displayPath(cwd, path) || '.'}">\n${[...shown, ...rest].join('\n') || '(empty)'}\n</attached-folder>`;
}

function textBlock(value: string): ContentBlock {
  return { type: 'text', text: value };
}
