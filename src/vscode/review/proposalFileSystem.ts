import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposables.ts';

export const proposalScheme = 'turnstone-proposal';

interface Entry {
  bytes: Uint8Array;
  /** Milliseconds since 1970; grows with every change, or VS Code would take an old text for the current one. */
  mtime: number;
  readonly ctime: number;
  /** What was typed on the right side and not saved. */
  draft?: string | undefined;
}

/**
 * Proposals as files that can be edited: the right side of a review. They are kept on disk, so that a tab restored after
 * a window reload finds its text. Always UTF-8.
 */
export class ProposalFileSystem implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #folder: vscode.Uri;
  readonly #entries = new Map<string, Entry>();
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  readonly onDidChangeFile = this.#changed.event;

  /** `storage` is a folder of this extension and workspace; made when needed. */
  constructor(storage: vscode.Uri) {
    this.#folder = vscode.Uri.joinPath(storage, 'proposals');
    this.#disposables.add(vscode.workspace.onDidChangeTextDocument((event) => this.#keepDraft(event)));
  }

  /** Where the proposal of this call for this file is edited. Its name decides the language, its folders are shown above it. */
  uriFor(toolUseId: string, path: string): vscode.Uri {
    const shown = vscode.Uri.file(vscode.workspace.asRelativePath(path)).path;
    return vscode.Uri.from({ scheme: proposalScheme, path: shown, query: encodeURIComponent(toolUseId) });
  }

  async create(uri: vscode.Uri, text: string): Promise<void> {
    await this.#store(uri, encode(text, needsMark(uri)));
  }

  /** The text as it was left: what was typed, else what was saved. */
  async text(uri: vscode.Uri): Promise<string> {
    const entry = await this.#entry(uri);
    return entry.draft ?? decode(entry.bytes);
  }

  /** A closed tab loses nothing: what was typed is what its next opening shows. */
  async keepDraftAsText(uri: vscode.Uri): Promise<void> {
    const draft = this.#entries.get(uri.toString())?.draft;
    if (draft !== undefined) await this.create(uri, draft);
  }

  async forget(uri: vscode.Uri): Promise<void> {
    this.#entries.delete(uri.toString());
    await removeQuietly(this.#fileOf(uri));
  }

  /** For those whose turn has ended with the window. */
  async forgetAll(): Promise<void> {
    this.#entries.clear();
    await removeQuietly(this.#folder);
  }

  watch(): vscode.Disposable {
    return { dispose() {} };
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, mtime, ctime } = await this.#entry(uri);
    return { type: vscode.FileType.File, size: bytes.byteLength, mtime, ctime };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#entry(uri)).bytes;
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    await this.#entry(uri);
    await this.#store(uri, content);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(oldUri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(oldUri);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #entry(uri: vscode.Uri): Promise<Entry> {
    const known = this.#entries.get(uri.toString());
    if (known) return known;
    try {
      const file = this.#fileOf(uri);
      const [bytes, { mtime, ctime }] = await Promise.all([vscode.workspace.fs.readFile(file), vscode.workspace.fs.stat(file)]);
      const entry = { bytes, mtime, ctime };
      this.#entries.set(uri.toString(), entry);
      return entry;
    } catch {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
  }

  async #store(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    const before = this.#entries.get(uri.toString());
    const now = Math.max(Date.now(), (before?.mtime ?? 0) + 1);
    this.#entries.set(uri.toString(), { bytes, mtime: now, ctime: before?.ctime ?? now });
    await vscode.workspace.fs.writeFile(this.#fileOf(uri), bytes);
    this.#changed.fire([{ type: before ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created, uri }]);
  }

  #keepDraft({ document, reason }: vscode.TextDocumentChangeEvent): void {
    const entry = document.uri.scheme === proposalScheme ? this.#entries.get(document.uri.toString()) : undefined;
    if (!entry) return;
    if (document.isDirty) entry.draft = document.getText();
    // Otherwise VS Code itself went back to the saved text, because the tab was closed: that takes nothing away.
    else if (reason !== undefined) entry.draft = undefined;
  }

  /** One file per call. */
  #fileOf(uri: vscode.Uri): vscode.Uri {
    return vscode.Uri.joinPath(this.#folder, `${uri.query}.txt`);
  }
}

const mark = [0xef, 0xbb, 0xbf] as const;

/** Without it VS Code would take the text for something else than UTF-8. */
function needsMark(uri: vscode.Uri): boolean {
  const files = vscode.workspace.getConfiguration('files', uri);
  return files.get<string>('encoding') !== 'utf8' || files.get<boolean>('autoGuessEncoding') === true;
}

function encode(text: string, marked: boolean): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  // A text that begins with the mark itself would lose it.
  return marked || text.startsWith('\ufeff') ? Uint8Array.from([...mark, ...bytes]) : bytes;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes);
}

async function removeQuietly(uri: vscode.Uri): Promise<void> {
  try {
    await vscode.workspace.fs.delete(uri, { recursive: true });
  } catch (error) {
    if (!(error instanceof vscode.FileSystemError && error.code === 'FileNotFound')) throw error;
  }
}
