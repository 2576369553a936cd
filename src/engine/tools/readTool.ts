import * as z from 'zod';
import { TurnstoneError } from '../../base/errors.ts';
import { baseName } from '../../base/paths.ts';
import { shownText } from '../text/byteEscapes.ts';
import { encodingLabel, isUnicodeName, notTextError } from '../text/encoding.ts';
import { splitLines } from '../text/lineEndings.ts';
import { readCurrentContent, seenFrom } from './currentContent.ts';
import type { CurrentText } from './currentContent.ts';
import { imageBlockFrom } from './imageContent.ts';
import { fileNotFound, locateFile } from './locateFile.ts';
import type { LocatedFile } from './locateFile.ts';
import { notebookText } from './notebookText.ts';
import { maxShownLineLength, numberedLine } from './snippet.ts';
import { defineTool } from './tool.ts';
import type { ToolContext, ToolOutcome } from './tool.ts';

const defaultLimit = 2_000;
/** UTF-16 units of one result. */
const maxResultLength = 256_000;
/** Bytes. Files larger than this are not loaded at all. */
const maxFileSize = 64 * 1024 * 1024;

export const readTool = defineTool({
  name: 'Read',
  description: [
    `Reads a file. Each line comes with its number and a tab in front. Without offset and limit the first ${defaultLimit} lines are read; lines over ${maxShownLineLength} characters are cut.`,
    'What is open in the editor with unsaved changes is read as the user sees it. Images (png, jpg, gif, webp) are shown; of notebooks the cells are.',
    'A file must have been read before it can be edited. Folders are not read: use Glob, or ls with Bash.',
  ].join('\n'),
  input: () => z.object({
    file_path: z.string().min(1).describe('Path of the file, absolute or relative to the working folder.'),
    offset: z.number().int().min(1).optional().describe('Number of the first line to read, from 1. Only for files too large to read at once.'),
    limit: z.number().int().min(1).optional().describe(`How many lines to read. Default: ${defaultLimit}.`),
  }),
  access: 'read',
  concurrencySafe: true,
  async plan(input, context) {
    const file = await locateFile(input.file_path, context);
    return { title: file.shown, paths: [file.path], realPaths: [file.targetPath], state: file };
  },
  async *run({ input, plan }, context) {
    const file = plan.state;
    const stat = await context.files.stat(file.targetPath);
    if (stat && stat.size > maxFileSize) throw new TurnstoneError('invalid_input', `${file.shown} is too large to read (${megabytes(stat.size)} MB). Use Grep to find the lines that matter, or Bash with head, tail or sed.`);
    const content = await readCurrentContent(file.openPath, context, { encoding: context.readFileState.get(file.targetPath)?.encoding, stat });
    if (content.kind === 'absent') throw await fileNotFound(file, context);
    if (content.kind === 'folder') throw new TurnstoneError('invalid_input', `${file.shown} is a folder. Use Glob to find files in it, or ls with Bash.`);
    if (content.kind === 'other') throw new TurnstoneError('invalid_input', `${file.shown} is a device or a pipe, not a file.`);
    if (content.kind === 'text') return showText(file, content, { ...input, context });
    const image = imageBlockFrom(content.bytes, file.shown);
    if (!image) throw notTextError(file.shown);
    context.readFileState.record(file.targetPath, seenFrom(content, context));
    return { content: [image], result: { kind: 'read', path: file.path, lineCount: 0 } };
  },
});

interface TextRequest {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly context: ToolContext;
}

function showText(file: LocatedFile, content: CurrentText, { offset, limit, context }: TextRequest): ToolOutcome {
  const cells = file.path.toLowerCase().endsWith('.ipynb') ? notebookText(content.text) : undefined;
  const lines = cells ?? splitLines(content.text).map((line) => line.content);
  const first = offset ?? 1;
  const shown = lines.slice(first - 1, first - 1 + (limit ?? defaultLimit));
  const body = shown.map((line, index) => numberedLine(first + index, shownText(line))).join('\n');
  if (body.length > maxResultLength) {
    throw new TurnstoneError('invalid_input', `The ${shown.length} lines asked for of ${file.shown} (${lines.length} lines in all) are too much for one result. Read a part with offset and limit, or use Grep to find the lines that matter.`);
  }
  if (shown.length === 0 && lines.length > 0) throw new TurnstoneError('invalid_input', `${file.shown} has ${lines.length} lines; there is none at offset ${first}.`);
  remember(file, content, { first, shown, all: lines.length, context });
  const notes = [
    ...(lines.length === 0 ? ['(The file is empty.)'] : []),
    ...(shown.length < lines.length ? [`(Lines ${first} to ${first + shown.length - 1} of ${lines.length}. Use offset and limit to read others.)`] : []),
    ...(content.isUnsaved ? ['(This is the text in the open editor, with changes that are not saved yet.)'] : []),
    ...(isUnicodeName(content.encoding.name) ? [] : [`(The file is stored as ${encodingLabel(content.encoding)} and stays so; what you write into it must exist there.)`]),
    ...(content.encoding.hasEscapes ? ['(Bytes that are no UTF-8 are shown as \ufffd. They are kept as they are; lines without them can be edited.)'] : []),
    ...(/\.(png|jpe?g|gif|webp)$/i.test(file.path) ? [`(${baseName(file.path)} is named like an image, but it holds this text.)`] : []),
  ];
  return { content: [body, ...notes].filter(Boolean).join('\n'), result: { kind: 'read', path: file.path, lineCount: shown.length } };
}

interface ShownLines {
  readonly first: number;
  readonly shown: readonly string[];
  readonly all: number;
  readonly context: ToolContext;
}

/** A second, partial look at a file that was read whole and has not changed takes nothing away. */
function remember(file: LocatedFile, content: CurrentText, { first, shown, all, context }: ShownLines): void {
  const seen = seenFrom(content, context);
  const known = context.readFileState.get(file.targetPath);
  const isWhole = shown.length === all && shown.every((line) => line.length <= maxShownLineLength);
  const whole = isWhole || (known?.whole === true && known.hash === seen.hash);
  context.readFileState.record(file.targetPath, { ...seen, whole, range: whole ? undefined : { firstLine: first, lineCount: shown.length } });
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / (1024 * 1024));
}
