import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposables.ts';
import type { Proposal } from '../../protocol/fileChange.ts';
import { emptyDocument } from '../snapshotDocuments.ts';
import { keepLineEndings } from './keepLineEndings.ts';
import type { ProposalFileSystem } from './proposalFileSystem.ts';
import { closeProposalTabs, proposalTabs } from './proposalTabs.ts';

export interface ShowOptions {
  /** Leave the visible editor where it is. */
  readonly background: boolean;
  readonly takeFocus: boolean;
}

/** One proposal in front of the user: what is there now on the left, what is proposed on the right, editable. */
export class ProposalReview implements vscode.Disposable {
  readonly uri: vscode.Uri;
  readonly #proposal: Proposal;
  readonly #files: ProposalFileSystem;
  readonly #left: vscode.Uri;
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<void>());
  /** Fires when the proposal stops fitting the file, or fits again. */
  readonly onDidChange = this.#changed.event;
  /** What the left side said at first; undefined when there was no file. */
  #seenText: string | undefined;
  #isOutdated = false;

  constructor(toolUseId: string, proposal: Proposal, files: ProposalFileSystem) {
    this.#proposal = proposal;
    this.#files = files;
    this.uri = files.uriFor(toolUseId, proposal.path);
    this.#left = proposal.before === undefined ? emptyDocument(proposal.path) : vscode.Uri.file(proposal.path);
  }

  /** The file, or the editor's text of it, is not what the proposal was made for. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  async open(options: ShowOptions): Promise<void> {
    await this.#files.create(this.uri, this.#proposal.after);
    await this.#watch();
    await this.show(options);
  }

  async show({ background, takeFocus }: ShowOptions): Promise<void> {
    const title = `${vscode.workspace.asRelativePath(this.#proposal.path)} (${this.#proposal.before === undefined ? 'new file, proposed' : 'now ↔ proposed'})`;
    await vscode.commands.executeCommand('vscode.diff', this.#left, this.uri, title, { preview: false, preserveFocus: !takeFocus, background });
  }

  /** Exactly what the right side shows, dirty or not; undefined when the user has left the proposal as it was. */
  async finalText(): Promise<string | undefined> {
    const isShown = proposalTabs(this.uri).length > 0;
    const document = isShown ? openDocument(this.uri) : undefined;
    const shown = document?.getText() ?? (await this.#files.text(this.uri));
    const text = keepLineEndings(this.#proposal.after, shown);
    return text === this.#proposal.after ? undefined : text;
  }

  /** Looks again, for a change whose event has not come yet. */
  async checkOutdated(): Promise<boolean> {
    const isOutdated = (await this.#currentText()) !== this.#seenText;
    if (isOutdated !== this.#isOutdated) {
      this.#isOutdated = isOutdated;
      this.#changed.fire();
    }
    return isOutdated;
  }

  /** Takes the tab away, without a question, and the proposal with it. */
  async close(): Promise<void> {
    this.dispose();
    await closeProposalTabs(this.uri);
    await this.#files.forget(this.uri);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #watch(): Promise<void> {
    this.#seenText = await this.#currentText();
    const file = vscode.Uri.file(this.#proposal.path);
    const folder = vscode.Uri.joinPath(file, '..');
    const watcher = this.#disposables.add(vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, '*')));
    const look = (uri: vscode.Uri): void => {
      if (uri.toString() === file.toString()) void this.checkOutdated();
    };
    this.#disposables.add(watcher.onDidChange(look));
    this.#disposables.add(watcher.onDidCreate(look));
    this.#disposables.add(watcher.onDidDelete(look));
    this.#disposables.add(vscode.workspace.onDidChangeTextDocument(({ document }) => look(document.uri)));
    this.#disposables.add(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        if (closed.length > 0 && proposalTabs(this.uri).length === 0) void this.#files.keepDraftAsText(this.uri);
      }),
    );
  }

  /** The unsaved text of the file's editor, else its bytes as text; undefined when there is no file. */
  async #currentText(): Promise<string | undefined> {
    const file = vscode.Uri.file(this.#proposal.path);
    const document = openDocument(file);
    if (document?.isDirty) return document.getText();
    try {
      const bytes = await vscode.workspace.fs.readFile(file);
      return document ? await vscode.workspace.decode(bytes, { encoding: document.encoding }) : await vscode.workspace.decode(bytes, { uri: file });
    } catch {
      return undefined;
    }
  }
}

function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => !document.isClosed && document.uri.toString() === uri.toString());
}
