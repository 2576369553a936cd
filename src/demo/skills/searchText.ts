import { callTool } from '../callTool.ts';
import type { DemoJob, DemoSkill, DemoTask } from '../plan.ts';

export const searchText: DemoSkill = {
  example: 'find `price`',
  pattern: /\b(?:find|search(?:\s+for)?|grep(?:\s+for)?)\s+`([^`]+)`/i,
  *run(task: DemoTask): DemoJob {
    const wanted = task.words[0] ?? '';
    const pattern = wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const result = yield* callTool(task, { say: `I look for \`${wanted}\`.`, name: 'Grep', input: { pattern, path: task.cwd, output_mode: 'content' } });
    const lines = result.text.trim().split('\n').filter(line => line.includes(wanted));
    if (lines.length === 0) return `\`${wanted}\` does not occur here.`;
    const more = lines.length > 20 ? `\n\nand ${lines.length - 20} more.` : '';
    return `\`${wanted}\` occurs in ${lines.length === 1 ? 'one line' : `${lines.length} lines`}:\n\n\`\`\`\n${lines.slice(0, 20).join('\n')}\n\`\`\`${more}`;
  },
};
