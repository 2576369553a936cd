import * as vscode from 'vscode';
import { debounce } from '../../base/debounce.ts';
import { DisposableStore } from '../../base/disposables.ts';
import type { Log } from '../../base/log.ts';
import { errorText } from '../../base/errors.ts';
import type { Proposal } from '../../protocol/fileChange.ts';
import type { PermissionAnswer, PermissionRequest } from '../../protocol/permissions.ts';
import { loadSdk } from '../loadSdk.ts';
import { emptyDocument } from '../snapshotDocuments.ts';
import { HunkBook } from './hunkBook.ts';
import { openDocument } from './openDocument.ts';
import type { ProposalFileSystem } from './proposalFileSystem.ts';
import { proposalTabs } from './proposalTabs.ts';
import { RightSide } from './rightSide.ts';

export interface ShowOptions {
  /** Leave the visible editor where it is. */
  readonly background: boolean;
  readonly takeFocus: boolean;
  readonly column?: vscode.ViewColumn | undefined;
}

/** How the proposal stands to its file: as proposed, merged onto what the file holds now, to be resolved, or without a file to fit. */
export type ReviewState = 'current' | 'rebased' | 'conflict' | 'gone';
export type FileDecision = { readonly behavior: 'allow' } | { readonly behavior: 'deny'; readonly reason: string | undefined };

/** Milliseconds without a change to the file before the proposal is merged onto it. */
const settleMs = 150;

/**
 * All that an answer proposes for one file, as one proposal in front of the user: what is there now on the left, what is
 * proposed on the right, editable. When the file changes, the proposal is merged onto it.
 */
