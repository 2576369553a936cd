import type { ApiFailure } from '../../protocol/apiFailure.ts';

/** Tokens, as the server counted them. */
export interface TooLong {
  readonly actual: number;
  readonly limit: number;
}

/** The figures in "prompt is too long: 205030 tokens > 200000 maximum"; undefined where the server names none. */
export function promptTooLong(failure: ApiFailure): TooLong | undefined {
  const match = /(\d[\d,]*) tokens > (\d[\d,]*)/i.exec(failure.message);
  return match ? { actual: toNumber(match[1]!), limit: toNumber(match[2]!) } : undefined;
}

/** For the user, when nothing more can be left out. */
export function tooLongMessage(told: TooLong | undefined, contextWindow: number): string {
  const figures = told ? `${told.actual} tokens, the model takes ${told.limit}` : `the model’s window has ${contextWindow} tokens`;
  return `The conversation does not fit the model’s context window (${figures}), and nothing more can be left out: your request, the instructions and the last results take all of it. Everything is saved. Start a new session, rewind to an earlier message, or choose a model with a larger window.`;
}

function toNumber(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}
