import * as z from 'zod';
import { unknownShell } from './bashOutputTool.ts';
import { describeStatus } from './backgroundShells.ts';
import { defineTool } from './tool.ts';

export const killShellTool = defineTool({
  name: 'KillShell',
  description: 'Ends a background command that Bash started with run_in_background, with all processes it started, and shows what it printed last.',
  input: () => z.object({ shell_id: z.string().min(1).describe('The id that Bash gave when it started the command.') }),
  access: 'own',
  concurrencySafe: false,
  async plan(input) {
    return { title: input.shell_id, paths: [], state: undefined };
  },
  async *run({ input }, { backgroundShells }) {
    const wasRunning = await backgroundShells.kill(input.shell_id);
    const report = backgroundShells.report(input.shell_id);
    if (wasRunning === undefined || !report) throw unknownShell(input.shell_id, backgroundShells);
    const status = wasRunning ? describeStatus(report.status) : `It was over already. ${describeStatus(report.status)}`;
    return { content: [report.newOutput.replace(/\n$/, ''), `(${status})`].filter(Boolean).join('\n') };
  },
});
