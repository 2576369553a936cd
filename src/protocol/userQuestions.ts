/** A question with ready answers, put to the user by the model. */
export interface UserQuestion {
  readonly question: string;
  /** A word or two, for a tab or a chip. */
  readonly header: string;
  readonly options: readonly { readonly label: string; readonly description: string }[];
  /** More than one option may be chosen. */
  readonly multiSelect: boolean;
}

export interface UserAnswer {
  /** Labels of the chosen options. */
  readonly chosen: readonly string[];
  /** What the user wrote instead or beside. */
  readonly other?: string | undefined;
}

/**
 * Called by the engine, answered by the host: one answer per question, in their order; undefined when the user does not
 * want to answer. Rejects with an `aborted` error when the turn is interrupted.
 */
export type AskUser = (questions: readonly UserQuestion[], signal: AbortSignal) => Promise<readonly UserAnswer[] | undefined>;
