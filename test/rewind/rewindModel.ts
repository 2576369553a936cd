import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../src/base/abort.ts';
import { silentLog } from '../../src/base/log.ts';
import { BlobStore } from '../../src/engine/fileHistory/blobStore.ts';
import { FileHistory } from '../../src/engine/fileHistory/fileHistory.ts';
import type { FileRewindOutcome } from '../../src/engine/fileHistory/fileHistory.ts';
import { loadTranscript } from '../../src/engine/transcript/loadTranscript.ts';
import { TranscriptStore } from '../../src/engine/transcript/transcriptStore.ts';
import { noDocuments } from '../../src/platform/noDocuments.ts';
import { nodeDigest } from '../../src/platform/nodeDigest.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import { nodeGitContents } from '../../src/platform/nodeGitContents.ts';
import { createTreeScanner } from '../../src/platform/treeScanner.ts';
import { expectationOf, isIn } from './touches.ts';
import type { Expectation, Part, Touch, Tree } from './touches.ts';
import type { RewindChoice, RewindPlan, UndoSelection } from '../../src/protocol/rewind.ts';

const run = promisify(execFile);
const sessionId = '11111111-2222-4333-8444-555555555555';

/** Names. */
export interface Choice {
  readonly overwrite: readonly string[];
  readonly skip: readonly string[];
}

/**
 * The real file history over real files, and beside it what is known without it: the trees at each step. What going
 * back has to give follows from these alone.
 */
export class RewindModel {
  readonly #root: string;
  readonly workspace: string;
  readonly #branch: string[] = [];
  #store!: TranscriptStore;
  #history!: FileHistory;
  #prompts = 0;
  /** Prompt number by message id. */
  readonly #numbers = new Map<string, number>();
  readonly #touches: Touch[] = [];
  /** A change by the user took part, so that folders are partly theirs. */
  userTookPart = false;
  /** A part was taken back: folders that other parts need stay, whoever made them. */
  partWasUndone = false;
  #now: Tree = new Map();
  /** What the agent does belongs to a message of this process and of this branch. */
  #isPromptDue = true;
  #calls = 0;
  #compactions = 0;

  private constructor(root: string) {
    this.#root = root;
    this.workspace = join(root, 'workspace');
  }

