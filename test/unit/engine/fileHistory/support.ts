import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../src/base/abort.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { BlobStore } from '../../../../src/engine/fileHistory/blobStore.ts';
import { FileHistory } from '../../../../src/engine/fileHistory/fileHistory.ts';
import type { Documents, FileSystem, TreeNews } from '../../../../src/engine/ports.ts';
import { loadTranscript } from '../../../../src/engine/transcript/loadTranscript.ts';
import { TranscriptStore } from '../../../../src/engine/transcript/transcriptStore.ts';
import { noDocuments } from '../../../../src/platform/noDocuments.ts';
import { nodeDigest } from '../../../../src/platform/nodeDigest.ts';
import { nodeGitContents } from '../../../../src/platform/nodeGitContents.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import { createTreeScanner } from '../../../../src/platform/treeScanner.ts';
import type { RewindChoice, UndoSelection } from '../../../../src/protocol/rewind.ts';

const sessionId = '11111111-2222-4333-8444-555555555555';
export const everything: RewindChoice = { scope: 'both', skip: [], overwrite: [] };

/** A workspace, a transcript and the agent's hands: what a session does with the file history, without the session. */
export class Desk {
  readonly root: string;
  readonly workspace: string;
  readonly branch: string[] = [];
  files: FileSystem;
  documents: Documents = noDocuments;
  /** Given, commands are watched; without, there are none. */
  news: TreeNews | undefined;
  store!: TranscriptStore;
  history!: FileHistory;
  notices: readonly string[] = [];

  private constructor(root: string, files: FileSystem) {
    this.root = root;
    this.workspace = join(root, 'workspace');
    this.files = files;
  }

  static async use(action: (desk: Desk) => Promise<void>, files: FileSystem = nodeFileSystem): Promise<void> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'turnstone-')));
    try {
      const desk = new Desk(root, files);
      await mkdir(desk.workspace);
      await desk.start();
      await action(desk);
      await desk.store.dispose();
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }

  /** On what another process has left in `root`. */
  static async on(root: string, files: FileSystem): Promise<Desk> {
    const desk = new Desk(root, files);
    await desk.start();
    return desk;
  }

  get transcript(): string {
    return join(this.root, `${sessionId}.jsonl`);
  }

  at(name: string): string {
    return join(this.workspace, name);
  }

  /** A new process: everything is read from disk again. */
  async restart(): Promise<void> {
    await this.store.dispose();
    await this.start();
  }

  say(messageId: string): void {
    this.branch.push(messageId);
    this.store.recordMessage({ type: 'user', uuid: messageId, session_id: sessionId, message: { role: 'user', content: messageId }, parent_tool_use_id: null });
    this.history.startMessage(messageId);
  }

  /** What a tool does: null deletes. */
  async agentWrites(name: string, content: string | Uint8Array | null, toolUseId?: string): Promise<void> {
    const path = this.at(name);
    await this.history.beforeWrite(path, toolUseId);
    if (content === null) await nodeFileSystem.remove(path);
    else await nodeFileSystem.writeFile(path, Buffer.from(content));
    await this.history.afterWrite(path, toolUseId);
  }

  async rewind(messageId: string, choice: Partial<RewindChoice> = {}) {
    const at = this.branch.indexOf(messageId);
    const [previousLeafUuid, leafUuid] = [this.store.leafUuid, this.branch[at - 1] ?? null];
    const outcome = await this.history.rewind({ messageId, branch: this.branch, choice: { ...everything, ...choice }, leafUuid, previousLeafUuid });
    if (choice.scope !== 'files') {
      this.store.moveTo(leafUuid);
      this.branch.splice(at);
    }
    return outcome;
  }

  async undo(choice: Partial<RewindChoice> = {}) {
    const outcome = await this.history.undo(this.history.undoable!, { ...everything, ...choice }, this.store.leafUuid);
    await this.#goTo(outcome.line.leafUuid);
    return outcome;
  }

  async redo(choice: Partial<RewindChoice> = {}) {
    const outcome = await this.history.redo(this.history.redoable(this.store.leafUuid)!, this.branch, { ...everything, ...choice }, this.store.leafUuid);
    await this.#goTo(outcome.line.leafUuid);
    return outcome;
  }

  async #goTo(leafUuid: string | null): Promise<void> {
    this.store.moveTo(leafUuid);
    const loaded = await loadTranscript(this.files, this.transcript);
    this.branch.splice(0, this.branch.length, ...loaded.allUserMessages.map(({ uuid }) => uuid));
  }

  undoSelected(selection: UndoSelection, choice: Partial<RewindChoice> = {}) {
    return this.history.undoSelected(selection, { ...everything, ...choice }, this.store.leafUuid);
  }

  /** Every path of the workspace with kind, mode and content. */
  async tree(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const name of (await readdir(this.workspace, { recursive: true })).sort()) {
      const stat = await lstat(this.at(name));
      const what = stat.isSymbolicLink() ? `-> ${await readlink(this.at(name))}` : stat.isDirectory() ? 'folder' : (await readFile(this.at(name))).toString('base64');
      found[name] = `${(stat.mode & 0o777).toString(8)} ${what}`;
    }
    return found;
  }

  async start(): Promise<void> {
    const { files } = this;
    const loaded = (await files.stat(this.transcript)) ? await loadTranscript(files, this.transcript) : undefined;
    this.store = new TranscriptStore({
      files,
      clock: systemClock,
      log: silentLog,
      path: this.transcript,
      sessionId,
      cwd: this.workspace,
      version: '0.0.0',
      leafUuid: loaded?.leafUuid ?? null,
      endsWithNewline: loaded?.endsWithNewline ?? true,
    });
    this.history = new FileHistory({
      files,
      digest: nodeDigest,
      documents: { unsavedText: (path) => this.documents.unsavedText(path), write: (path, text) => this.documents.write(path, text) },
      blobs: new BlobStore({ files, digest: nodeDigest, folder: join(this.root, 'blobs') }),
      store: this.store,
      snapshots: loaded?.snapshots ?? [],
      rewinds: loaded?.rewinds ?? [],
      changeSets: loaded?.changeSets ?? [],
      log: silentLog,
      workspace: this.news && { roots: [this.workspace], scanner: createTreeScanner({ roots: [this.workspace], excluded: [] }), news: this.news, git: nodeGitContents },
    });
    if (loaded) this.branch.splice(0, this.branch.length, ...loaded.allUserMessages.map(({ uuid }) => uuid));
    this.notices = await this.history.finishInterrupted();
  }
}
