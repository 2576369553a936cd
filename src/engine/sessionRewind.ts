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
  #lastRewind: RewindLine | undefined;
  #todos: readonly Todo[] = [];
  #told: readonly Told[] = [];

  constructor(parts: EngineParts, messages: SessionMessage[]) {
    this.#parts = parts;
    this.#messages = messages;
    this.#prompts = [...(parts.loaded?.allUserMessages ?? [])];
    this.#lastRewind = parts.loaded?.undoableRewind;
  }

  /** A prompt is about to be kept; call before it is recorded. */
  addPrompt(message: SDKUserMessage): void {
    this.#lastRewind = undefined;
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
    return this.#lastRewind !== undefined;
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
    return this.#parts.history.planUndo(this.#undoable());
  }

  async undo(choice: Partial<RewindChoice>): Promise<RewindOutcome> {
    const last = this.#undoable();
    await this.#parts.history.settleBetweenTurns();
    const promptsBefore = this.#prompts.length;
    const { line, ...outcome } = await this.#parts.history.undo(last, { scope: last.scope, skip: [], overwrite: [], ...choice });
    await this.#goTo(line);
    return { ...outcome, prompt: this.#prompts[promptsBefore]?.text ?? '' };
  }

  changes(): readonly AgentChange[] {
    return this.#parts.history.changes();
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
    this.#lastRewind = line;
    // What the model has read of these files belongs to the conversation that was cut.
    if (line.scope !== 'files') for (const file of line.files) readFileState.forget(file.path);
  }

  #undoable(): RewindLine {
    if (this.#lastRewind) return this.#lastRewind;
    throw new TurnstoneError('invalid_input', 'There is no rewind to undo: something was said since, or none was made.');
  }

  #find(messageId: string): PromptEntry {
    const prompt = this.#prompts.find((entry) => entry.uuid === messageId);
    if (prompt) return prompt;
    throw new TurnstoneError('not_found', `There is no message ${messageId} to go back to in this conversation. Nothing was changed.`);
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
