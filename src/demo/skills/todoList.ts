import { callTool } from '../callTool.ts';
import type { DemoJob, DemoResult, DemoSkill, DemoStep, DemoTask } from '../plan.ts';

/** Writes a todo list, then ticks off its first item, so that both states can be seen. */
export const todoList: DemoSkill = {
  example: 'make a todo list: look at the cart, fix the discount, run the tests',
  pattern: /\b(?:make|write|create|start)\b[^.:]*\bto-?do(?:\s+list|s)?\b(?:\s+(?:for|with|of))?\s*:?\s*(.*)/is,
  *run(task: DemoTask): DemoJob {
    const items = itemsIn(task.words[0] ?? '');
    yield* writeTodos(task, items, { say: 'I make a todo list.', completed: 0 });
    yield* writeTodos(task, items, { say: `"${items[0]}" was only thinking about it, so that is done.`, completed: 1 });
    return `The list has ${items.length} items; the first is ticked off, the second is in progress. Being a demo, I leave the rest to you.`;
  },
};

function itemsIn(text: string): string[] {
  const items = text.split(/,|;|\n|\band\b/).map(item => item.replace(/^[\s\-*\d.]+|[\s.]+$/g, '')).filter(item => item !== '');
  return items.length >= 2 ? items : ['Think about it', ...(items.length === 1 ? items : ['Do it']), 'Check that it works'];
}

function* writeTodos(task: DemoTask, items: readonly string[], { say, completed }: { readonly say: string; readonly completed: number }): Generator<DemoStep, void, DemoResult> {
  const todos = items.map((content, index) => ({
    content,
    status: index < completed ? 'completed' : index === completed ? 'in_progress' : 'pending',
    activeForm: `Working on: ${content}`,
  }));
  yield* callTool(task, { say, name: 'TodoWrite', input: { todos } });
}
