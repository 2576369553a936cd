import { childController, raceAbort } from '../base/abort.ts';
import { AsyncQueue } from '../base/asyncQueue.ts';
import { abortedError, errorText, isAborted } from '../base/errors.ts';
import type { ToolUseBlock } from '../protocol/contentBlocks.ts';
import type { ToolProgress } from '../protocol/messages.ts';
import type { PermissionDecision } from '../protocol/permissions.ts';
import type { ToolStarter } from './model/requestModel.ts';
import { maxParallel, runCall } from './runTools.ts';
import type { EarlyRuns } from './runTools.ts';
import type { FinishedCall, ToolRunner } from './toolCall.ts';
import type { ReadFileState } from './tools/readFileState.ts';

interface EarlyCall {
  readonly call: ToolUseBlock;
  readonly progress: AsyncQueue<ToolProgress>;
  /** That a rule or the mode allows it: told when it is taken. */
  readonly decisions: PermissionDecision[];
  /** Undefined when it was not run after all: somebody has to be asked first. */
  outcome: Promise<FinishedCall | undefined>;
}

/**
 * Starts the calls of a message that still comes in: those that only read, need nobody's consent and stand
 * before any call that changes something. Nothing of them is seen until `take`; an attempt that is withdrawn takes what
 * they did with it, what they have read included.
 */
export class EarlyCalls implements ToolStarter, EarlyRuns {
  readonly #runner: ToolRunner;
  #calls = new Map<string, EarlyCall>();
  #waiting: (() => void)[] = [];
  #running = 0;
  #closed = false;
  /** Only while something was started: it listens to the whole turn. */
  #controller: ReturnType<typeof childController> | undefined;
  #read: { readonly state: ReadFileState; readonly adopted: Map<string, unknown> } | undefined;

  constructor(runner: ToolRunner) {
    this.#runner = runner;
  }

  start(call: ToolUseBlock | undefined): void {
    const tool = call && this.#runner.tools.find((each) => each.name === call.name);
    // What comes after a change must see it, so it waits for it.
    if (!call || !tool?.concurrencySafe || tool.access !== 'read' || this.#calls.has(call.id)) this.#closed = true;
    if (!call || this.#closed || this.#runner.signal.aborted) return;
    const early: EarlyCall = { call, progress: new AsyncQueue(), decisions: [], outcome: Promise.resolve(undefined) };
    this.#controller ??= childController(this.#runner.signal);
    early.outcome = this.#run(early, this.#controller.signal);
    this.#calls.set(call.id, early);
  }

  discard(): void {
    this.#controller?.abort('withdrawn');
    this.#controller?.dispose();
    for (const wake of this.#waiting) wake();
    this.#controller = undefined;
    this.#calls = new Map();
    this.#waiting = [];
    this.#running = 0;
    this.#closed = false;
    this.#read = undefined;
  }

  /** What became of a call that was started early: its progress, then its outcome. Otherwise it is run now. */
  async *take(call: ToolUseBlock): AsyncGenerator<ToolProgress, FinishedCall, void> {
    const early = this.#calls.get(call.id);
    if (!early) return yield* runCall(call, undefined, this.#runner);
    // Taken once: nothing waits for a call that has been handed out.
    this.#calls.delete(call.id);
    for await (const progress of early.progress) yield progress;
    const outcome = await early.outcome;
    this.#adoptRead();
    if (!outcome) return yield* runCall(call, undefined, this.#runner);
    for (const decision of early.decisions) this.#runner.onDecision(call, decision);
    return outcome;
  }

  async #run(early: EarlyCall, signal: AbortSignal): Promise<FinishedCall | undefined> {
    if (this.#running >= maxParallel) await new Promise<void>((wake) => this.#waiting.push(wake));
    // Woken by `discard`: what is counted now are the calls of the next attempt.
    const isCurrent = (): boolean => signal === this.#controller?.signal;
    if (isCurrent()) this.#running++;
    try {
      return signal.aborted ? undefined : await this.#runNow(early, signal);
    } catch (thrown) {
      // Whatever went wrong here, the call has a second chance when it is taken.
      if (!isAborted(thrown)) this.#runner.log.error(`${early.call.name} could not be started early: ${errorText(thrown)}`);
      return undefined;
    } finally {
      early.progress.end();
      if (isCurrent()) {
        this.#running--;
        this.#waiting.shift()?.();
      }
    }
  }

  async #runNow(early: EarlyCall, signal: AbortSignal): Promise<FinishedCall | undefined> {
    let mustAsk = false;
    const refuse = (): never => {
      mustAsk = true;
      throw abortedError('it is too early to ask');
    };
    const context = { ...this.#runner.context, readFileState: this.#readState() };
    const decide: ToolRunner['onDecision'] = (_call, decision) => (decision.behavior === 'allow' ? void early.decisions.push(decision) : refuse());
    const run = runCall(early.call, undefined, { ...this.#runner, context, signal, canUseTool: async () => refuse(), onDecision: decide });
    for (;;) {
      // A tool that does not heed the signal must not hold up the end of the turn.
      const step = await raceAbort(run.next(), signal);
      if (step.done) return mustAsk ? undefined : step.value;
      early.progress.push(step.value);
    }
  }

  /** One copy for all calls of an attempt, so that they see what each other has read. */
  #readState(): ReadFileState {
    const { readFileState } = this.#runner.context;
    this.#read ??= { state: readFileState.clone(), adopted: new Map(readFileState.list().map(({ path, seen }) => [path, seen])) };
    return this.#read.state;
  }

  #adoptRead(): void {
    if (!this.#read) return;
    const { state, adopted } = this.#read;
    for (const { path, seen } of state.list()) {
      if (adopted.get(path) === seen) continue;
      this.#runner.context.readFileState.record(path, seen);
      adopted.set(path, seen);
    }
  }
}
