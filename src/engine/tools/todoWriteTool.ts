import * as z from 'zod';
import { plural } from '../../base/text.ts';
import { defineTool } from './tool.ts';

export const todoWriteTool = defineTool({
  name: 'TodoWrite',
  description: [
    'Keeps the list of steps that the user sees. Use it for work of three steps or more, and keep it true: one step in progress at a time, completed as soon as it is.',
    'Each call replaces the whole list.',
  ].join('\n'),
  input: () => z.object({
    todos: z
      .array(
        z.object({
          content: z.string().min(1).describe('The step, as a task: "Run the tests".'),
          status: z.enum(['pending', 'in_progress', 'completed']).describe('How far it is.'),
          activeForm: z.string().min(1).describe('The step while it is being done: "Running the tests".'),
        }),
      )
      .describe('The whole list, in order.'),
  }),
  access: 'own',
  concurrencySafe: false,
  async plan(input) {
    return { title: plural(input.todos.length, 'step'), paths: [], state: undefined };
  },
  async *run({ input }, context) {
    context.setTodos(input.todos);
    const open = input.todos.filter((todo) => todo.status !== 'completed').length;
    return { content: `The list is kept: ${plural(input.todos.length, 'step')}, ${open} open.`, result: { kind: 'todos', todos: input.todos } };
  },
});
