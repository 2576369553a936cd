import { callTool } from '../callTool.ts';
import { baseName, fileNamePattern, joinPath } from '../fileHelpers.ts';
import type { DemoJob, DemoSkill, DemoTask } from '../plan.ts';

export const createFile: DemoSkill = {
  example: 'create a file notes.md with the text `Remember the milk.`',
  pattern: new RegExp('\\b(?:create|make|write)\\s+(?:a\\s+|the\\s+)?(?:new\\s+)?file\\s+(?:named\\s+|called\\s+)?' + fileNamePattern + '(?:\\s+(?:with|containing|that says)\\s+(?:the\\s+)?(?:text|content|contents)?\\s*[`"]([^`"]+)[`"])?', 'i'),
  *run(task: DemoTask): DemoJob {
    const [name = '', given] = task.words;
    const path = /^([\\/]|[A-Za-z]:)/.test(name) ? name : joinPath(task.cwd, name);
    const content = `${given ?? 'A file made by the demo model.'}\n`;
    yield* callTool(task, { say: `I propose the new file ${name}.`, name: 'Write', input: { file_path: path, content } });
    return `${baseName(path)} is written.`;
  },
};
