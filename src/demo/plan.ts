/** A call of one of the agent's tools. */
export interface DemoCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What came back from a call, as text. */
export interface DemoResult {
  readonly text: string;
  readonly isError: boolean;
}

/** What a skill is asked to do. */
export interface DemoTask {
  readonly prompt: string;
  /** The groups of the skill's pattern. */
  readonly words: readonly (string | undefined)[];
  /** The working directory, absolute. */
  readonly cwd: string;
  /** The tools that may be called, by name. */
  readonly tools: ReadonlySet<string>;
}

/** One thing to do next: words for the user, and the call that they announce. */
export interface DemoStep {
  readonly say: string;
  readonly call: DemoCall;
}

/**
 * A job, written as the steps it takes: yields each call, is handed its result, returns the closing words. It must
 * depend on nothing but its task and the results, because for every request it is run again from the start with the
 * results that are in the conversation: that is how the demo model works without memory.
 */
export type DemoJob = Generator<DemoStep, string, DemoResult>;

/** One kind of job the demo model can do. */
export interface DemoSkill {
  /** A sentence to try, matched by `pattern`. */
  readonly example: string;
  readonly pattern: RegExp;
  run(task: DemoTask): DemoJob;
}

/** What a request is answered with: words, then at most one call. */
export interface DemoReply {
  readonly text: string;
  readonly call: DemoCall | undefined;
}

/** Ends a job early with these closing words. Thrown by the helpers that skills share, caught where jobs are run. */
export class StopJob extends Error {
  override readonly name = 'StopJob';
}
