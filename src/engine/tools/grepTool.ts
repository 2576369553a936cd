import * as z from 'zod';
import { cutText } from '../../base/text.ts';
import { displayPath, isWindowsPath, resolvePath } from '../../base/paths.ts';
import type { GrepRequest } from '../ports.ts';
import { defineTool } from './tool.ts';

const defaultLimit = 250;
const maxLimit = 5_000;
/** UTF-16 units of one result. */
const maxResultLength = 30_000;

const inputSchema = () => z.object({
  pattern: z.string().min(1).describe('A regular expression, in ripgrep\'s syntax: escape braces and brackets that are meant literally.'),
  path: z.string().optional().describe('File or folder to search in, absolute or relative to the working folder. Default: the working folder.'),
  glob: z.string().optional().describe('Search only files whose name fits this pattern, for example "*.ts" or "src/**".'),
  type: z.string().optional().describe('Search only files of this type: ts, js, py, rust, go, java, md, json …'),
  output_mode: z.enum(['content', 'files_with_matches', 'count']).optional().describe('content = the lines; files_with_matches = paths only (default); count = matching lines of each file.'),
  '-i': z.boolean().optional().describe('Upper and lower case are the same.'),
  '-n': z.boolean().optional().describe('Line numbers in content mode. Default: true.'),
  '-A': z.number().int().min(0).optional().describe('Lines to show after each match, in content mode.'),
  '-B': z.number().int().min(0).optional().describe('Lines to show before each match, in content mode.'),
  '-C': z.number().int().min(0).optional().describe('Lines to show before and after each match, in content mode.'),
  multiline: z.boolean().optional().describe('The pattern may span lines, and a dot fits line breaks.'),
  head_limit: z.number().int().min(1).optional().describe(`Give at most this many lines or paths. Default: ${defaultLimit}.`),
});

export const grepTool = defineTool({
  name: 'Grep',
  description: 'Searches the contents of files with ripgrep. Files that .gitignore leaves out, and binary files, are not searched. Use this instead of grep or rg with Bash.',
  input: inputSchema,
  access: 'read',
  concurrencySafe: true,
  async plan(input, context) {
    const path = resolvePath(context.cwd, input.path ?? '.');
    return { title: path === context.cwd ? input.pattern : `${input.pattern} in ${displayPath(context.cwd, path)}`, paths: [path], state: { path } };
  },
  async *run({ input, plan }, context) {
    const { path } = plan.state;
    if (!(await context.files.stat(path))) return { content: `${displayPath(context.cwd, path)} does not exist.`, isError: true };
    const limit = Math.min(input.head_limit ?? defaultLimit, maxLimit);
    const { lines, truncated } = await context.search.grep({ ...requestOf(input, path), limit }, context.signal);
    if (lines.length === 0) return { content: 'No matches found.', result: { kind: 'search', count: 0 } };
    const text = lines.map((line) => shorten(line, context.cwd)).join('\n');
    const notes = [
      ...(text.length > maxResultLength ? ['(The result was cut here. Search for something narrower.)'] : []),
      ...(truncated ? [`(The first ${lines.length}; there are more. Search for something narrower or raise head_limit.)`] : []),
    ];
    return { content: [cutText(text, maxResultLength), ...notes].join('\n'), result: { kind: 'search', count: lines.filter((line) => line !== '--').length } };
  },
});

function requestOf(input: z.infer<ReturnType<typeof inputSchema>>, path: string): GrepRequest {
  return {
    pattern: input.pattern,
    path,
    glob: input.glob,
    type: input.type,
    outputMode: input.output_mode ?? 'files_with_matches',
    ignoreCase: input['-i'] ?? false,
    multiline: input.multiline ?? false,
    lineNumbers: input['-n'] ?? true,
    before: input['-B'] ?? input['-C'] ?? 0,
    after: input['-A'] ?? input['-C'] ?? 0,
  };
}

/** Paths below the working folder are given relative to it, as the other tools take them. */
function shorten(line: string, cwd: string): string {
  const end = line[cwd.length];
  const isBelow = line.startsWith(cwd) && (end === '/' || (end === '\\' && isWindowsPath(cwd)));
  return isBelow ? line.slice(cwd.length + 1) : line;
}
