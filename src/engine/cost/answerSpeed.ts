import type { AnswerSpeed } from '../../protocol/usage.ts';

/** How long one answer took. Milliseconds. */
export interface AnswerTiming {
  /** From the request to the first sign of an answer. */
  readonly firstTokenMs: number;
  /** From there to its end. */
  readonly outputMs: number;
}

/** Shorter than this, a pace says more of the network's buffers than of the model. Milliseconds. */
const shortestOutputMs = 100;

/** Of one answer, or of those of a turn, oldest first: how long the first one was waited for, and the pace of all together. */
export function answerSpeed(answers: readonly (AnswerTiming & { readonly outputTokens: number })[]): AnswerSpeed {
  const paced = answers.filter(({ outputMs }) => outputMs >= shortestOutputMs);
  const sum = (field: 'outputTokens' | 'outputMs'): number => paced.reduce((total, answer) => total + answer[field], 0);
  return {
    time_to_first_token_ms: answers[0]?.firstTokenMs ?? null,
    output_tokens_per_second: paced.length > 0 ? Math.round((sum('outputTokens') / sum('outputMs')) * 10_000) / 10 : null,
  };
}
