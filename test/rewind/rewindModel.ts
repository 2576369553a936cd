import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../src/base/abort.ts';
import { silentLog } from '../../src/base/log.ts';
import { BlobStore } from '../../src/engine/fileHistory/blobStore.ts';
import { FileHistory } from '../../src/engine/fileHistory/fileHistory.ts';
import { loadTranscript } from '../../src/engine/transcript/loadTranscript.ts';
import { TranscriptStore } from '../../src/engine/transcript/transcriptStore.ts';
import { noDocuments } from '../../src/platform/noDocuments.ts';
import { nodeDigest } from '../../src/platform/nodeDigest.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import { nodeGitContents } from '../../src/platform/nodeGitContents.ts';
import { createTreeScanner } from '../../src/platform/treeScanner.ts';
import type { RewindPlan } from '../../src/protocol/rewind.ts';

const run = promisify(execFile);
const sessionId = '11111111-2222-4333-8444-555555555555';

/** By name: "folder", "link → target", or mode and content. */
export type Tree = ReadonlyMap<string, string>;

/** A change by the agent or by a rewind, as the model knows it: from the trees before and after. */
interface Touch {
  readonly prompt: number;
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
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
  #now: Tree = new Map();
  /** What the agent does belongs to a message of this process and of this branch. */
  #isPromptDue = true;

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

  /** undefined deletes. */
  async toolWrites(name: string, content: string | undefined): Promise<void> {
    await this.#promptIfDue();
    await this.#asAgent(() => this.#toolWrites(name, content));
  }

  async runCommand(command: string): Promise<void> {
    await this.#promptIfDue();
    await this.#asAgent(async () => {
      const recording = await this.#history.shellCommand(command);
      await this.shell(command);
      await recording.over();
    });
  }

  /** A background command that goes on while a tool writes. */
  async runBesideTool(first: string, second: string, name: string): Promise<void> {
    await this.#promptIfDue();
    const recording = await this.#history.shellCommand(`${first} & ${second}`);
    await this.#asAgent(() => this.shell(first));
    await this.#history.lookAtShells();
    await this.toolWrites(name, `beside ${name}\n`);
    await this.#asAgent(async () => {
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

  /** What each path must be after going back to before the prompt at `index` of the branch, and which of them others changed. */
  expectation(index: number): { readonly files: Map<string, string | undefined>; readonly changedSince: Set<string> } {
    const since = this.#numbers.get(this.#branch[index]!)!;
    const [files, left, gaps] = [new Map<string, string | undefined>(), new Map<string, string | undefined>(), new Set<string>()];
    for (const { prompt, name, before, after } of this.#touches) {
      if (prompt < since) continue;
      if (!files.has(name)) files.set(name, before);
      else if (left.get(name) !== before) gaps.add(name);
      left.set(name, after);
    }
    const changedSince = new Set([...files.keys()].filter((name) => this.#now.get(name) !== files.get(name) && (gaps.has(name) || this.#now.get(name) !== left.get(name))));
    return { files, changedSince };
  }

  plan(index: number): Promise<RewindPlan> {
    return this.#history.planRewind(this.#branch[index]!, this.#branch, 0);
  }

  /** `overwrite` and `skip`: names. Gives the names that could not be brought back. */
  async rewind(index: number, choice: { readonly overwrite: readonly string[]; readonly skip: readonly string[] }): Promise<string[]> {
    const messageId = this.#branch[index]!;
    const [previousLeafUuid, leafUuid] = [this.#store.leafUuid, this.#branch[index - 1] ?? null];
    const paths = (names: readonly string[]): string[] => names.map((name) => join(this.workspace, name));
    const outcome = await this.#history.rewind({ messageId, branch: this.#branch, choice: { scope: 'both', overwrite: paths(choice.overwrite), skip: paths(choice.skip) }, leafUuid, previousLeafUuid });
    this.#store.moveTo(leafUuid);
    this.#branch.splice(index);
    await this.#touchAll();
    this.#isPromptDue = true;
    return outcome.failed.map(({ path }) => path.slice(this.workspace.length + 1));
  }

  async undo(): Promise<string[]> {
    const last = this.#history.undoable!;
    const outcome = await this.#history.undo(last, { scope: 'both', skip: [], overwrite: [] });
    this.#store.moveTo(outcome.line.leafUuid);
    await this.#touchAll();
    this.#isPromptDue = true;
    const loaded = await this.#load();
    this.#branch.splice(0, this.#branch.length, ...loaded!.allUserMessages.map(({ uuid }) => uuid));
    return outcome.failed.map(({ path }) => path.slice(this.workspace.length + 1));
  }

  async #toolWrites(name: string, content: string | undefined): Promise<void> {
    const path = join(this.workspace, name);
    const stat = await lstat(path).catch(() => undefined);
    if (stat?.isDirectory() || stat?.isSymbolicLink() || !(await isPossible(dirname(path), this.workspace))) return;
    const present = stat ? await readFile(path, 'latin1') : undefined;
    // A tool that has nothing to change says so and writes nothing.
    if (present === content) return;
    await this.#history.beforeWrite(path);
    await (content === undefined ? nodeFileSystem.remove(path) : nodeFileSystem.writeFile(path, Buffer.from(content)));
    await this.#history.afterWrite(path);
  }

  async #promptIfDue(): Promise<void> {
    if (this.#isPromptDue) await this.prompt();
  }

  async #asAgent(action: () => Promise<void>): Promise<void> {
    await action();
    await this.#touchAll();
  }

  /** Whatever differs from the last time we looked was done by the agent. */
  async #touchAll(): Promise<void> {
    const before = this.#now;
    await this.#see();
    for (const name of new Set([...before.keys(), ...this.#now.keys()])) {
      const [one, other] = [before.get(name), this.#now.get(name)];
      if (one !== other) this.#touches.push({ prompt: this.#prompts, name, before: one, after: other });
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
