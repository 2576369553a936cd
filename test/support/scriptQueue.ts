import type { MessagesRequest } from './apiTypes.ts';
import type { ScriptedTurn } from './scriptedTurn.ts';

/** The turns still to come. Asides are tried first and never used up; then only the next turn of the script may match. */
export class ScriptQueue {
  private readonly turns: ScriptedTurn[];
  private readonly asides: readonly ScriptedTurn[];
  private usesOfFirst = 0;
  private taken = 0;

  constructor(turns: readonly ScriptedTurn[], asides: readonly ScriptedTurn[]) {
    this.turns = [...turns];
    this.asides = asides;
  }

  push(...more: ScriptedTurn[]): void {
    this.turns.push(...more);
  }

  /** The turn that answers this request, or why there is none. */
  take(request: MessagesRequest): ScriptedTurn | string {
    const aside = this.asides.find(turn => turn.when?.(request) === true);
    if (aside !== undefined) return aside;
    const next = this.turns[0];
    if (next === undefined) return `the script has no turn left (${this.taken} used)`;
    const verdict = next.when?.(request) ?? true;
    if (verdict !== true) {
      // A turn that has been used and may be used again can also be over.
      if (this.usesOfFirst > 0) return this.skip(request);
      const reason = typeof verdict === 'string' ? `: ${verdict}` : '';
      return `turn ${this.taken + 1} of the script does not expect this request${reason}`;
    }
    this.usesOfFirst += 1;
    if (this.usesOfFirst >= (next.times ?? 1)) this.dropFirst();
    return next;
  }

  /** One line per turn that was never used. */
  unused(): string[] {
    const begun = this.usesOfFirst > 0 ? 1 : 0;
    return this.turns.slice(begun).map((_, index) => `turn ${this.taken + begun + index + 1} of the script was not used`);
  }

  private skip(request: MessagesRequest): ScriptedTurn | string {
    this.dropFirst();
    return this.take(request);
  }

  private dropFirst(): void {
    this.turns.shift();
    this.taken += 1;
    this.usesOfFirst = 0;
  }
}
