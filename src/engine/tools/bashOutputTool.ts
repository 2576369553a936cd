import * as z from 'zod';
import { TurnstoneError } from '../../base/errors.ts';
import { describeStatus } from './backgroundShells.ts';
import type { BackgroundShells } from './backgroundShells.ts';
import { defineTool } from './tool.ts';

/** UTF-16 units of a line that a filter looks at: an expression that goes over a line again and again must stay fast. */
const maxFilteredLength = 500;

export const bashOutputTool = defineTool({
  name: 'BashOutput',
  description: [
    'Shows what a background command has printed since you last looked, and whether it still runs. Background commands are started by Bash with run_in_background.',
    'With filter only the lines that match are shown; the others count as seen.',
  ].join('\n'),
  input: () => z.object({
    bash_id: z.string().min(1).describe('The id that Bash gave when it started the command.'),
    filter: z.string().optional().describe('A regular expression; only lines that match it are shown.'),
  }),
  access: 'own',
  concurrencySafe: false,
  async plan(input) {
    return { title: input.bash_id, paths: [], state: input.filter === undefined ? undefined : filterFrom(input.filter) };
  },
  async *run({ input, plan }, context) {
    await context.fileHistory.lookAtShells();
    const report = context.backgroundShells.report(input.bash_id);
    if (!report) throw unknownShell(input.bash_id, context.backgroundShells);
    const all = report.newOutput.replace(/\n$/, '');
    const shown = plan.state ? all.split('\n').filter((line) => plan.state!.test(line.slice(0, maxFilteredLength))).join('\n') : all;
    return { content: [shown || (all ? '(No new line matches the filter.)' : '(Nothing new was printed.)'), `(${describeStatus(report.status)})`].join('\n') };
  },
});

/** A `not_found` error that names the commands there are. */
export function unknownShell(id: string, shells: BackgroundShells): TurnstoneError {
  const others = shells.ids.length > 0 ? `There are: ${shells.ids.join(', ')}.` : 'There is none now.';
  return new TurnstoneError('not_found', `There is no background command ${id}: they end with the session that started them. ${others}`);
}

function filterFrom(pattern: string): RegExp {
  // A repetition of a repetition may take for ever on a line that does not match.
  if (/[*+}]\)*[*+{]/.test(pattern.replace(/\\./g, '')) || /\([^)]*[*+}][^)]*\)\s*[*+{]/.test(pattern.replace(/\\./g, ''))) {
    throw new TurnstoneError('invalid_input', 'filter repeats something that is repeated already, which can take for ever. Write it without the outer repetition.');
  }
  try {
    return new RegExp(pattern);
  } catch (error) {
    throw new TurnstoneError('invalid_input', `filter is not a regular expression: ${(error as Error).message}.`, { cause: error });
  }
}
