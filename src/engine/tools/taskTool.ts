import * as z from 'zod';
import { TurnstoneError } from '../../base/errors.ts';
import { subAgentTypes } from '../subAgents/subAgent.ts';
import { describeTool } from './describeTool.ts';
import { defineTool } from './tool.ts';

export const taskTool = defineTool({
  name: 'Task',
  description: [
    'Gives a task to a sub-agent, which works on it with a context of its own and hands back one message. For searches over many files and for work whose details you need not see.',
    'explore only looks: several of them can work at the same time, when you call them in one message. general-purpose has your tools, edits and commands included; the user is asked as for yours.',
    'It knows nothing of this conversation: write all it needs into prompt, say whether it is to change something, and what it shall hand back. Check what it says before you rely on it.',
  ].join('\n'),
  input: () => z.object({
    description: z.string().min(1).describe('The task in three to five words, for the user.'),
    prompt: z.string().min(1).describe('The whole task.'),
    subagent_type: z.enum(subAgentTypes).describe('explore to look, general-purpose to work.'),
  }),
  // Each call of the sub-agent is decided for itself.
  access: 'own',
  needs: 'startSubAgent',
  concurrencySafe: (input) => (input as { readonly subagent_type?: unknown } | null)?.subagent_type === 'explore',
  async plan(input) {
    return { title: describeTool('Task', input).title, paths: [], state: undefined };
  },
  async *run({ input }, { startSubAgent, model, permissionMode, signal, toolUseId }) {
    if (!startSubAgent) throw new TurnstoneError('configuration', 'There are no sub-agents here. Do it yourself.');
    const outcome = yield* startSubAgent({ type: input.subagent_type, description: input.description, prompt: input.prompt, model: model(), permissionMode, signal, toolUseId });
    const { denials } = outcome;
    if (outcome.error === undefined) return { content: outcome.text || '(The sub-agent said nothing.)', denials };
    return { denials, content: [`The sub-agent did not come to an end: ${outcome.error}`, ...(outcome.text ? [`What it said last:\n${outcome.text}`] : [])].join('\n\n'), isError: true };
  },
});
