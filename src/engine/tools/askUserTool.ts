import * as z from 'zod';
import { raceAbort } from '../../base/abort.ts';
import { TurnstoneError } from '../../base/errors.ts';
import type { UserAnswer, UserQuestion } from '../../protocol/userQuestions.ts';
import { describeTool } from './describeTool.ts';
import { defineTool } from './tool.ts';

export const askUserTool = defineTool({
  name: 'AskUser',
  description: [
    'Asks the user one to four questions with ready answers, and waits. They may also write an answer of their own.',
    'For decisions that only they can take and that change what you do next; not to ask whether to go on, and not for what you can find out yourself.',
  ].join('\n'),
  input: () => z.object({
    questions: z
      .array(
        z.object({
          question: z.string().min(1).describe('The whole question, ending in a question mark.'),
          header: z.string().describe('One or two words that name it.'),
          options: z
            .array(z.object({ label: z.string().min(1).describe('The answer, in a few words.'), description: z.string().describe('What it means, what follows from it.') }))
            .min(2)
            .max(4)
            .describe('Two to four answers that exclude each other, unless multiSelect is set.'),
          multiSelect: z.boolean().describe('Whether more than one may be chosen.'),
        }),
      )
      .min(1)
      .max(4)
      .describe('The questions.'),
  }),
  access: 'own',
  needs: 'askUser',
  concurrencySafe: false,
  async plan(input) {
    return { title: describeTool('AskUser', input).title, paths: [], state: undefined };
  },
  async *run({ input }, { askUser, signal }) {
    if (!askUser) throw new TurnstoneError('configuration', 'Nobody can be asked here. Decide yourself and say what you assumed.');
    const answers = await raceAbort(askUser(input.questions, signal), signal);
    if (!answers) return { content: 'The user did not want to answer. Go on with what you know, and say what you assumed; or ask in your answer what you need.' };
    return { content: input.questions.map((question, index) => answered(question, answers[index])).join('\n\n') };
  },
});

function answered(question: UserQuestion, answer: UserAnswer | undefined): string {
  const own = answer?.other?.trim();
  const parts = [...(answer?.chosen ?? []), ...(own ? [`in their own words: ${own}`] : [])];
  return `${question.question}\n${parts.length > 0 ? parts.map((part) => `- ${part}`).join('\n') : '- (no answer)'}`;
}
