import { errorText, isTurnstoneError, TurnstoneError } from '../../base/errors.ts';
import { plural } from '../../base/text.ts';
import type { RewindChoice, RewindFile } from '../../protocol/rewind.ts';
import type { FileState, RewindLine } from '../../protocol/transcript.ts';
import type { FileSystem } from '../ports.ts';
import type { BlobStore } from './blobStore.ts';
import type { FileStates } from './fileStates.ts';
import { lineCounts } from './lineCounts.ts';
import { decideFile, type FileDecision, type PathHistory } from './rewindPlan.ts';
import { takeBack, type TakenBack } from './takeBack.ts';

export interface RestorationOptions {
  readonly files: FileSystem;
  readonly states: FileStates;
  readonly blobs: BlobStore;
  /** A file that others changed too is merged without being asked about, where nothing conflicts. */
  readonly mergesByItself: boolean;
}

export interface PreparedFiles {
  readonly files: RewindLine['files'];
  readonly skipped: readonly string[];
  /** Of `files`: where later changes are kept, and where some conflict. */
  readonly merged: readonly string[];
  readonly withConflicts: readonly string[];
}

interface Look {
  readonly decision: FileDecision;
  readonly present: FileState;
  /** Of a file that would be changed. */
  readonly bytes?: Uint8Array | undefined;
  /** Where it was changed since. */
  readonly taken?: TakenBack | undefined;
}

type Undecided = { readonly path: string; readonly conflicts: number | undefined };

/** What going back means for the files of some histories, given what is there now. Writes nothing but blobs. */
export class Restoration {
  readonly #options: RestorationOptions;

  constructor(options: RestorationOptions) {
    this.#options = options;
  }

  async plan(histories: readonly PathHistory[]): Promise<{ files: RewindFile[]; notCovered: { name: string; reason: string }[] }> {
    const files: RewindFile[] = [];
    const notCovered: { name: string; reason: string }[] = [];
    for (const history of histories) {
      const { path } = history;
      const { decision, bytes, taken } = await this.#lookAt(history, false);
      if (decision.kind === 'notCovered') notCovered.push({ name: path, reason: decision.reason });
      if (decision.kind !== 'change') continue;
      const { action, changedSince } = decision;
      const isMerged = this.#options.mergesByItself && taken?.conflicts.length === 0;
      const then = isMerged ? taken.bytes : await this.#contentOf(history.to).catch(() => undefined);
      const lines = lineCounts(bytes, then);
      files.push({ path, action: isMerged ? 'restore' : action, changedSince, linesAdded: lines.added, linesRemoved: lines.removed, ...(taken && { merge: { conflicts: taken.conflicts } }) });
    }
    return { files, notCovered };
  }

  /** What the file of a history would hold; undefined when it would not exist, or can't be merged. */
  async contentAfter(history: PathHistory, how: 'overwrite' | 'merge'): Promise<Uint8Array | undefined> {
    if (how === 'overwrite') return this.#contentOf(history.to);
    const present = await this.#options.states.read(history.path, false);
    return (await this.#takeBack(history, present, await this.#presentBytes(history.path, present)))?.bytes;
  }

  /** Decides for every path, checks that it can be done, keeps what is there now. Rejects before anything is done. */
  async prepare(histories: readonly PathHistory[], choice: RewindChoice): Promise<PreparedFiles> {
    const files: RewindLine['files'] = [];
    const skipped: string[] = [];
    const merged: string[] = [];
    const withConflicts: string[] = [];
    if (choice.scope === 'conversation') return { files, skipped, merged, withConflicts };
    const [skip, overwrite, merge, write] = await Promise.all([choice.skip, choice.overwrite, choice.merge ?? [], choice.writeConflicts ?? []].map((paths) => this.#realpaths(paths)));
    const undecided: Undecided[] = [];
    for (const history of histories) {
      const { path } = history;
      const { decision, present, taken } = await this.#lookAt(history, !skip!.has(path));
      if (decision.kind === 'same' || decision.kind === 'notCovered') continue;
      const isChangedSince = decision.kind === 'change' && decision.changedSince;
      const mayMerge = taken && (taken.conflicts.length === 0 ? this.#options.mergesByItself || merge!.has(path) : merge!.has(path) && write!.has(path));
      if (skip!.has(path)) skipped.push(path);
      else if (!isChangedSince || overwrite!.has(path)) files.push({ path, from: present, to: history.to });
      else if (!mayMerge) undecided.push({ path, conflicts: taken?.conflicts.length });
      else {
        files.push({ path, from: present, to: await this.#keep(taken) });
        merged.push(path);
        if (taken.conflicts.length > 0) withConflicts.push(path);
      }
    }
    if (undecided.length > 0) throw undecidedError(undecided);
    for (const { path, to } of files) await this.#contentOf(to).catch((thrown: unknown) => Promise.reject(lostContentError(path, thrown)));
    return { files, skipped, merged, withConflicts };
  }

  async #lookAt(history: PathHistory, keep: boolean): Promise<Look> {
    const { states } = this.#options;
    const present = await states.read(history.path, keep);
    const decision = decideFile(history, present, states.hasUnsavedText(history.path));
    if (decision.kind !== 'change') return { decision, present };
    const bytes = await this.#presentBytes(history.path, present);
    return { decision, present, bytes, taken: decision.changedSince ? await this.#takeBack(history, present, bytes) : undefined };
  }

  async #presentBytes(path: string, present: FileState): Promise<Uint8Array | undefined> {
    return present.kind === 'file' ? this.#options.states.content(path, await this.#options.files.stat(path)) : undefined;
  }

  #takeBack(history: PathHistory, state: FileState, bytes: Uint8Array | undefined): Promise<TakenBack | undefined> {
    return takeBack(history, { state, bytes }, (saved) => this.#contentOf(saved));
  }

  async #keep({ bytes, mode }: TakenBack): Promise<FileState> {
    return { kind: 'file', hash: await this.#options.blobs.put(bytes), mode, size: bytes.length };
  }

  async #contentOf(state: FileState): Promise<Uint8Array | undefined> {
    return state.kind === 'file' ? this.#options.blobs.get(state.hash) : undefined;
  }

  async #realpaths(paths: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set([...paths, ...(await Promise.all(paths.map((path) => this.#options.files.realpath(path))))]);
  }
}

function undecidedError(undecided: readonly Undecided[]): TurnstoneError {
  const verb = undecided.length === 1 ? 'is' : 'are';
  const named = undecided.map(({ path, conflicts }) => (conflicts ? `${path}, ${plural(conflicts, 'conflict')}` : path)).join('; ');
  const merge = undecided.some(({ conflicts }) => conflicts !== undefined) ? ', to merge it' : '';
  return new TurnstoneError(
    'stale_file',
    `Nothing was changed: ${plural(undecided.length, 'file')} ${verb} not as the agent left it (${named}). Choose for each whether to overwrite it${merge} or to leave it as it is.`,
  );
}

function lostContentError(path: string, thrown: unknown): TurnstoneError {
  const reason = isTurnstoneError(thrown) ? thrown.message : `${errorText(thrown)} Nothing was changed.`;
  return new TurnstoneError('disk', `${path} can't be brought back. ${reason} Leave this file out to go back without it.`, { cause: thrown });
}
