import * as z from 'zod';
import { cutText } from '../../base/text.ts';
import type { ToolProgress } from '../../protocol/messages.ts';
import type { ShellExit } from '../ports.ts';
import { describeTool } from './describeTool.ts';
import { OutputCollector } from './outputCollector.ts';
import { defineTool, recordedCall } from './tool.ts';
import type { ShellRecording, ToolContext } from './tool.ts';

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;
/** UTF-16 units that the model gets of one command's output. */
const maxOutputLength = 30_000;
/** UTF-16 units that are shown and kept while a command runs: an endless one must not fill the transcript. */
const maxStreamedLength = 200_000;

export const bashTool = defineTool({
  name: 'Bash',
  description: [
    'Runs a shell command in the working folder. Each call is a new shell: folder and variables do not carry over, so join steps with &&.',
    `It has no terminal and no input. It ends after timeout milliseconds (default ${defaultTimeoutMs}, at most ${maxTimeoutMs}), with all processes it started; what it leaves in the background ends with it.`,
    'Servers, watchers and whatever else does not end by itself: set run_in_background. It then runs until KillShell or the end of the session; BashOutput shows what it prints.',
    `Of long output the start and the end are given, ${maxOutputLength} characters in all. Variables that are named like a secret (keys, tokens, passwords) are not in its environment, unless the user allowed them.`,
    'Use Read, Edit, Write, Glob and Grep for files: what they do can be reviewed before it happens, changes made by a command can not.',
  ].join('\n'),
  input: () => z.object({
    command: z.string().min(1).describe('The command.'),
    description: z.string().optional().describe('What it does, in five to ten words, for the person who decides about it.'),
    timeout: z.number().min(1).max(maxTimeoutMs).optional().describe(`Milliseconds after which it is ended. Default: ${defaultTimeoutMs}.`),
    run_in_background: z.boolean().optional().describe('Start it and go on without waiting for its end; timeout does not count. Default: false.'),
  }),
  access: 'execute',
  concurrencySafe: false,
  async plan(input) {
    return { title: describeTool('Bash', input).title, paths: [], state: undefined };
  },
  async *run({ input }, context) {
    const recording = await context.fileHistory.shellCommand(input.command, recordedCall(context));
    if (input.run_in_background) {
      const id = context.backgroundShells.start(input.command, context.cwd, () => recording.over());
      return { content: `Started in the background as ${id}. BashOutput shows what it prints, KillShell ends it.` };
    }
    const output = new OutputCollector(maxOutputLength);
    const timeoutMs = input.timeout ?? defaultTimeoutMs;
    const exit = yield* streamCommand({ command: input.command, cwd: context.cwd, timeoutMs }, output, context, recording);
    const end = endText(exit, timeoutMs);
    return {
      content: [output.text.replace(/\n$/, ''), end].filter(Boolean).join('\n') || '(The command printed nothing.)',
      isError: exit.exitCode !== 0 || exit.timedOut || exit.interrupted,
      result: { kind: 'shell', output: output.text, exitCode: exit.exitCode, interrupted: exit.interrupted, durationMs: exit.durationMs },
    };
  },
});

async function* streamCommand(
  request: { readonly command: string; readonly cwd: string; readonly timeoutMs: number },
  output: OutputCollector,
  context: ToolContext,
  recording: ShellRecording,
): AsyncGenerator<ToolProgress, ShellExit, void> {
  const running = context.shell.run(request, context.signal);
  let streamed = 0;
  try {
    for (;;) {
      const step = await running.next();
      if (step.done) return step.value;
      const { text, stream } = step.value;
      output.add(text);
      if (streamed > maxStreamedLength) continue;
      streamed += text.length;
      yield { kind: 'output', text: cutText(text, maxStreamedLength), stream };
      if (streamed > maxStreamedLength) yield { kind: 'status', text: 'More output comes; it is not shown while the command runs.' };
    }
  } finally {
    // Ends the processes when the reader stopped early; does nothing after a normal end.
    await running.return({ exitCode: null, timedOut: false, interrupted: true, durationMs: 0 });
    // The look at what it changed goes on beside the next request. Whatever writes, runs or goes back waits for it.
    void recording.over();
  }
}

function endText(exit: ShellExit, timeoutMs: number): string {
  if (exit.interrupted) return '(The user interrupted the command. It and the processes it started were ended.)';
  if (exit.timedOut) return `(The command was ended after ${timeoutMs / 1000} s, its time limit, with the processes it started.)`;
  if (exit.exitCode === null) return '(The command was ended by a signal.)';
  return exit.exitCode === 0 ? '' : `(Exit code ${exit.exitCode}.)`;
}
