import * as z from 'zod';
import { TurnstoneError } from '../../base/errors.ts';
import { describeTool } from './describeTool.ts';
import { defineTool } from './tool.ts';

export const exitPlanModeTool = defineTool({
  name: 'ExitPlanMode',
  description: [
    'Presents your finished plan to the user in plan mode. When they agree, plan mode ends and you may begin; edits and commands are asked about as usual.',
    'Only for plans of changes, after you have looked at what they need. When the user rejects the plan, change it as they say and present it again.',
  ].join('\n'),
  input: () => z.object({ plan: z.string().min(1).describe('The plan, in Markdown: what will be changed, where, in which order, and how it is checked.') }),
  access: 'consent',
  concurrencySafe: false,
  async plan(input, context) {
    if (context.permissionMode() !== 'plan') throw new TurnstoneError('invalid_input', 'Plan mode is not on: there is nothing to leave. Go on with the work.');
    return { title: describeTool('ExitPlanMode', input).title, paths: [], state: undefined };
  },
  async *run(_call, context) {
    context.setPermissionMode('default');
    return { content: 'The user agrees to the plan. Plan mode is over: begin, and keep to the plan. Edits and commands are asked about as usual.' };
  },
});
