import * as z from 'zod';
import { TurnstoneError } from '../../base/errors.ts';
import { displayPath, isInside } from '../../base/paths.ts';
import { cutText } from '../../base/text.ts';
import type { CodePosition, CodeRange, LanguageServices } from '../ports.ts';
import { splitLines } from '../text/lineEndings.ts';
import { readCurrentContent } from './currentContent.ts';
import { fileNotFound, locateFile } from './locateFile.ts';
import type { LocatedFile } from './locateFile.ts';
import type { ToolContext, ToolPlan } from './tool.ts';

/** Input fields that say where in a file something stands. */
export const codePlaceFields = () => ({
  file_path: z.string().min(1).describe('Path of the file, absolute or relative to the working folder.'),
  line: z.number().int().min(1).optional().describe('Number of the line, from 1, as Read shows it. Without it the first place where symbol stands is taken.'),
  symbol: z.string().min(1).optional().describe('The name as it stands there. Easier than counting characters.'),
  character: z.number().int().min(1).optional().describe('Place in the line, from 1; only needed when symbol is not given.'),
});

export interface CodePlaceInput {
  readonly file_path: string;
  readonly line?: number | undefined;
  readonly symbol?: string | undefined;
  readonly character?: number | undefined;
}

export interface CodePlace {
  readonly file: LocatedFile;
  readonly position: CodePosition;
  /** For a card. */
  readonly title: string;
}

const maxShownLength = 200;

/** How a tool that only looks at a place plans. */
export async function planCodePlace(input: CodePlaceInput, context: ToolContext): Promise<ToolPlan<CodePlace>> {
  const place = await findCodePlace(input, context);
  return { title: place.title, paths: [place.file.path], realPaths: [place.file.targetPath], state: place };
}

/** Throws when the file is no text or the symbol does not stand where it is said to. */
export async function findCodePlace(input: CodePlaceInput, context: ToolContext): Promise<CodePlace> {
  const file = await locateFile(input.file_path, context);
  const lines = await linesOf(file.openPath, context);
  if (!lines) throw (await context.files.stat(file.targetPath)) ? new TurnstoneError('invalid_input', `${file.shown} is not a text file.`) : await fileNotFound(file, context);
  const place = input.symbol === undefined ? givenPlace(input, lines) : symbolPlace(input.symbol, input.line, lines);
  if (!place) throw new TurnstoneError('invalid_input', notThere(file, input, lines));
  return { file, position: { path: file.path, ...place }, title: `${input.symbol ?? 'the name'} at ${file.shown}:${place.line}` };
}

/** The port, or an error that says what to use instead. */
export function languageServicesOf({ languageServices }: ToolContext): LanguageServices {
  if (!languageServices) throw new TurnstoneError('configuration', 'There are no language services here. Use Grep.');
  return languageServices;
}

/** One line per place, with its text where the file belongs to the workspace. */
export async function showRanges(ranges: readonly CodeRange[], limit: number, context: ToolContext): Promise<string> {
  const texts = new Map<string, readonly string[] | undefined>();
  const shown: string[] = [];
  for (const { path, line, character } of ranges.slice(0, limit)) {
    if (!texts.has(path)) texts.set(path, (await isInWorkspace(path, context)) ? await linesOf(path, context).catch(() => undefined) : undefined);
    const text = cutText(texts.get(path)?.[line - 1]?.trim() ?? '', maxShownLength);
    shown.push(`${displayPath(context.cwd, path)}:${line}:${character}${text ? `: ${text}` : ''}`);
  }
  if (ranges.length > limit) shown.push(`(${ranges.length - limit} more places are not shown.)`);
  return shown.join('\n');
}

async function isInWorkspace(path: string, context: ToolContext): Promise<boolean> {
  const real = await context.files.realpath(path);
  return context.roots.some((root) => isInside(root, real));
}

async function linesOf(path: string, context: ToolContext): Promise<readonly string[] | undefined> {
  const content = await readCurrentContent(path, context);
  return content.kind === 'text' ? splitLines(content.text).map((line) => line.content) : undefined;
}

type Place = { readonly line: number; readonly character: number };

function givenPlace({ line, character }: CodePlaceInput, lines: readonly string[]): Place | undefined {
  if (line === undefined || character === undefined) return undefined;
  return line <= lines.length && character <= lines[line - 1]!.length + 1 ? { line, character } : undefined;
}

function symbolPlace(symbol: string, line: number | undefined, lines: readonly string[]): Place | undefined {
  const name = symbol.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_$])${name}(?![\\p{L}\\p{N}_$])`, 'u');
  const [from, to] = line === undefined ? [0, lines.length] : [line - 1, line];
  for (let index = from; index < Math.min(to, lines.length); index++) {
    const found = whole.exec(lines[index]!);
    if (found) return { line: index + 1, character: found.index + 1 };
  }
  return undefined;
}

function notThere(file: LocatedFile, { line, symbol }: CodePlaceInput, lines: readonly string[]): string {
  if (symbol === undefined && line === undefined) return 'Say where: symbol, or line and character.';
  if (line !== undefined && line > lines.length) return `${file.shown} has ${lines.length} lines; there is no line ${line}.`;
  if (symbol === undefined) return `${file.shown}:${line} is not so long, or character is missing. Give the symbol instead.`;
  return line === undefined ? `${symbol} does not stand in ${file.shown}.` : `${symbol} does not stand in line ${line} of ${file.shown}, which reads: ${cutText(lines[line - 1]!.trim(), maxShownLength)}`;
}
