import * as z from 'zod';
import { plural } from '../../base/text.ts';
import { displayPath, isAbsolutePath, resolvePath } from '../../base/paths.ts';
import { defineTool } from './tool.ts';

const maxPaths = 200;

export const globTool = defineTool({
  name: 'Glob',
  description: [
    'Finds files by name pattern, newest first. What .gitignore leaves out is not found; hidden files are.',
    'A pattern without a slash ("*.ts") fits names in any folder; one with a slash ("src/**/*.ts") counts from the folder searched in.',
    `At most ${maxPaths} paths are given.`,
  ].join('\n'),
  input: () => z.object({
    pattern: z.string().min(1).describe('The pattern, for example "**/*.test.ts" or "src/**/*.{ts,tsx}".'),
    path: z.string().optional().describe('Folder to search in, absolute or relative to the working folder. Default: the working folder.'),
  }),
  access: 'read',
  concurrencySafe: true,
  async plan(input, context) {
    const place = placeOf(input.pattern, resolvePath(context.cwd, input.path ?? '.'));
    return { title: input.pattern, paths: [place.folder], state: place };
  },
  async *run({ plan }, context) {
    const { pattern, folder } = plan.state;
    if ((await context.files.stat(folder))?.kind !== 'folder') return { content: `${displayPath(context.cwd, folder)} is no folder that exists.`, isError: true };
    const { paths, truncated } = await context.search.glob({ pattern, path: folder, limit: maxPaths }, context.signal);
    const lines = paths.map((path) => displayPath(context.cwd, path));
    if (truncated) lines.push(`(The newest ${plural(paths.length, 'file')}; there are more. Use a narrower pattern.)`);
    return { content: lines.join('\n') || 'No files found.', result: { kind: 'search', count: paths.length } };
  },
});

/** Takes the fixed first part of an absolute pattern, or of one that leaves its folder, into the folder: that is what is searched. */
function placeOf(pattern: string, folder: string): { readonly pattern: string; readonly folder: string } {
  const plain = pattern.replaceAll('\\', '/');
  if (!isAbsolutePath(pattern) && !plain.split('/').includes('..')) return { pattern, folder };
  const parts = plain.split('/');
  const wild = parts.findIndex((part) => /[*?[{!(]/.test(part));
  const fixed = wild < 0 ? parts.length - 1 : wild;
  const start = parts.slice(0, fixed).join('/') || (isAbsolutePath(pattern) ? '/' : '.');
  // A slash in front keeps a lone name from fitting in any folder below.
  const rest = parts.slice(fixed).filter((part) => part !== '..').join('/');
  return { pattern: rest.includes('/') ? rest : `./${rest}`, folder: resolvePath(folder, start) };
}
