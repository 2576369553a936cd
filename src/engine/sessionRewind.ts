import { assertNever } from '../base/assertNever.ts';
import { TurnstoneError } from '../base/errors.ts';
import { textOf } from '../protocol/contentBlocks.ts';
import type { SDKUserMessage, SessionMessage, Todo, Told } from '../protocol/messages.ts';
import type { AgentChange, RewindChoice, RewindOutcome, RewindPlan, RewindTarget, UndoSelection, WayBack } from '../protocol/rewind.ts';
import type { RewindLine } from '../protocol/transcript.ts';
import type { EngineParts } from './engineParts.ts';
import { loadTranscript } from './transcript/loadTranscript.ts';
import type { PromptEntry } from './transcript/loadTranscript.ts';

/**
 * Going back, for one session: the file history knows the files, this knows the conversation. After a rewind the
 * conversation is read back from the transcript, so that what is shown and sent is what a restart would find.
 */
export class SessionRewind {
  readonly #parts: EngineParts;
  /** The engine's own array, changed in place. */
  readonly #messages: SessionMessage[];
  /** On the active branch, oldest first. */
  #prompts: PromptEntry[];
  #todos: readonly Todo[] = [];
  #told: readonly Told[] = [];

  constructor(parts: EngineParts, messages: SessionMessage[]) {
    this.#parts = parts;
    this.#messages = messages;
    this.#prompts = [...(parts.loaded?.allUserMessages ?? [])];
  }

