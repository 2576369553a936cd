import * as z from 'zod';

/** How much a model shall put into an answer. Sent only when somebody chose one. */
export const effortSchema = z.enum(['low', 'medium', 'high', 'max']);
export type Effort = z.infer<typeof effortSchema>;

/** off = no thinking; auto = the model decides; a number = at most so many tokens of thinking, at least 1,024 (the API's minimum). */
export const thinkingChoiceSchema = z.union([z.enum(['off', 'auto']), z.number().int().min(1_024)]);
export type ThinkingChoice = z.infer<typeof thinkingChoiceSchema>;

/** What was chosen for a session or a turn; what is left out is left to the model. */
export interface ReasoningChoice {
  readonly thinking?: ThinkingChoice | undefined;
  readonly effort?: Effort | undefined;
}
