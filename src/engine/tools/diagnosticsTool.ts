import * as z from 'zod';
import { displayPath } from '../../base/paths.ts';
import { plural } from '../../base/text.ts';
import type { CodeDiagnostic } from '../ports.ts';
import { languageServicesOf } from './codePlace.ts';
import { locateFile } from './locateFile.ts';
import { defineTool } from './tool.ts';

const maxShown = 100;
const order: readonly CodeDiagnostic['severity'][] = ['error', 'warning', 'information', 'hint'];

export const diagnosticsTool = defineTool({
  name: 'Diagnostics',
  description: [
    'Shows the problems that the editor knows: of one file, or without path all errors and warnings of the workspace.',
    'Of files that are not open the editor may know nothing: name the file, or run the build. Look only after a change is written.',
  ].join('\n'),
  input: () => z.object({ path: z.string().min(1).optional().describe('Path of the file, absolute or relative to the working folder. Default: the whole workspace.') }),
  access: 'read',
  needs: 'languageServices',
  concurrencySafe: true,
  async plan(input, context) {
    const file = input.path === undefined ? undefined : await locateFile(input.path, context);
    return { title: file?.shown ?? 'the workspace', paths: file ? [file.path] : [], state: file };
  },
  async *run({ plan: { state: file, title } }, context) {
    const all = await languageServicesOf(context).diagnostics(file?.path, context.signal);
    const found = all
      .filter(({ severity }) => file !== undefined || severity === 'error' || severity === 'warning')
      .toSorted((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity) || (one.path < other.path ? -1 : one.path > other.path ? 1 : one.line - other.line));
    if (found.length === 0) return { content: `The editor knows no problems of ${title}.`, result: { kind: 'search', count: 0 } };
    const lines = found.slice(0, maxShown).map((each) => `${displayPath(context.cwd, each.path)}:${each.line}:${each.character}: ${each.severity}: ${each.message.replace(/\n\s*/g, ' – ')}${sourceOf(each)}`);
    if (found.length > maxShown) lines.push(`(${plural(found.length - maxShown, 'more problem')} not shown.)`);
    return { content: lines.join('\n'), result: { kind: 'search', count: found.length } };
  },
});

function sourceOf({ source, code }: CodeDiagnostic): string {
  const parts = [source, code].filter((part) => part !== undefined && part !== '');
  return parts.length > 0 ? ` [${parts.join(' ')}]` : '';
}