export class FileReview implements vscode.Disposable {
  readonly uri: vscode.Uri;
  readonly requests: readonly PermissionRequest[];
  readonly right: RightSide;
  readonly hunks: HunkBook;
  readonly #log: Log;
  readonly #original: Proposal;
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<void>());
  /** The state, a decision, or what the right side says. */
  readonly onDidChange = this.#changed.event;
  readonly #lookSoon = this.#disposables.add(debounce(() => void this.look(), settleMs));
  /** What the right side was made of last. */
  #shown: Proposal;
  /** What is merged onto a file that changes: the proposal, or what the user has made of it. */
  #basis: Proposal;
  #state: ReviewState = 'current';
  #decision: FileDecision | undefined;
  #looking: Promise<unknown> = Promise.resolve();

  /** `requests` are for one file, in the order in which they build on each other. */
  constructor(requests: readonly PermissionRequest[], files: ProposalFileSystem, log: Log) {
    this.requests = requests;
    this.#log = log;
    const first = requests[0]!.proposal!;
    this.#original = { ...requests.at(-1)!.proposal!, before: first.before };
    this.#shown = this.#original;
    this.#basis = this.#original;
    this.uri = files.uriFor(requests[0]!.toolUseId, first.path);
    this.right = new RightSide(this.uri, files);
    this.hunks = new HunkBook();
  }

  get path(): string {
    return this.#original.path;
  }

  get isNew(): boolean {
    return this.#shown.before === undefined;
  }

  get state(): ReviewState {
    return this.#state;
  }

  get decision(): FileDecision | undefined {
    return this.#decision;
  }

  set decision(decision: FileDecision | undefined) {
    this.#decision = decision;
    this.#changed.fire();
  }

  /** What the left side says; '' where there is no file. */
  get leftText(): string {
    return this.#shown.before ?? '';
  }

  get left(): vscode.Uri {
    return this.#shown.before === undefined || this.#state === 'gone' ? emptyDocument(this.path) : vscode.Uri.file(this.path);
  }

  get title(): string {
    const what = { current: this.isNew ? 'new file, proposed' : 'now ↔ proposed', rebased: 'rebased: now ↔ proposed', conflict: 'conflict: now ↔ proposed', gone: 'out of date: file gone ↔ proposed' };
    return `${vscode.workspace.asRelativePath(this.path)} (${what[this.#state]})`;
  }

  /** Puts the proposal where it can be shown, and watches the file from now on. */
  async prepare(): Promise<void> {
    await this.right.put(this.#original.after, this.#original.before);
    this.#watch();
  }

  async show({ background, takeFocus, column }: ShowOptions): Promise<void> {
    const options = { preview: false, preserveFocus: !takeFocus, background, ...(column !== undefined && { viewColumn: column }) };
    // One with the same sides would only be brought to the front, under its old title.
    const stale = proposalTabs(this.uri).filter(({ label, isDirty }) => label !== this.title && !isDirty);
    if (stale.length > 0) await vscode.window.tabGroups.close(stale, true);
    await this.right.keepDraft();
    await vscode.commands.executeCommand('vscode.diff', this.left, this.uri, this.title, options);
  }

  /** Looks at the file, and merges the proposal onto it if it has changed. One look at a time. */
  look(): Promise<void> {
    const looked = this.#looking.then(() => this.#lookNow()).catch((error: unknown) => this.#log.warn(`A waiting proposal for ${this.path} could not be compared with its file: ${errorText(error)}`));
    this.#looking = looked;
    return looked;
  }

  /** Tells that something was said about it. */
  touch(): void {
    this.#changed.fire();
  }

  /** What is said for each of the requests, in their order. */
  async answers(): Promise<PermissionAnswer[]> {
    const { requests } = this;
    if (this.#decision?.behavior === 'deny') return requests.map(() => ({ behavior: 'deny', reason: joined([this.#denyReason(), ...this.hunks.reasons]) }));
    if (this.#state === 'gone') return requests.map(() => ({ behavior: 'outdated' }));
    const right = await this.right.text();
    if (right === this.#shown.before) return requests.map(() => ({ behavior: 'deny', reason: joined(['Every part of it was rejected.', ...this.hunks.reasons]) }));
    // What the model proposed, on what the file holds now: all else is the user's.
    const { proposal: proposed } = (await requests.at(-1)?.rebase?.(this.#original)) ?? { proposal: this.#original };
    const isOther = requests.length > 1 || proposed.before !== this.#original.before;
    const { hunksBetween } = await loadSdk();
    const hunkReasons = this.hunks.numbered(hunksBetween(this.leftText, proposed.after));
    return requests.map((_, index) =>
      index < requests.length - 1
        ? { behavior: 'allow' }
        : { behavior: 'allow', finalText: right === proposed.after ? undefined : right, ...(isOther && { rebased: proposed }), ...(hunkReasons.length > 0 && { hunkReasons }) },
    );
  }

  async forget(): Promise<void> {
    this.dispose();
    await this.right.forget();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #denyReason(): string | undefined {
    return this.#decision?.behavior === 'deny' ? this.#decision.reason : undefined;
  }

  async #lookNow(): Promise<void> {
    const rebase = this.requests.at(-1)?.rebase;
    if (!rebase) return;
    const right = await this.right.text();
    const isEdited = right !== this.#shown.after;
    // While the user resolves a conflict, nothing is moved under their hands.
    if (isEdited && this.#state === 'conflict' && hasConflict(right)) return;
    const from = isEdited ? { ...this.#shown, after: right } : this.#basis;
    const now = await rebase(from);
    if (now.kind === 'gone' || (now.kind === 'conflict' && this.right.isNotebook)) return this.#become('gone');
    const { proposal } = now;
    if (isEdited && now.kind !== 'current') this.#basis = proposal;
    if (proposal.before !== this.#shown.before || (!isEdited && proposal.after !== this.#shown.after)) {
      await this.right.put(proposal.after, proposal.before);
      this.#shown = proposal;
    }
    const isMoved = proposal.before !== this.#original.before;
    return this.#become(now.kind === 'conflict' || (isMoved && hasConflict(proposal.after)) ? 'conflict' : isMoved ? 'rebased' : 'current');
  }

  #become(state: ReviewState): void {
    const isSame = state === this.#state;
    this.#state = state;
    // What was accepted was another text: it is for the user to look again.
    if (!isSame && (state === 'conflict' || state === 'gone') && this.#decision?.behavior === 'allow') this.#decision = undefined;
    if (!isSame && proposalTabs(this.uri).some(({ label }) => label !== this.title)) void this.#retitle();
    this.#changed.fire();
  }

  /** A tab can't be renamed: it is closed and opened in its place, with what was typed in it and where. */
  async #retitle(): Promise<void> {
    const [tab] = proposalTabs(this.uri);
    if (!tab) return;
    const editor = vscode.window.activeTextEditor;
    const selections = editor?.document.uri.toString() === this.uri.toString() ? editor.selections : undefined;
    // Into its own storage: what was typed counts all the same, and nobody is asked about it.
    if (openDocument(this.uri)?.isDirty) await openDocument(this.uri)?.save();
    await this.show({ background: !tab.isActive, takeFocus: selections !== undefined, column: tab.group.viewColumn });
    const shown = vscode.window.activeTextEditor;
    if (selections && shown?.document.uri.toString() === this.uri.toString()) shown.selections = selections;
  }

  #watch(): void {
    const file = vscode.Uri.file(this.path);
    const look = (uri: vscode.Uri): void => {
      if (uri.toString() === file.toString()) this.#lookSoon.call();
    };
    const watcher = this.#disposables.add(vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.joinPath(file, '..'), '*')));
    this.#disposables.add(watcher.onDidChange(look));
    this.#disposables.add(watcher.onDidCreate(look));
    this.#disposables.add(watcher.onDidDelete(look));
    this.#disposables.add(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        look(document.uri);
        if (document.uri.toString() !== this.uri.toString()) return;
        if (this.#state === 'conflict' && !hasConflict(document.getText())) this.#lookSoon.call();
        this.#changed.fire();
      }),
    );
    this.#disposables.add(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        if (closed.length > 0 && proposalTabs(this.uri).length === 0) void this.right.keepDraft();
      }),
    );
  }
}

/** Marker lines as a merge writes them. */
export function hasConflict(text: string): boolean {
  return /^<{7} now\r?$/m.test(text) && /^>{7} proposed\r?$/m.test(text);
}

function joined(reasons: readonly (string | undefined)[]): string | undefined {
  const said = reasons.filter((reason) => reason !== undefined && reason.trim() !== '');
  return said.length > 0 ? said.join(' ') : undefined;
}
