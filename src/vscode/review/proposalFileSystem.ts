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
 * a window reload finds its text. Contents start with a byte order mark, or the user's `files.encoding` would misread them.
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

  /** Where the proposal of this call for this file is edited. The file's name decides the language. */
  uriFor(toolUseId: string, path: string): vscode.Uri {
    return vscode.Uri.from({ scheme: proposalScheme, path: `/${encodeURIComponent(toolUseId)}${vscode.Uri.file(path).path}` });
  }

  async create(uri: vscode.Uri, text: string): Promise<void> {
    await this.#store(uri, encode(text));
  }

  /** The text as it was left: what was typed, else what was saved. */
  async text(uri: vscode.Uri): Promise<string> {
    const entry = await this.#entry(uri);
    return entry.draft ?? decode(entry.bytes);
  }

  /** A closed tab loses nothing: what was typed is what its next opening shows. */
  async keepDraftAsText(uri: vscode.Uri): Promise<void> {
    const draft = this.#entries.get(uri.path)?.draft;
    if (draft !== undefined) await this.#store(uri, encode(draft));
  }

  async forget(uri: vscode.Uri): Promise<void> {
    this.#entries.delete(uri.path);
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
    const known = this.#entries.get(uri.path);
    if (known) return known;
    try {
      const file = this.#fileOf(uri);
      const [bytes, { mtime, ctime }] = await Promise.all([vscode.workspace.fs.readFile(file), vscode.workspace.fs.stat(file)]);
      const entry = { bytes, mtime, ctime };
      this.#entries.set(uri.path, entry);
      return entry;
    } catch {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
  }

  async #store(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    const before = this.#entries.get(uri.path);
    const now = Math.max(Date.now(), (before?.mtime ?? 0) + 1);
    this.#entries.set(uri.path, { bytes, mtime: now, ctime: before?.ctime ?? now });
    await vscode.workspace.fs.writeFile(this.#fileOf(uri), bytes);
    this.#changed.fire([{ type: before ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created, uri }]);
  }

  #keepDraft({ document, reason }: vscode.TextDocumentChangeEvent): void {
    const entry = document.uri.scheme === proposalScheme ? this.#entries.get(document.uri.path) : undefined;
    if (!entry) return;
    if (document.isDirty) entry.draft = document.getText();
    // Otherwise VS Code itself went back to the saved text, because the tab was closed: that takes nothing away.
    else if (reason !== undefined) entry.draft = undefined;
  }

  /** One file per call: its id is the first part of the path. */
  #fileOf(uri: vscode.Uri): vscode.Uri {
    return vscode.Uri.joinPath(this.#folder, `${uri.path.split('/')[1] ?? ''}.txt`);
  }
}

const mark = [0xef, 0xbb, 0xbf] as const;

function encode(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const marked = new Uint8Array(bytes.length + mark.length);
  marked.set(mark);
  marked.set(bytes, mark.length);
  return marked;
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