  static async use(isRepository: boolean, action: (model: RewindModel) => Promise<void>): Promise<void> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'turnstone-')));
    try {
      const model = new RewindModel(root);
      await mkdir(model.workspace);
      await model.shell('echo a > a; echo b > b; mkdir -p d/deep empty; echo c > d/c; echo e > d/deep/e; ln -s a link; chmod 755 b');
      if (isRepository) await model.git('init', '-q').then(() => model.git('add', 'a', 'd')).then(() => model.git('commit', '-qm', 'first'));
      await model.#open();
      await model.#see();
      await action(model);
      await model.#store.dispose();
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }

  get branchLength(): number {
    return this.#branch.length;
  }

  get tree(): Tree {
    return this.#now;
  }

  async shell(command: string): Promise<void> {
    await run('sh', ['-c', command], { cwd: this.workspace }).catch(() => {});
  }

  async git(...args: string[]): Promise<void> {
    await run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: this.workspace });
  }

  /** Everything in memory is lost. */
  async restart(): Promise<void> {
    await this.#store.dispose();
    await this.#open();
  }

  async prompt(): Promise<void> {
    this.#isPromptDue = false;
    const uuid = `m${++this.#prompts}`;
    this.#numbers.set(uuid, this.#prompts);
    this.#branch.push(uuid);
    this.#store.recordMessage({ type: 'user', uuid, session_id: sessionId, message: { role: 'user', content: uuid }, parent_tool_use_id: null });
    await this.#history.beginMessage(uuid);
  }

  /** The model sees a summary from now on; the session forgets nothing. */
  compact(): void {
    const last = this.#branch.at(-1);
    if (last === undefined || this.#isPromptDue) return;
    const uuid = `k${++this.#compactions}`;
    this.#store.recordMessage({ type: 'system', subtype: 'compact_boundary', uuid, session_id: sessionId, compact_metadata: { trigger: 'manual', pre_tokens: 9, summary: 'All of it.' } });
  }

  /** undefined deletes. `formatted`: what saving makes of it, before the tool goes on. */
  async toolWrites(name: string, content: string | undefined, formatted?: string): Promise<void> {
    await this.#promptIfDue();
    const call = this.#nextCall();
    await this.#asAgent(call, () => this.#toolWrites(name, content, { call, formatted }));
  }

  async runCommand(command: string): Promise<void> {
    await this.#promptIfDue();
    const call = this.#nextCall();
    await this.#asAgent(call, () => this.#runCommand(command, call));
  }

  /** All that a sub-agent does counts for the call that started it. */
  async runSubAgent(name: string, content: string | undefined, command: string): Promise<void> {
    await this.#promptIfDue();
    const call = this.#nextCall();
    await this.#asAgent(call, () => this.#toolWrites(name, content, { call }));
    await this.#asAgent(call, () => this.#runCommand(command, call));
  }

  /** A background command that goes on while a tool writes. */
  async runBesideTool(first: string, second: string, name: string): Promise<void> {
    await this.#promptIfDue();
    const call = this.#nextCall();
    const recording = await this.#history.shellCommand(`${first} & ${second}`, call);
    await this.#asAgent(call, () => this.shell(first));
    await this.#history.lookAtShells();
    await this.toolWrites(name, `beside ${name}\n`);
    await this.#asAgent(call, async () => {
      await this.shell(second);
      await recording.over();
    });
  }

  async userWrites(name: string, content: string | undefined): Promise<void> {
    const path = join(this.workspace, name);
    const stat = await lstat(path).catch(() => undefined);
    if (stat?.isDirectory()) return;
    if (content === undefined) await unlink(path).catch(() => {});
    else if (stat?.isFile()) await writeFile(path, content);
    else if (!stat && (await isRealFolder(dirname(path)))) await writeFile(path, content);
    else return;
    this.userTookPart = true;
    await this.#see();
  }

  async userChmods(name: string): Promise<void> {
    const path = join(this.workspace, name);
    const stat = await lstat(path).catch(() => undefined);
    if (!stat?.isFile()) return;
    await chmod(path, (stat.mode & 0o777) === 0o644 ? 0o755 : 0o644);
    this.userTookPart = true;
    await this.#see();
  }

  /** How many changes there were until now: a moment to which {@link expectationSince} can be asked. */
  get moment(): number {
    return this.#touches.length;
  }

  /** What each path must be after going back to before the prompt at `index` of the branch, and which of them others changed. */
  expectation(index: number): Expectation {
    const since = this.#numbers.get(this.#branch[index]!)!;
    return expectationOf(this.#now, this.#touches.filter(({ prompt }) => prompt >= since));
  }

  /** The same for going back to a moment; `until` leaves out what came later. */
  expectationSince(moment: number, until?: number): Expectation {
    return expectationOf(this.#now, this.#touches.slice(moment, until));
  }

  /** The same for taking back what fits a selection. */
  expectationOfPart(selection: Part): Expectation {
    return expectationOf(this.#now, this.#touches.filter((touch) => touch.call !== undefined && isIn(touch, selection)));
  }

  /** A part of what the agent did: of a call, a file or a message, the one at `pick`. Undefined when there is none. */
  partAt(kind: 'call' | 'file' | 'message', pick: number): Part | undefined {
    const touches = this.#touches.filter(({ call, before, after }) => call !== undefined && before !== 'folder' && after !== 'folder');
    const touch = touches[pick % touches.length];
    // A link's name stands for the file behind it, too.
    if (!touch || (kind === 'file' && this.#now.get(touch.name)?.startsWith('link'))) return undefined;
    return kind === 'call' ? { call: touch.call } : kind === 'file' ? { name: touch.name } : { prompt: touch.prompt };
  }

  async planPart(part: Part): Promise<RewindPlan> {
    return this.#history.planSelectiveUndo(this.#selection(part));
  }

  /** Whatever others changed too is left as it is. */
  async undoPart(part: Part, skip: readonly string[]): Promise<string[]> {
    const outcome = await this.#history.undoSelected(this.#selection(part), { scope: 'files', overwrite: [], skip: this.#paths(skip) }, this.#store.leafUuid);
    this.partWasUndone = true;
    await this.#touchAll(undefined);
    return this.#names(outcome.failed);
  }

  plan(index: number): Promise<RewindPlan> {
    return this.#history.planRewind(this.#branch[index]!, this.#branch, 0);
  }

  get canUndo(): boolean {
    return this.#history.undoable !== undefined;
  }

  get canRedo(): boolean {
    return this.#history.redoable(this.#store.leafUuid) !== undefined;
  }

  planUndo(): Promise<RewindPlan> {
    return this.#history.planUndo(this.#history.undoable!);
  }

  planRedo(): Promise<RewindPlan> {
    return this.#history.planRedo(this.#history.redoable(this.#store.leafUuid)!, this.#branch);
  }

  /** `overwrite` and `skip`: names. Gives the names that could not be brought back. */
  async rewind(index: number, choice: Choice): Promise<string[]> {
    const messageId = this.#branch[index]!;
    const [previousLeafUuid, leafUuid] = [this.#store.leafUuid, this.#branch[index - 1] ?? null];
    const outcome = await this.#history.rewind({ messageId, branch: this.#branch, choice: this.#choice(choice), leafUuid, previousLeafUuid });
    this.#store.moveTo(leafUuid);
    this.#branch.splice(index);
    await this.#touchAll(undefined);
    this.#isPromptDue = true;
    return this.#names(outcome.failed);
  }

  /** Takes the last rewind back that was not taken back, whatever was said since. */
  async undo(choice: Choice): Promise<string[]> {
    return this.#went(await this.#history.undo(this.#history.undoable!, this.#choice(choice), this.#store.leafUuid));
  }

  async redo(choice: Choice): Promise<string[]> {
    return this.#went(await this.#history.redo(this.#history.redoable(this.#store.leafUuid)!, this.#branch, this.#choice(choice), this.#store.leafUuid));
  }

  async #went({ line, failed }: FileRewindOutcome): Promise<string[]> {
    this.#store.moveTo(line.leafUuid);
    await this.#touchAll(undefined);
    const loaded = await this.#load();
    this.#branch.splice(0, this.#branch.length, ...loaded!.allUserMessages.map(({ uuid }) => uuid));
    // What was undone in part leaves the turn as it is.
    if (line.scope !== 'files') this.#isPromptDue = true;
    return this.#names(failed);
  }

  #choice({ overwrite, skip }: Choice): RewindChoice {
    return { scope: 'both', overwrite: this.#paths(overwrite), skip: this.#paths(skip) };
  }

  #paths(names: readonly string[]): string[] {
    return names.map((name) => join(this.workspace, name));
  }

  #names(failed: FileRewindOutcome['failed']): string[] {
    return failed.map(({ path }) => path.slice(this.workspace.length + 1));
  }

  #selection({ call, name, prompt }: Part): UndoSelection {
    const messageId = prompt === undefined ? undefined : [...this.#numbers].find(([, number]) => number === prompt)![0];
    return { toolUseId: call, path: name === undefined ? undefined : join(this.workspace, name), messageId };
  }

  #nextCall(): string {
    return `call${++this.#calls}`;
  }

  async #runCommand(command: string, call: string): Promise<void> {
    const recording = await this.#history.shellCommand(command, call);
    await this.shell(command);
    await recording.over();
  }

  async #toolWrites(name: string, content: string | undefined, { call, formatted }: { readonly call: string; readonly formatted?: string | undefined }): Promise<void> {
    const path = join(this.workspace, name);
    const stat = await lstat(path).catch(() => undefined);
    if (stat?.isDirectory() || stat?.isSymbolicLink() || !(await isPossible(dirname(path), this.workspace))) return;
    const present = stat ? await readFile(path, 'latin1') : undefined;
    // A tool that has nothing to change says so and writes nothing.
    if (present === content) return;
    await this.#history.beforeWrite(path, call);
    await (content === undefined ? nodeFileSystem.remove(path) : nodeFileSystem.writeFile(path, Buffer.from(content)));
    if (formatted !== undefined && content !== undefined) await writeFile(path, formatted);
    await this.#history.afterWrite(path, call);
  }

  async #promptIfDue(): Promise<void> {
    if (this.#isPromptDue) await this.prompt();
  }

  async #asAgent(call: string, action: () => Promise<void>): Promise<void> {
    await action();
    await this.#touchAll(call);
  }

  /** Whatever differs from the last time we looked was done by the agent. */
  async #touchAll(call: string | undefined): Promise<void> {
    const before = this.#now;
    await this.#see();
    for (const name of new Set([...before.keys(), ...this.#now.keys()])) {
      const [one, other] = [before.get(name), this.#now.get(name)];
      if (one !== other) this.#touches.push({ prompt: this.#prompts, call, name, before: one, after: other });
    }
  }

  async #see(): Promise<void> {
    this.#now = await treeOf(this.workspace);
  }

  async #load() {
    await this.#store?.flush();
    const path = join(this.#root, `${sessionId}.jsonl`);
    return (await nodeFileSystem.stat(path)) ? loadTranscript(nodeFileSystem, path) : undefined;
  }

  async #open(): Promise<void> {
    const loaded = await this.#load();
    this.#store = new TranscriptStore({
      files: nodeFileSystem, clock: systemClock, log: silentLog, path: join(this.#root, `${sessionId}.jsonl`), sessionId, cwd: this.workspace, version: '0.0.0',
      leafUuid: loaded?.leafUuid ?? null, endsWithNewline: loaded?.endsWithNewline ?? true,
    });
    const blobs = new BlobStore({ files: nodeFileSystem, digest: nodeDigest, folder: join(this.#root, 'blobs') });
    this.#history = new FileHistory({
      files: nodeFileSystem, digest: nodeDigest, documents: noDocuments, blobs, store: this.#store, snapshots: loaded?.snapshots ?? [], rewinds: loaded?.rewinds ?? [], changeSets: loaded?.changeSets ?? [], log: silentLog,
      workspace: { roots: [this.workspace], scanner: createTreeScanner({ roots: [this.workspace], excluded: [] }), git: nodeGitContents },
    });
    await this.#history.finishInterrupted();
    this.#isPromptDue = true;
  }
}

async function treeOf(folder: string): Promise<Tree> {
  const tree = new Map<string, string>();
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (name === '.git' || name.startsWith('.git/')) continue;
    if (entry.isDirectory()) tree.set(name, 'folder');
    else if (entry.isSymbolicLink()) tree.set(name, `link → ${await readlink(path)}`);
    else tree.set(name, `${((await lstat(path)).mode & 0o777).toString(8)} ${await readFile(path, 'latin1')}`);
  }
  return tree;
}

async function isRealFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** Every folder on the way is one, or nothing is there. */
async function isPossible(folder: string, top: string): Promise<boolean> {
  for (let current = folder; current !== top; current = dirname(current)) {
    const stat = await lstat(current).catch(() => undefined);
    if (stat && !stat.isDirectory()) return false;
  }
  return true;
}
