import { TurnstoneError } from '../base/errors.ts';
import type { AgentChange, RewindChoice, RewindOutcome, RewindPlan, RewindTarget, UndoSelection, WayBack } from '../protocol/rewind.ts';
import type { SessionRewind } from './sessionRewind.ts';

/** What a session offers for going back; the other part of it is `QueryEngine`. Going back waits for no turn: it refuses. */
export abstract class RewindableSession {
  abstract get isRunning(): boolean;
  abstract get isReadOnly(): boolean;

  protected abstract get wayBack(): SessionRewind;
  /** The conversation was read anew. */
  protected abstract wentBack<Outcome>(outcome: Outcome): Outcome;

  get canUndoRewind(): boolean {
    return !this.isRunning && this.wayBack.canUndo;
  }

  rewindTargets(): readonly RewindTarget[] {
    return this.wayBack.targets();
  }

  planRewind(messageId: string): Promise<RewindPlan> {
    return this.wayBack.plan(messageId);
  }

  snapshotContent(messageId: string, path: string): Promise<Uint8Array | undefined> {
    return this.wayBack.contentAt(messageId, path);
  }

  rewind(messageId: string, choice: RewindChoice): Promise<RewindOutcome> {
    return this.#goBack(() => this.wayBack.rewind(messageId, choice));
  }

  planUndoRewind(): Promise<RewindPlan> {
    return this.wayBack.planUndo();
  }

  undoRewind(choice: Partial<RewindChoice> = {}): Promise<RewindOutcome> {
    return this.#goBack(() => this.wayBack.undo(choice));
  }

  get canRedoRewind(): boolean {
    return !this.isRunning && this.wayBack.canRedo;
  }

  planRedoRewind(): Promise<RewindPlan> {
    return this.wayBack.planRedo();
  }

  redoRewind(choice: Partial<RewindChoice> = {}): Promise<RewindOutcome> {
    return this.#goBack(() => this.wayBack.redo(choice));
  }

  changes(): readonly AgentChange[] {
    return this.wayBack.changes();
  }

  planUndo(selection: UndoSelection): Promise<RewindPlan> {
    return this.wayBack.planPart(selection);
  }

  undo(selection: UndoSelection, choice: Partial<RewindChoice> = {}): Promise<RewindOutcome> {
    return this.#goBack(() => this.wayBack.undoPart(selection, choice));
  }

  contentAfter(way: WayBack, path: string, how: 'overwrite' | 'merge'): Promise<Uint8Array | undefined> {
    return this.wayBack.contentAfter(way, path, how);
  }

  async #goBack(go: () => Promise<RewindOutcome>): Promise<RewindOutcome> {
    if (this.isReadOnly) throw new TurnstoneError('session_in_use', 'This session can only be read here, so nothing was taken back. Go on in a copy of it; or, where it is open in another program, close it there and open it here again.');
    if (this.isRunning) throw new TurnstoneError('invalid_input', 'A turn is running. Wait for it or interrupt it, then rewind.');
    return this.wentBack(await go());
  }
}