  /** A prompt is about to be kept; call before it is recorded. */
  addPrompt(message: SDKUserMessage): void {
    this.#prompts.push({
      uuid: message.uuid,
      parentUuid: this.#parts.store.leafUuid,
      text: textOf(message.message.content),
      timestamp: message.timestamp ?? '',
    });
  }

  /** What the conversation began with, also where a compaction has dropped it; '' in an empty one. */
  get firstPrompt(): string {
    return this.#prompts[0]?.text ?? '';
  }

  get canUndo(): boolean {
    return this.#parts.history.undoable !== undefined;
  }

  get canRedo(): boolean {
    return this.#redoable() !== undefined;
  }

  /** As they stood where the last rewind went. */
  get todos(): readonly Todo[] {
    return this.#todos;
  }

  /** As the transcript has it. */
  get told(): readonly Told[] {
    return this.#told;
  }

  /** Of the active branch. */
  get lastPromptId(): string | undefined {
    return this.#prompts.at(-1)?.uuid;
  }

  targets(): readonly RewindTarget[] {
    const lines = linesByPrompt(this.#messages);
    return this.#parts.history.targets(this.#prompts).map((target) => ({ ...target, ...lines.get(target.messageId) }));
  }

  async plan(messageId: string): Promise<RewindPlan> {
    this.#find(messageId);
    await this.#parts.history.settleBetweenTurns();
    return this.#parts.history.planRewind(messageId, this.#branch(), this.#messagesFrom(messageId));
  }

  contentAt(messageId: string, path: string): Promise<Uint8Array | undefined> {
    this.#find(messageId);
    return this.#parts.history.contentAt(messageId, this.#branch(), path);
  }

  async rewind(messageId: string, choice: RewindChoice): Promise<RewindOutcome> {
    const prompt = this.#find(messageId);
    const { history, store } = this.#parts;
    await history.settleBetweenTurns();
    const previousLeafUuid = store.leafUuid;
    const leafUuid = choice.scope === 'files' ? previousLeafUuid : prompt.parentUuid;
    const { line, ...outcome } = await history.rewind({ messageId, branch: this.#branch(), choice, leafUuid, previousLeafUuid });
    await this.#goTo(line);
    return { ...outcome, prompt: prompt.text };
  }

  /**
   * Begins a new conversation: the cursor goes before the first prompt, with a line like that of any rewind, so that it
   * can be taken back. No file is touched. False when nothing was said yet.
   */
  async clear(): Promise<boolean> {
    const first = this.#prompts[0];
    if (first) await this.rewind(first.uuid, { scope: 'conversation', skip: [], overwrite: [] });
    return first !== undefined;
  }

  async planUndo(): Promise<RewindPlan> {
    await this.#parts.history.settleBetweenTurns();
    const line = this.#undoable();
    return { ...(await this.#parts.history.planUndo(line)), messagesRemoved: this.#messagesAfter(line) };
  }

  async undo(choice: Partial<RewindChoice>): Promise<RewindOutcome> {
    const last = this.#undoable();
    const { history, store } = this.#parts;
    await history.settleBetweenTurns();
    const before = this.#branch();
    const { line, ...outcome } = await history.undo(last, { scope: last.scope, skip: [], overwrite: [], ...choice }, store.leafUuid);
    await this.#goTo(line);
    return { ...outcome, prompt: this.#prompts.find(({ uuid }) => !before.includes(uuid))?.text ?? '' };
  }

  async planRedo(): Promise<RewindPlan> {
    await this.#parts.history.settleBetweenTurns();
    return this.#parts.history.planRedo(this.#requireRedoable(), this.#branch());
  }

  async redo(choice: Partial<RewindChoice>): Promise<RewindOutcome> {
    const undoing = this.#requireRedoable();
    const { history, store } = this.#parts;
    await history.settleBetweenTurns();
    const before = this.#prompts;
    const { line, ...outcome } = await history.redo(undoing, this.#branch(), { scope: undoing.scope, skip: [], overwrite: [], ...choice }, store.leafUuid);
    await this.#goTo(line);
    const after = this.#branch();
    return { ...outcome, prompt: before.find(({ uuid }) => !after.includes(uuid))?.text ?? '' };
  }

  changes(): readonly AgentChange[] {
    const redoable = this.#parts.history.undoable?.selection?.toolUseId;
    return this.#parts.history.changes().map((change) => (change.isUndone && change.toolUseId !== undefined && change.toolUseId === redoable ? { ...change, canRedo: true } : change));
  }

  async planPart(selection: UndoSelection): Promise<RewindPlan> {
    await this.#parts.history.settleBetweenTurns();
    return this.#parts.history.planSelectiveUndo(selection);
  }

  async undoPart(selection: UndoSelection, choice: Partial<RewindChoice>): Promise<RewindOutcome> {
    const { history, store } = this.#parts;
    await history.settleBetweenTurns();
    const { line, ...outcome } = await history.undoSelected(selection, { scope: 'files', skip: [], overwrite: [], ...choice }, store.leafUuid);
    await this.#goTo(line);
    return { ...outcome, prompt: '' };
  }

  async contentAfter(way: WayBack, path: string, how: 'overwrite' | 'merge'): Promise<Uint8Array | undefined> {
    const { history } = this.#parts;
    switch (way.kind) {
      case 'rewind':
        this.#find(way.messageId);
        return how === 'merge' ? history.mergedAt(way.messageId, this.#branch(), path) : history.contentAt(way.messageId, this.#branch(), path);
      case 'undo':
        return history.contentAfterSelectiveUndo(way.selection, path, how);
      case 'undoRewind':
        return history.contentAfterUndo(this.#undoable(), path, how);
      case 'redoRewind':
        return history.contentAfterRedo(this.#requireRedoable(), this.#branch(), path, how);
      default:
        return assertNever(way);
    }
  }

  async #goTo(line: RewindLine): Promise<void> {
    const { files, store, readFileState } = this.#parts;
    store.moveTo(line.leafUuid);
    const loaded = await loadTranscript(files, store.path);
    this.#messages.splice(0, this.#messages.length, ...loaded.messages);
    this.#prompts = [...loaded.allUserMessages];
    this.#todos = loaded.todos;
    this.#told = loaded.told;
    // What the model has read of these files belongs to the conversation that was cut.
    if (line.scope !== 'files') for (const file of line.files) readFileState.forget(file.path);
  }

  #undoable(): RewindLine {
    const { undoable } = this.#parts.history;
    if (undoable) return undoable;
    throw new TurnstoneError('invalid_input', 'There is no rewind to undo: none was made, or all were undone. Nothing was changed.');
  }

  #redoable(): RewindLine | undefined {
    return this.#parts.history.redoable(this.#parts.store.leafUuid);
  }

  #requireRedoable(): RewindLine {
    const undoing = this.#redoable();
    if (undoing) return undoing;
    throw new TurnstoneError('invalid_input', 'There is nothing to redo: no rewind was undone, or something was said since. Nothing was changed.');
  }

  #find(messageId: string): PromptEntry {
    const prompt = this.#prompts.find((entry) => entry.uuid === messageId);
    if (prompt) return prompt;
    throw new TurnstoneError('not_found', `There is no message ${messageId} to go back to in this conversation. Nothing was changed.`);
  }

  /** Of the conversation, since a rewind; 0 where it stays as it is. */
  #messagesAfter({ scope, leafUuid }: RewindLine): number {
    return scope === 'files' ? 0 : this.#messages.length - 1 - this.#messages.findIndex(({ uuid }) => uuid === leafUuid);
  }

  #branch(): string[] {
    return this.#prompts.map((prompt) => prompt.uuid);
  }

  #messagesFrom(messageId: string): number {
    const index = this.#messages.findIndex((message) => message.uuid === messageId);
    return index < 0 ? this.#messages.length : this.#messages.length - index;
  }
}

/** Of the edits in each turn, where its messages are still there. */
function linesByPrompt(messages: readonly SessionMessage[]): ReadonlyMap<string, { readonly linesAdded: number; readonly linesRemoved: number }> {
  const lines = new Map<string, { linesAdded: number; linesRemoved: number }>();
  let current: { linesAdded: number; linesRemoved: number } | undefined;
  for (const message of messages) {
    if (message.type !== 'user') continue;
    const result = message.tool_use_result;
    if (result?.kind === 'edit' && current) {
      current.linesAdded += result.change.linesAdded;
      current.linesRemoved += result.change.linesRemoved;
    } else if (!result && !message.isMeta && !hasToolResult(message)) {
      lines.set(message.uuid, (current = { linesAdded: 0, linesRemoved: 0 }));
    }
  }
  return lines;
}

function hasToolResult({ message }: SDKUserMessage): boolean {
  return typeof message.content !== 'string' && message.content.some((block) => block.type === 'tool_result');
}
