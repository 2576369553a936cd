import { cutText } from '../../base/text.ts';
import { callTool } from '../callTool.ts';
import type { DemoJob, DemoSkill, DemoTask } from '../plan.ts';

export const runCommand: DemoSkill = {
  example: 'run `sleep 30`',
  pattern: /\b(?:run|execute)\s+(?:the command\s+)?`([^`]+)`/i,
  *run(task: DemoTask): DemoJob {
    const command = task.words[0] ?? '';
    const result = yield* callTool(task, { say: `I run \`${command}\`.`, mayFail: true, name: 'Bash', input: { command, description: cutText(`Run ${command}`, 80) } });
    const output = result.text.trim();
    if (output === '') return `\`${command}\` has finished without printing anything.`;
    const shown = output.length > 2000 ? `${cutText(output, 2000)}\n…` : output;
    return `\`${command}\` ${result.isError ? 'failed' : 'has finished'}:\n\n\`\`\`\n${shown}\n\`\`\``;
  },
};
