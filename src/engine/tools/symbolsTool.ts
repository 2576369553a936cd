import * as z from 'zod';
import { languageServicesOf } from './codePlace.ts';
import { fileNotFound, locateFile } from './locateFile.ts';
import { defineTool } from './tool.ts';

const maxShown = 500;

export const symbolsTool = defineTool({
  name: 'Symbols',
  description: 'Lists what a source file defines (classes, functions, variables …) with the lines, nested as in the file. Shorter than reading it.',
  input: () => z.object({ file_path: z.string().min(1).describe('Path of the file, absolute or relative to the working folder.') }),
  access: 'read',
  needs: 'languageServices',
  concurrencySafe: true,
  async plan(input, context) {
    const file = await locateFile(input.file_path, context);
    return { title: file.shown, paths: [file.path], realPaths: [file.targetPath], state: file };
  },
  async *run({ plan: { state: file } }, context) {
    if ((await context.files.stat(file.targetPath))?.kind !== 'file') throw await fileNotFound(file, context);
    const symbols = await languageServicesOf(context).symbols(file.path, context.signal);
    const lines = symbols.slice(0, maxShown).map(({ depth, kind, name, line, endLine }) => `${'  '.repeat(depth)}${kind} ${name} (${line === endLine ? `line ${line}` : `lines ${line}–${endLine}`})`);
    if (symbols.length > maxShown) lines.push(`(${symbols.length - maxShown} more are not shown.)`);
    return { content: lines.join('\n') || `Nothing is known of what ${file.shown} defines. Read it instead.`, result: { kind: 'search', count: symbols.length } };
  },
});
