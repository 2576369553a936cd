import { errorText } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { baseName } from '../../base/paths.ts';
import { plural } from '../../base/text.ts';
import type { FileState, SnapshotLine } from '../../protocol/transcript.ts';
import type { FileSystem, TreeChange } from '../ports.ts';
import { commandsPart } from './commandsPart.ts';
import { newFileMode, parentFolder, type FileStates } from './fileStates.ts';
import type { StatIndex } from './statIndex.ts';
import type { WritesByOthers } from './writesByOthers.ts';

/** A command of the agent, from before it starts until its changes are written down. */
export interface ShellRun {
  readonly id: string;
  readonly messageId: string;
  readonly toolUseId: string | undefined;
}

/** What one look at the workspace adds to the transcript. */
export interface ShellFindings {
  readonly run: ShellRun;
  readonly files: SnapshotLine['files'];
}

export interface ShellEnd {
  /** Why what it did is not all covered, if so. */
  readonly gap: string | undefined;
  /** Commands that other sessions started while it ran. */
  readonly beside: readonly string[];
}

export interface ShellSnapshotOptions {
  readonly index: StatIndex;
  readonly states: FileStates;
  readonly others: WritesByOthers;
  readonly files: FileSystem;
  readonly roots: readonly string[];
  /** Puts what was found into the transcript; on disk when it resolves. */
  readonly record: (findings: ShellFindings) => Promise<void>;
  readonly log: Log;
}

interface OpenRun extends ShellRun {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Why what it did can't all be brought back. */
  readonly gaps: Set<string>;
  /** Commands of other sessions that ran meanwhile. */
  readonly beside: Set<string>;
  /** Ignored paths that were named already. */
  readonly named: Set<string>;
}

interface Look {
  readonly isUnsure?: boolean;
  readonly trustsNews?: boolean;
  readonly only?: readonly string[];
}

interface Found {
  readonly change: TreeChange;
  readonly before: FileState;
  readonly after: FileState;
  readonly isForMerging: boolean;
}

/** Changes of one command that are kept one by one. */
const maxChanges = 10_000;
/** File systems tick in up to 10 ms, and on a busy virtual machine the tick comes late. */
const tickMs = 250;
/** What a command left is kept for merging where that is little. Files, and bytes of each. */
const mostKeptAfter = 200;
const largestKeptAfter = 5 * 1024 * 1024;

/**
 * Finds out what shell commands do to the workspace: the index is brought up to date before a command and compared
 * after it. While at least one command is open, whatever changes counts as done by the one that was opened last.
 */
