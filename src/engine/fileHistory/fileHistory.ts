import { errorText, isTurnstoneError, TurnstoneError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { cutText, plural } from '../../base/text.ts';
import type { RewindChoice, RewindFile, RewindOutcome, RewindPlan, RewindTarget } from '../../protocol/rewind.ts';
import type { FileState, RewindLine, RewindScope, SnapshotLine } from '../../protocol/transcript.ts';
import type { Digest, Documents, FileSystem } from '../ports.ts';
import type { FileHistoryRecorder } from '../tools/tool.ts';
import type { TranscriptStore } from '../transcript/transcriptStore.ts';
import { applyRewind, type AppliedRewind } from './applyRewind.ts';
import type { BlobStore } from './blobStore.ts';
import { FileStates } from './fileStates.ts';
import { lineCounts } from './lineCounts.ts';
import { decideFile, fileEvents, historiesSince, sameState, sequenceOfMessage, type FileEvent, type PathHistory } from './rewindPlan.ts';

export interface FileHistoryOptions {
  readonly files: FileSystem;
  readonly digest: Digest;
  readonly documents: Documents;
  readonly blobs: BlobStore;
  readonly store: Pick<TranscriptStore, 'record' | 'commit' | 'flush'>;
  /** Of the loaded transcript, in file order. */
  readonly snapshots: readonly SnapshotLine[];
  readonly rewinds: readonly RewindLine[];
  readonly log: Log;
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
  readonly #snapshots: SnapshotLine[];
  readonly #rewinds: RewindLine[];
  #sequence: number;
  #messageId: string | undefined;

  constructor(options: FileHistoryOptions) {
    this.#options = options;
    this.#states = new FileStates(options);
    this.#snapshots = [...options.snapshots];
    this.#rewinds = [...options.rewinds];
    this.#sequence = [...this.#snapshots, ...this.#rewinds].reduce((highest, line) => Math.max(highest, line.sequence ?? 0), 0);
  }

  /** Opens the snapshot of a user message; what is recorded from now on belongs to it. */
  startMessage(messageId: string): void {
    this.#messageId = messageId;
    this.#snapshots.push(this.#options.store.record({ ...this.#snapshotLine(), isSnapshotUpdate: false }));
  }

  async beforeWrite(path: string): Promise<void> {
    const real = await this.#options.files.realpath(path);
    try {
      const before = await this.#states.read(real, true);
      const last = this.#events().findLast((event) => event.path === real);
      // Already kept for this message, and nobody else wrote to it since.
      if (last?.owner === this.#messageId && last?.after && sameState(last.after, before)) return;
      this.#snapshots.push(await this.#options.store.commit({ ...this.#snapshotLine(), files: [{ path: real, before }] }));
    } catch (thrown) {
      throw new TurnstoneError('disk', `${path} was not changed, because what it holds now could not be kept first. ${errorText(thrown)}`, { cause: thrown });
    }
  }

  /** Never rejects, since the file is written: when it can't be read, a rewind will ask as if the user had changed it. */
  async afterWrite(path: string): Promise<void> {
    try {
      const real = await this.#options.files.realpath(path);
      const after = await this.#states.read(real, false);
      this.#snapshots.push(this.#options.store.record({ ...this.#snapshotLine(), files: [{ path: real, after }] }));
    } catch (thrown) {
      this.#options.log.warn(`What was written to ${path} could not be read again: ${errorText(thrown)}`);
    }
  }

  async shellCommand(command: string): Promise<void> {
    this.#snapshots.push(this.#options.store.record({ ...this.#snapshotLine(), shellCommand: command }));
  }

  /** The newest rewind, whether or not something was said since. */
  get lastRewind(): RewindLine | undefined {
    return this.#rewinds.at(-1);
  }

  /** `messages`: the prompts on the active branch, oldest first. Returns newest first. */
  targets(messages: readonly { readonly uuid: string; readonly text: string; readonly timestamp: string }[]): RewindTarget[] {
    return messages.toReversed().map(({ uuid, text, timestamp }) => {
      const own = this.#snapshots.filter((line) => line.messageId === uuid && !line.rewindId);
      return {
        messageId: uuid,
        text,
        timestamp,
        fileCount: new Set(own.flatMap((line) => line.files.map((file) => file.path))).size,
        shellCommandCount: own.filter((line) => line.shellCommand !== undefined).length,
      };
    });
  }

  /** What going back to before `messageId` would do. Throws `not_found` when it is not on the branch. */
  async planRewind(messageId: string, branch: readonly string[], messagesRemoved: number): Promise<RewindPlan> {
    const since = this.#sequenceOf(messageId, branch);
    const { files, notCovered } = await this.#planFiles(historiesSince(this.#events(), since));
    for (const line of this.#snapshots) {
      if (line.shellCommand === undefined || (line.sequence ?? 0) < since) continue;
      notCovered.push({ name: `Shell command \`${shortened(line.shellCommand)}\``, reason: "may have changed files that can't be brought back" });
    }
    return { messageId, files, notCovered, messagesRemoved };
  }

  /** What taking a rewind back would do to files. */
  async planUndo(last: RewindLine): Promise<RewindPlan> {
    return { messageId: last.messageId, ...(await this.#planFiles(this.#historiesOf(last))), messagesRemoved: 0 };
  }

  /** What `path` would hold after going back; undefined when it would not exist. */
  async contentAt(messageId: string, branch: readonly string[], path: string): Promise<Uint8Array | undefined> {
    const real = await this.#options.files.realpath(path);
    const histories = historiesSince(this.#events(), this.#sequenceOf(messageId, branch));
    const history = histories.find((candidate) => candidate.path === path || candidate.path === real);
    return history ? this.#contentOf(history.to) : this.#presentContent(real);
  }

  /**
   * Goes back. Everything that can be checked is checked first: when this rejects, nothing was done. Then one line
   * commits it, then files are written; those that could not be are named in the outcome.
   */
  async rewind(request: RewindRequest): Promise<FileRewindOutcome> {
    const { messageId, branch, choice, leafUuid, previousLeafUuid } = request;
    const histories = historiesSince(this.#events(), this.#sequenceOf(messageId, branch));
    const { files, skipped } = await this.#prepare(histories, choice);
    const outcome = await this.#commit({ messageId, scope: choice.scope, leafUuid, previousLeafUuid, files });
    return { ...outcome, skipped };
  }

  /** Takes a rewind back: its files and, unless `choice` says files only, the place in the conversation. Itself a rewind. */
  async undo(last: RewindLine, choice: RewindChoice, currentLeafUuid: string | null = last.leafUuid): Promise<FileRewindOutcome> {
    const { files, skipped } = await this.#prepare(this.#historiesOf(last), choice);
    const scope = narrowed(last.scope, choice.scope);
    const leafUuid = scope === 'files' ? currentLeafUuid : last.previousLeafUuid;
    const outcome = await this.#commit({ messageId: last.messageId, scope, leafUuid, previousLeafUuid: currentLeafUuid, files, undoes: last.uuid });
    return { ...outcome, skipped };
  }

  /** At resume: when the process ended between a rewind's commit and its last file, writes the rest. Returns notices. */
  async finishInterrupted(): Promise<string[]> {
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

  async #planFiles(histories: readonly PathHistory[]): Promise<{ files: RewindFile[]; notCovered: { name: string; reason: string }[] }> {
    const files: RewindFile[] = [];
    const notCovered: { name: string; reason: string }[] = [];
    for (const history of histories) {
      const present = await this.#states.read(history.path, false);
      const decision = decideFile(history, present, this.#states.hasUnsavedText(history.path));
      if (decision.kind === 'notCovered') notCovered.push({ name: history.path, reason: decision.reason });
      if (decision.kind !== 'change') continue;
      const lines = lineCounts(await this.#presentContent(history.path), await this.#contentOf(history.to).catch(() => undefined));
      const { action, changedSince } = decision;
      files.push({ path: history.path, action, changedSince, linesAdded: lines.added, linesRemoved: lines.removed });
    }
    return { files, notCovered };
  }

  /** Decides for every path, checks that it can be done, keeps what is there now. Rejects before anything is done. */
  async #prepare(histories: readonly PathHistory[], choice: RewindChoice): Promise<{ files: RewindLine['files']; skipped: string[] }> {
    const files: RewindLine['files'] = [];
    const skipped: string[] = [];
    if (choice.scope === 'conversation') return { files, skipped };
    const [skip, overwrite] = [await this.#realpaths(choice.skip), await this.#realpaths(choice.overwrite)];
    const undecided: string[] = [];
    for (const history of histories) {
      const present = await this.#states.read(history.path, !skip.has(history.path));
      const decision = decideFile(history, present, this.#states.hasUnsavedText(history.path));
      if (decision.kind === 'same' || decision.kind === 'notCovered') continue;
      const isChangedSince = decision.kind === 'change' && decision.changedSince;
      if (skip.has(history.path)) skipped.push(history.path);
      else if (isChangedSince && !overwrite.has(history.path)) undecided.push(history.path);
      else files.push({ path: history.path, from: present, to: history.to });
    }
    if (undecided.length > 0) throw undecidedError(undecided);
    for (const { path, to } of files) await this.#contentOf(to).catch((thrown: unknown) => Promise.reject(lostContentError(path, thrown)));
    return { files, skipped };
  }

  async #commit(fields: Pick<RewindLine, 'messageId' | 'scope' | 'leafUuid' | 'previousLeafUuid' | 'files' | 'undoes'>): Promise<Omit<FileRewindOutcome, 'skipped'>> {
    const line = await this.#options.store.commit({ type: 'rewind', uuid: crypto.randomUUID(), ...fields, sequence: ++this.#sequence });
    this.#rewinds.push(line);
    return { rewindId: line.uuid, line, ...(await this.#apply(line)) };
  }

  async #apply(line: RewindLine): Promise<AppliedRewind> {
    const applied = await applyRewind(line, this.#states, this.#options.files);
    if (line.files.length === 0) return applied;
    const files = await Promise.all(line.files.map(async ({ path }) => ({ path, after: await this.#states.read(path, false) })));
    this.#snapshots.push(this.#options.store.record({ ...this.#snapshotLine(line.messageId), files, rewindId: line.uuid }));
    // The rewind is done either way; without this line the next start only checks again that it is.
    await this.#options.store.flush().catch((thrown: unknown) => this.#options.log.warn(errorText(thrown)));
    return applied;
  }

  #historiesOf(rewind: RewindLine): PathHistory[] {
    return historiesSince(this.#events().filter((event) => event.owner === rewind.uuid), 0);
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
    const stat = await this.#options.files.stat(path);
    return stat && stat.kind !== 'file' ? undefined : this.#states.content(path, stat);
  }

  async #contentOf(state: FileState): Promise<Uint8Array | undefined> {
    return state.kind === 'file' ? this.#options.blobs.get(state.hash) : undefined;
  }

  async #realpaths(paths: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set([...paths, ...(await Promise.all(paths.map((path) => this.#options.files.realpath(path))))]);
  }
}

function narrowed(scope: RewindScope, wanted: RewindScope): RewindScope {
  return wanted === 'both' ? scope : scope === 'both' ? wanted : scope;
}

function shortened(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${cutText(line, 79)}…` : line;
}

function undecidedError(paths: readonly string[]): TurnstoneError {
  const verb = paths.length === 1 ? 'is' : 'are';
  return new TurnstoneError(
    'stale_file',
    `Nothing was changed: ${plural(paths.length, 'file')} ${verb} not as the agent left it (${paths.join(', ')}). Choose for each whether to overwrite it or to leave it as it is.`,
  );
}

function lostContentError(path: string, thrown: unknown): TurnstoneError {
  const reason = isTurnstoneError(thrown) ? thrown.message : `${errorText(thrown)} Nothing was changed.`;
  return new TurnstoneError('disk', `${path} can't be brought back. ${reason} Leave this file out to go back without it.`, { cause: thrown });
}
