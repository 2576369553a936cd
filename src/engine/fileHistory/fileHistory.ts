import { errorText, TurnstoneError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { plural } from '../../base/text.ts';
import type { AgentChange, RewindChoice, RewindOutcome, RewindPlan, RewindTarget, UndoSelection } from '../../protocol/rewind.ts';
import type { ChangeSetLine, RewindLine, SnapshotLine } from '../../protocol/transcript.ts';
import type { Digest, Documents, FileSystem, GitContents, TextEncodings, TreeNews, TreeScanner, UserWrites } from '../ports.ts';
import type { FileHistoryRecorder, SetFile, SetRecording, ShellRecording } from '../tools/tool.ts';
import type { TranscriptStore } from '../transcript/transcriptStore.ts';
import { applyRewind, type AppliedRewind } from './applyRewind.ts';
import type { BlobStore } from './blobStore.ts';
import { FileStates } from './fileStates.ts';
import { Restoration, type PreparedFiles } from './restoration.ts';
import { SetJournal } from './setJournal.ts';
import { agentChanges, isSelected, rewindTargets } from './agentChanges.ts';
import { placeBefore, historiesToRedo, historiesToUndo, redoableUndo, undoableRewind } from './rewindTree.ts';
import { commandsNotCovered, withDoubts } from './shellCommands.ts';
import { ShellSnapshot } from './shellSnapshot.ts';
import type { ShellFindings } from './shellSnapshot.ts';
import { StatIndex } from './statIndex.ts';
import { undoneChanges } from './undoneChanges.ts';
import { WritesByOthers } from './writesByOthers.ts';
import { fileEvents, historiesOf, historiesSince, sameState, sequenceOfMessage, type FileEvent, type PathHistory } from './rewindPlan.ts';

export interface FileHistoryOptions {
  readonly files: FileSystem;
  readonly digest: Digest;
  readonly documents: Documents;
  readonly encodings?: TextEncodings | undefined;
  readonly blobs: BlobStore;
  readonly store: Pick<TranscriptStore, 'record' | 'commit' | 'flush' | 'leafUuid'>;
  /** Of the loaded transcript, in file order. */
  readonly snapshots: readonly SnapshotLine[];
  readonly rewinds: readonly RewindLine[];
  readonly changeSets: readonly ChangeSetLine[];
  readonly log: Log;
  /** Bytes of the transcript that were not read: lines there have lower numbers than this. Default: 0. */
  readonly skippedBytes?: number | undefined;
  /** True: nothing is kept from now on; what was kept before can still be brought back. */
  readonly isOff?: boolean | undefined;
  /** What shell commands change is found with these; without them each command counts as not covered. */
  /** What others do while commands run; default: nothing is known of it. */
  readonly userWrites?: UserWrites | undefined;
  readonly sessions?: { readonly dataRoot: string; readonly own: string } | undefined;
  readonly workspace?: { readonly roots: readonly string[]; readonly scanner: TreeScanner; readonly news?: TreeNews | undefined; readonly git: GitContents; readonly whyDenied?: ((path: string) => string | undefined) | undefined } | undefined;
}

export interface RewindRequest {
  readonly messageId: string;
  /** Uuids of the user messages on the active branch, oldest first. */
  readonly branch: readonly string[];
  readonly choice: RewindChoice;
  /** Where the conversation stands after it and before it. */
  readonly leafUuid: string | null;
  readonly previousLeafUuid: string | null;
}

/** The outcome and the line that committed it, by which it can be undone. `prompt` is the session's to add. */
export type FileRewindOutcome = Omit<RewindOutcome, 'prompt'> & { readonly line: RewindLine };

/**
 * What the agent's tools did to files, by user message, and the way back. Invariant: no tool and no rewind overwrites
 * content that is not kept as a blob and named by a transcript line that is on disk.
 */
export class FileHistory implements FileHistoryRecorder {
  readonly #options: FileHistoryOptions;
  readonly #states: FileStates;
  readonly #restoration: Restoration;
  readonly #selectiveUndo: Restoration;
  readonly #snapshots: SnapshotLine[];
  readonly #rewinds: RewindLine[];
  #sequence: number;
  #messageId: string | undefined;
  /** Changes from here on may be taken back on their own: they are never noted as part of earlier ones. */
  #mark = 0;
  readonly #sets: SetJournal;
  readonly #shell: ShellSnapshot | undefined;
  #lookedAhead = true;

  constructor(options: FileHistoryOptions) {
    this.#options = options;
    this.#states = new FileStates(options);
    this.#restoration = new Restoration({ ...options, states: this.#states, mergesByItself: false });
    // To keep what came after is what undoing a part is for.
    this.#selectiveUndo = new Restoration({ ...options, states: this.#states, mergesByItself: true });
    this.#snapshots = [...options.snapshots];
    this.#rewinds = [...options.rewinds];
    this.#sequence = [...this.#snapshots, ...this.#rewinds, ...options.changeSets].reduce((highest, line) => Math.max(highest, line.sequence ?? 0), options.skippedBytes ?? 0);
    this.#sets = new SetJournal({ ...options, states: this.#states, restoration: this.#restoration, events: () => this.#events(), snapshots: this.#snapshots, nextSequence: () => ++this.#sequence, rollBack: (messageId, files) => this.#rollBack(messageId, files) });
    const workspace = options.isOff ? undefined : options.workspace;
    const record = (findings: ShellFindings): Promise<void> => this.#recordFindings(findings);
    this.#shell = workspace && new ShellSnapshot({ ...options, roots: workspace.roots, states: this.#states, index: new StatIndex({ ...options, ...workspace }), others: new WritesByOthers(options), record });
  }

  /** Opens the snapshot of a user message; what is recorded from now on belongs to it. */
  startMessage(messageId: string): void {
    this.#messageId = messageId;
    this.#snapshots.push(this.#options.store.record({ ...this.#snapshotLine(), isSnapshotUpdate: false }));
  }

  async beforeWrite(path: string, toolUseId?: string): Promise<void> {
    if (this.#options.isOff) return;
    const real = await this.#options.files.realpath(path);
    try {
      await this.#shell?.beforeWrite(real);
      const before = await this.#states.read(real, true, false);
      const last = this.#events().findLast((event) => event.path === real);
      // Already kept for this call, and nobody else wrote to it since.
      if (last && last.sequence > this.#mark && last.owner === this.#messageId && last?.toolUseId === toolUseId && last?.after && sameState(last.after, before)) return;
      const line = { ...this.#snapshotLine(), files: [{ path: real, before }], ...(toolUseId !== undefined && { toolUseId }) };
      const [committed] = await Promise.all([this.#options.store.commit(line), before.kind === 'file' && this.#options.blobs.makeDurable(before.hash)]);
      this.#snapshots.push(committed);
    } catch (thrown) {
      throw new TurnstoneError('disk', `${path} was not changed, because what it holds now could not be kept first. ${errorText(thrown)}`, { cause: thrown });
    }
  }

  /** Never rejects, since the file is written: when it can't be read, a rewind will ask as if the user had changed it. */
  async afterWrite(path: string, toolUseId?: string): Promise<void> {
    if (this.#options.isOff) return;
    try {
      const real = await this.#options.files.realpath(path);
      // Of use for merging only: no reason to wait for the disk.
      const after = await this.#states.read(real, true, false);
      await this.#shell?.noteWrite(real);
      this.#snapshots.push(this.#options.store.record({ ...this.#snapshotLine(), files: [{ path: real, after }], ...(toolUseId !== undefined && { toolUseId }) }));
    } catch (thrown) {
      this.#options.log.warn(`What was written to ${path} could not be read again: ${errorText(thrown)}`);
    }
  }

  async beginSet(files: readonly SetFile[]): Promise<SetRecording> {
    this.#mark = this.#sequence;
    const real = await Promise.all(files.map(async (file) => ({ ...file, path: await this.#options.files.realpath(file.path) })));
    return this.#sets.begin(this.#snapshotLine().messageId, real, this.#mark);
  }

  async shellCommand(command: string, toolUseId?: string): Promise<ShellRecording> {
    const shellRun = crypto.randomUUID();
    const line = { ...this.#snapshotLine(), ...(toolUseId !== undefined && { toolUseId }), shellRun };
    const { messageId } = line;
    this.#snapshots.push(this.#options.store.record({ ...line, shellCommand: command }));
    const shell = this.#shell;
    if (!shell) return { over: async () => {} };
    await shell.open({ id: shellRun, messageId, toolUseId });
    const startedAt = performance.now();
    return {
      over: async (gap) => {
        const ranMs = Math.round(performance.now() - startedAt);
        const { gap: found, beside } = await shell.close(shellRun);
        const shellGap = [gap, found].filter((each) => each !== undefined).join('; ') || null;
        const doubts = { ...(beside.length > 0 && { shellBeside: [...beside] }), ...(!this.#options.userWrites && { shellUnwatchedMs: ranMs }) };
        this.#snapshots.push(this.#options.store.record({ ...this.#snapshotLine(messageId), shellRun, shellGap, ...doubts }));
      },
    };
  }

  async lookAtShells(): Promise<void> {
    await this.#shell?.look();
  }

  /** Between turns: what changed since the last one, by commands that still run or by the user, is written down as either's. */
  async settleBetweenTurns(): Promise<void> {
    await this.#shell?.look(true);
  }

  /** {@link startMessage}, once what happened before it is written down. */
  async beginMessage(messageId: string): Promise<void> {
    await this.settleBetweenTurns();
    this.startMessage(messageId);
    this.#lookedAhead = false;
  }

  /** Looks at the workspace for a command that may come, once for each message. Call when the model answers: not before, or the request waits for it. */
  lookAhead(): void {
    if (this.#lookedAhead) return;
    this.#lookedAhead = true;
    void this.#shell?.prepare();
  }

  /** The newest rewind that was not undone, whether or not something was said since. */
  get undoable(): RewindLine | undefined {
    return undoableRewind(this.#rewinds);
  }

  /** The undoing that can be taken back, where the conversation stands at `leafUuid`. */
  redoable(leafUuid: string | null): RewindLine | undefined {
    return redoableUndo(this.#rewinds, leafUuid);
  }

  targets(messages: Parameters<typeof rewindTargets>[1]): RewindTarget[] {
    return rewindTargets(this.#snapshots, messages);
  }

  /** What going back to before `messageId` would do. Throws `not_found` when it is not on the branch. */
  async planRewind(messageId: string, branch: readonly string[], messagesRemoved: number): Promise<RewindPlan> {
    const since = this.#sequenceOf(messageId, branch);
    const { files, notCovered } = await this.#restoration.plan(historiesSince(this.#events(), since));
    notCovered.push(...commandsNotCovered(this.#snapshots, since));
    if (this.#options.isOff) notCovered.push({ name: 'Changes to files', reason: 'the file history is switched off, so what they held before was not kept' });
    return this.#withDoubts({ messageId, files, notCovered, messagesRemoved }, (line) => (line.sequence ?? 0) >= since);
  }

  /** What taking a rewind back would do to files. */
  async planUndo(line: RewindLine): Promise<RewindPlan> {
    return this.#planSince(line, historiesToUndo(this.#events(), line));
  }

  /** What making a rewind again, after `undoing` has taken it back, would do to files. `branch` as in {@link planRewind}. */
  async planRedo(undoing: RewindLine, branch: readonly string[]): Promise<RewindPlan> {
    return this.#planSince(undoing, await this.#historiesToRedo(undoing, branch));
  }

  async #planSince(line: RewindLine, histories: readonly PathHistory[]): Promise<RewindPlan> {
    const { files, notCovered } = await this.#restoration.plan(histories);
    const isAfter = ({ sequence = 0 }: SnapshotLine): boolean => line.scope === 'both' && sequence > (line.sequence ?? 0);
    if (line.scope === 'both') notCovered.push(...commandsNotCovered(this.#snapshots, line.sequence ?? 0));
    return this.#withDoubts({ messageId: line.messageId, files, notCovered, messagesRemoved: 0 }, isAfter);
  }

  /** What the agent did to files, by call, newest first. */
  changes(): AgentChange[] {
    const events = this.#events();
    return agentChanges(events, undoneChanges(events, this.#rewinds, (messageId) => this.#snapshots.find((line) => line.messageId === messageId)?.sequence ?? Number.POSITIVE_INFINITY));
  }

  /** What taking back some of the agent's changes would do. Throws `not_found` when nothing fits. */
  async planSelectiveUndo(selection: UndoSelection): Promise<RewindPlan> {
    const { histories, messageId } = await this.#selected(selection);
    const isOfIt = (line: SnapshotLine): boolean =>
      (selection.messageId === undefined || line.messageId === selection.messageId) &&
      (selection.toolUseId === undefined || line.toolUseId === selection.toolUseId) &&
      (line.files.length === 0 || histories.some(({ path }) => line.files.some((file) => file.path === path)));
    return this.#withDoubts({ messageId, ...(await this.#selectiveUndo.plan(histories)), messagesRemoved: 0 }, isOfIt);
  }

  /**
   * Takes back some of the agent's changes and keeps what came after, wherever the two do not overlap. Itself a rewind, of
   * files only. Rejects before anything is done where they do and `choice` says nothing about it.
   */
  async undoSelected(selection: UndoSelection, choice: RewindChoice, leafUuid: string | null): Promise<FileRewindOutcome> {
    const { histories, messageId } = await this.#selected(selection);
    const prepared = await this.#selectiveUndo.prepare(histories, { ...choice, scope: 'files' });
    return this.#commit({ messageId, scope: 'files', leafUuid, previousLeafUuid: leafUuid, selection }, prepared);
  }

  /** What `path` would hold after going back; undefined when it would not exist. */
  async contentAt(messageId: string, branch: readonly string[], path: string): Promise<Uint8Array | undefined> {
    const real = await this.#options.files.realpath(path);
    const histories = historiesSince(this.#events(), this.#sequenceOf(messageId, branch));
    const history = histories.find((candidate) => candidate.path === path || candidate.path === real);
    return history ? this.#restoration.contentAfter(history, 'overwrite') : this.#presentContent(real);
  }

  /** What `path` would hold with later changes kept; undefined when they can't be. */
  async mergedAt(messageId: string, branch: readonly string[], path: string): Promise<Uint8Array | undefined> {
    return this.#contentAfter(historiesSince(this.#events(), this.#sequenceOf(messageId, branch)), path, 'merge');
  }

  /** What `path` would hold after {@link undo}. */
  contentAfterUndo(line: RewindLine, path: string, how: 'overwrite' | 'merge'): Promise<Uint8Array | undefined> {
    return this.#contentAfter(historiesToUndo(this.#events(), line), path, how);
  }

  /** What `path` would hold after {@link redo}. */
  async contentAfterRedo(undoing: RewindLine, branch: readonly string[], path: string, how: 'overwrite' | 'merge'): Promise<Uint8Array | undefined> {
    return this.#contentAfter(await this.#historiesToRedo(undoing, branch), path, how);
  }

  /** What `path` would hold after {@link undoSelected}. */
  async contentAfterSelectiveUndo(selection: UndoSelection, path: string, how: 'overwrite' | 'merge'): Promise<Uint8Array | undefined> {
    return this.#contentAfter((await this.#selected(selection)).histories, path, how);
  }

  /**
   * Goes back. Everything that can be checked is checked first: when this rejects, nothing was done. Then one line
   * commits it, then files are written; those that could not be are named in the outcome.
   */
  async rewind(request: RewindRequest): Promise<FileRewindOutcome> {
    const { messageId, branch, choice, leafUuid, previousLeafUuid } = request;
    const histories = historiesSince(this.#events(), this.#sequenceOf(messageId, branch));
    return this.#commit({ messageId, scope: choice.scope, leafUuid, previousLeafUuid }, await this.#restoration.prepare(histories, choice));
  }

  /** Takes a rewind back: its files and, unless `choice` says files only, the place in the conversation. Itself a rewind. */
  async undo(line: RewindLine, choice: RewindChoice, currentLeafUuid: string | null = line.leafUuid): Promise<FileRewindOutcome> {
    const prepared = await this.#restoration.prepare(historiesToUndo(this.#events(), line), choice);
    return this.#commit({ ...placeBefore(line, choice.scope, currentLeafUuid), undoes: line.uuid }, prepared);
  }

  /** Makes a rewind again that `undoing` has taken back; what it asked about is asked again. Itself a rewind. */
  async redo(undoing: RewindLine, branch: readonly string[], choice: RewindChoice, currentLeafUuid: string | null = undoing.leafUuid): Promise<FileRewindOutcome> {
    const prepared = await this.#restoration.prepare(await this.#historiesToRedo(undoing, branch), choice);
    return this.#commit({ ...placeBefore(undoing, choice.scope, currentLeafUuid), redoes: undoing.uuid }, prepared);
  }

  /** At resume: what the end of the process cut in two becomes whole, a rewind and a set of writes. Returns notices. */
  async finishInterrupted(): Promise<string[]> {
    return [...(await this.#finishRewind()), ...(await this.#sets.finish())];
  }

  async #finishRewind(): Promise<string[]> {
    const last = this.#rewinds.at(-1);
    const isDone = !last || last.files.length === 0 || this.#snapshots.some((line) => line.rewindId === last.uuid);
    const isOvertaken = this.#snapshots.some((line) => line.files.length > 0 && (line.sequence ?? 0) > (last?.sequence ?? 0));
    if (isDone || isOvertaken) return [];
    const applied = await this.#apply(last);
    const count = applied.restored.length + applied.deleted.length;
    return [
      ...(count > 0 ? [`A rewind that was cut short has been finished: ${plural(count, 'file')} brought back.`] : []),
      ...applied.failed.map(({ path, reason }) => `${path} was not brought back by a rewind that was cut short: ${reason}`),
    ];
  }

  #rollBack(messageId: string, files: RewindLine['files']): Promise<FileRewindOutcome> {
    const { leafUuid } = this.#options.store;
    return this.#commit({ messageId, scope: 'files', leafUuid, previousLeafUuid: leafUuid, isRollback: true }, { files, skipped: [], merged: [], withConflicts: [] });
  }

  async #commit(
    fields: Pick<RewindLine, 'messageId' | 'scope' | 'leafUuid' | 'previousLeafUuid' | 'undoes' | 'redoes' | 'selection' | 'isRollback'>,
    { files, skipped, merged, withConflicts }: PreparedFiles,
  ): Promise<FileRewindOutcome> {
    const line = await this.#options.store.commit({ type: 'rewind', uuid: crypto.randomUUID(), ...fields, files, sequence: ++this.#sequence });
    this.#rewinds.push(line);
    const applied = await this.#apply(line);
    const written = new Set(applied.restored);
    return { rewindId: line.uuid, line, ...applied, skipped, merged: merged.filter((path) => written.has(path)), withConflicts: withConflicts.filter((path) => written.has(path)) };
  }

  async #apply(line: RewindLine): Promise<AppliedRewind> {
    const applied = await applyRewind(line, this.#states, this.#options.files);
    if (line.files.length === 0) return applied;
    const files = await Promise.all(line.files.map(async ({ path }) => ({ path, after: await this.#states.read(path, false) })));
    for (const { path } of files) await this.#shell?.noteWrite(path);
    this.#snapshots.push(this.#options.store.record({ ...this.#snapshotLine(line.messageId), files, rewindId: line.uuid }));
    // The rewind is done either way; without this line the next start only checks again that it is.
    await this.#options.store.flush().catch((thrown: unknown) => this.#options.log.warn(errorText(thrown)));
    return applied;
  }

  async #recordFindings({ run, files }: ShellFindings): Promise<void> {
    const { messageId, toolUseId, id } = run;
    for (const { before } of files) if (before?.kind === 'file') await this.#options.blobs.makeDurable(before.hash);
    this.#snapshots.push(await this.#options.store.commit({ ...this.#snapshotLine(messageId), files, shellRun: id, ...(toolUseId !== undefined && { toolUseId }) }));
  }

  async #historiesToRedo(undoing: RewindLine, branch: readonly string[]): Promise<PathHistory[]> {
    const undone = this.#rewinds.find((line) => line.uuid === undoing.undoes);
    if (!undone) return historiesToUndo(this.#events(), undoing);
    const { selection, messageId } = undone;
    const paths = selection && (await this.#namesOf(selection.path));
    const since = branch.includes(messageId) ? this.#sequenceOf(messageId, branch) : Number.POSITIVE_INFINITY;
    return historiesToRedo(this.#events(), { undoing, undone, isUndone: (event) => (selection ? isSelected(event, selection, paths) : event.sequence >= since) });
  }

  async #namesOf(path: string | undefined): Promise<readonly string[] | undefined> {
    return path === undefined ? undefined : [path, await this.#options.files.realpath(path)];
  }

  async #selected(selection: UndoSelection): Promise<{ histories: PathHistory[]; messageId: string }> {
    const paths = await this.#namesOf(selection.path);
    const events = this.#events().filter((event) => isSelected(event, selection, paths));
    const last = events.at(-1);
    if (last) return { histories: historiesOf(events), messageId: last.owner };
    throw new TurnstoneError('not_found', 'Turnstone has changed no file there, so there is nothing to undo. Nothing was changed.');
  }

  async #contentAfter(histories: readonly PathHistory[], path: string, how: 'overwrite' | 'merge'): Promise<Uint8Array | undefined> {
    const real = await this.#options.files.realpath(path);
    const history = histories.find((candidate) => candidate.path === path || candidate.path === real);
    return history && this.#restoration.contentAfter(history, how);
  }

  #withDoubts(plan: RewindPlan, isOfIt: (line: SnapshotLine) => boolean): RewindPlan {
    return withDoubts(plan, this.#snapshots, this.#snapshots.filter(isOfIt));
  }

  #events(): FileEvent[] {
    return fileEvents(this.#snapshots, this.#rewinds);
  }

  #sequenceOf(messageId: string, branch: readonly string[]): number {
    if (branch.includes(messageId)) return sequenceOfMessage(this.#snapshots, branch, messageId);
    throw new TurnstoneError('not_found', 'That message is not part of the conversation as it stands now. Nothing was changed.');
  }

  #snapshotLine(messageId = this.#messageId) {
    if (messageId === undefined) throw new Error('startMessage() comes before anything is recorded');
    const files: SnapshotLine['files'] = [];
    return { type: 'file-history-snapshot' as const, messageId, isSnapshotUpdate: true, files, sequence: ++this.#sequence };
  }

  async #presentContent(path: string): Promise<Uint8Array | undefined> {
    const stat = await this.#options.files.stat(path, { follow: false });
    return stat && stat.kind !== 'file' ? undefined : this.#states.content(path, stat);
  }
}