export class ShellSnapshot {
  readonly #options: ShellSnapshotOptions;
  readonly #open: OpenRun[] = [];
  /** How open commands left files when they were last looked at. One may have written again before the file was kept. */
  readonly #left = new Map<string, FileState>();
  /** One look at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ShellSnapshotOptions) {
    this.#options = options;
  }

  get hasOpenRuns(): boolean {
    return this.#open.length > 0;
  }

  /** Looks at the workspace ahead of a command, so that little is left to do when one comes. Never rejects. */
  prepare(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.hasOpenRuns) return;
      await this.#options.index.refresh({ isAhead: true }).catch((thrown: unknown) => this.#fail(thrown, []));
    });
  }

  /** Call before the command starts. Never rejects: where it fails, the command counts as not covered. */
  open(run: ShellRun): Promise<void> {
    return this.#inTurn(async () => {
      const gaps = new Set<string>();
      if (!this.hasOpenRuns) this.#options.others.start();
      try {
        await this.#look({ trustsNews: true });
        await this.#options.index.capture();
      } catch (thrown) {
        this.#fail(thrown, [{ gaps }]);
      }
      this.#open.push({ ...run, startedAt: Date.now(), gaps, beside: new Set(), named: new Set() });
      this.#noteGaps();
    });
  }

  /** Writes down what open commands did until now. `isUnsure`: others may have done it, so going back asks for each file. */
  look(isUnsure = false): Promise<void> {
    return this.#inTurn(async () => {
      await this.#lookSafely({ isUnsure });
      await this.#captureForOpen();
    });
  }

  /** Call when the command and its processes are gone, however it ended. Never rejects. */
  close(id: string): Promise<ShellEnd> {
    return this.#inTurn(async () => {
      await this.#lookSafely({});
      const at = this.#open.findIndex((run) => run.id === id);
      const [run] = at < 0 ? [] : this.#open.splice(at, 1);
      if (!this.hasOpenRuns) this.#left.clear();
      if (!this.hasOpenRuns) this.#options.others.stop();
      await this.#captureForOpen();
      return { gap: run && run.gaps.size > 0 ? [...run.gaps].join('; ') : undefined, beside: [...(run?.beside ?? [])] };
    });
  }

  /** One of our own tools is about to write `path`: what commands did to it until now is theirs. Looks after commands are waited for. */
  async beforeWrite(path: string): Promise<void> {
    if (!this.hasOpenRuns) return;
    await this.#inTurn(async () => {
      await this.#lookSafely({ only: [path] });
      await this.#captureForOpen();
    });
  }

  /** One of our own tools wrote `path`. */
  async noteWrite(path: string): Promise<void> {
    if (!this.hasOpenRuns) return;
    await this.#inTurn(async () => {
      const state = await this.#options.states.read(path, true, false).catch(() => undefined);
      this.#left.delete(path);
      this.#options.others.forget(path);
      this.#options.index.note(path, state?.kind === 'file' ? state.hash : undefined);
    });
  }

  async #lookSafely(how: Look): Promise<void> {
    if (!this.hasOpenRuns) return;
    try {
      await this.#look(how);
      this.#noteGaps();
    } catch (thrown) {
      this.#fail(thrown, this.#open);
    }
  }

  /** What was found changed may be changed again by those that still run. */
  async #captureForOpen(): Promise<void> {
    if (!this.hasOpenRuns) return;
    await this.#options.index.capture().catch((thrown: unknown) => this.#fail(thrown, this.#open));
  }

  async #look({ isUnsure = false, trustsNews = false, only }: Look): Promise<void> {
    const changes = await this.#options.index.refresh({ trustsNews, only });
    const run = this.#open.at(-1);
    if (!run || changes.length === 0) return;
    const files = await this.#files(changes, { run, isUnsure });
    if (files.length > 0) await this.#options.record({ run, files });
  }

  async #files(changes: readonly TreeChange[], { run, isUnsure }: { run: OpenRun; isUnsure: boolean }): Promise<SnapshotLine['files']> {
    const files: SnapshotLine['files'] = [];
    const isIgnored = (change: TreeChange): boolean => (change.before ?? change.after)?.ignoredAt !== undefined;
    for (const { before, after } of changes.filter(isIgnored)) {
      const path = (before ?? after)!.ignoredAt!;
      if (run.named.has(path)) continue;
      run.named.add(path);
      files.push({ path, before: { kind: 'uncovered', reason: ignoredReason(path) } });
    }
    const covered = changes.filter((change) => !isIgnored(change) && isWorthKeeping(change));
    if (covered.length > maxChanges) run.gaps.add(`${plural(covered.length - maxChanges, 'further changed file')} could not be kept`);
    const kept = covered.slice(0, maxChanges);
    const states = await this.#options.index.statesBefore(kept, changes);
    await this.#collectFromOthers();
    const found: Found[] = [];
    for (const change of kept) {
      const before = this.#left.get(change.path) ?? states.get(change.path)!;
      // To keep what others change later, a merge needs it.
      const isForMerging = before.kind === 'file' && kept.length <= mostKeptAfter && (change.after?.size ?? 0) <= largestKeptAfter;
      found.push({ change, before, after: await this.#options.states.read(change.path, isForMerging, false), isForMerging });
    }
    await this.#collectFromOthers(new Set(kept.map(({ path }) => path)));
    for (const each of found) files.push(...(await this.#told(each, isUnsure)));
    return files;
  }

  async #collectFromOthers(unclear?: ReadonlySet<string>): Promise<void> {
    for (const command of await this.#options.others.collect(unclear)) for (const run of this.#open) run.beside.add(command);
  }

  /** What is written down of a file that is not as it was. */
  async #told({ change, before, after, isForMerging }: Found, isUnsure: boolean): Promise<SnapshotLine['files']> {
    const { index, others } = this.#options;
    const { path } = change;
    const byOthers = await others.to(path, modeOf(before, after), !index.isDenied(path));
    others.forget(path);
    if (isForMerging && after.kind === 'file' && (!isUnsure || byOthers.length > 0)) this.#left.set(path, after);
    else this.#left.delete(path);
    const parts = commandsPart(before, after, byOthers);
    const last = parts.at(-1);
    if (!last) return [];
    if (isUnsure) return [{ path, before: parts[0]!.before }];
    // Only what is there now tells by its times when it was done.
    const isLastOlder = last.after === after && (await this.#isOlder(change));
    return parts.map((part) => (part === last && isLastOlder ? { path, before: part.before } : { path, ...part }));
  }

  /** Whether it was so before the first of the open commands began: told of too late, or not at all, and done by nobody knows whom. */
  async #isOlder(change: TreeChange): Promise<boolean> {
    const startedAt = Math.min(...this.#open.map((run) => run.startedAt));
    const changedAt = await this.#changedAt(change);
    if (changedAt >= startedAt - tickMs) return false;
    this.#options.index.doubtNews();
    return true;
  }

  /** No change to the path is later than that. What is moved with its folder keeps its times, but the folder does not. */
  async #changedAt({ path, before, after }: TreeChange): Promise<number> {
    if (before && after && before.inode === after.inode) return after.ctimeMs;
    const { files, roots } = this.#options;
    let latest = after?.ctimeMs ?? 0;
    for (let folder = parentFolder(path); ; folder = parentFolder(folder)) {
      latest = Math.max(latest, (await files.stat(folder, { follow: false }))?.ctimeMs ?? Number.POSITIVE_INFINITY);
      const above = parentFolder(folder);
      if (above === folder || roots.includes(folder) || roots.includes(above)) return latest;
    }
  }

  #noteGaps(): void {
    const { skipped } = this.#options.index;
    const [first] = skipped;
    if (!first) return;
    const others = skipped.size > 1 ? ` and ${plural(skipped.size - 1, 'other folder')}` : '';
    for (const run of this.#open) run.gaps.add(`${first[0]}${others}: ${first[1]}, what it changed there can't be brought back`);
  }

  #fail(thrown: unknown, runs: readonly Pick<OpenRun, 'gaps'>[]): void {
    this.#options.log.error(`The workspace could not be looked at around a command: ${errorText(thrown)}`);
    for (const run of runs) run.gaps.add(`what it changed could not be kept (${errorText(thrown)})`);
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#last.then(action);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** Saving a file leaves its mode alone. */
function modeOf(before: FileState, after: FileState): number {
  return before.kind === 'file' ? before.mode : after.kind === 'file' ? after.mode : newFileMode;
}

function ignoredReason(path: string): string {
  if (baseName(path) === '.git') return 'going back never changes commits, branches or what is staged';
  if (path.includes('\uFFFD')) return 'its name is not valid UTF-8, and such files are not kept';
  return 'it is ignored, and what commands change in ignored files is not kept';
}

/** Folders are known by what is in them; only empty ones count for themselves. */
function isWorthKeeping({ before, after }: TreeChange): boolean {
  if (before?.kind === 'folder' && after?.kind === 'folder') return false;
  if (before?.kind === 'folder' && !after) return before.size === 0;
  if (after?.kind === 'folder' && !before) return after.size === 0;
  return true;
}
