import * as vscode from 'vscode';
import { raceAbort } from '../../base/abort.ts';
import { debounce } from '../../base/debounce.ts';
import { DisposableStore } from '../../base/disposables.ts';
import { errorText } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ApprovalView } from '../../protocol/chatView.ts';
import type { CanUseTool, PermissionAnswer, PermissionRequest } from '../../protocol/permissions.ts';
import { approvalView } from './approvalView.ts';
import { changeSetView } from './changeSetView.ts';
import type { FileDecision, FileReview } from './fileReview.ts';
import type { ProposalFileSystem } from './proposalFileSystem.ts';
import { openSetTab, proposalOf } from './proposalTabs.ts';
import { reviewPlace } from './reviewPlace.ts';
import { ReviewSet } from './reviewSet.ts';
import { UserTyping } from './userTyping.ts';

interface Card {
  readonly request: PermissionRequest;
  settle(answer: PermissionAnswer): void;
}

/** Milliseconds in which news for the panel are gathered. */
const announceMs = 50;

/** Milliseconds after a proposal has appeared in which a key that was meant for something else may still arrive. */
const deafMs = 500;

/**
 * Everything that waits for the user's decision. Edits are shown in a diff editor before anything is written, commands
 * on a card in the panel. Only an explicit answer decides; closing a tab or saving the right side does not.
 */
export class ReviewService implements vscode.Disposable {
  readonly #files: ProposalFileSystem;
  readonly #log: Log;
  /** Calls without a proposal, by id, and sets of proposals; in the order in which they came. */
  readonly #waiting = new Map<string, Card | ReviewSet>();
  readonly #disposables = new DisposableStore();
  readonly #typing = this.#disposables.add(new UserTyping());
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<readonly ApprovalView[]>());
  /** What waits now, for the panel. */
  readonly onDidChange = this.#changed.event;
  readonly #reviewed = this.#disposables.add(new vscode.EventEmitter<void>());
  /** Something about a proposal: what it says, how it stands, whether it waits. */
  readonly onDidReview = this.#reviewed.event;
  readonly #announceSoon = this.#disposables.add(debounce(() => void this.#announce(), announceMs));

  constructor(files: ProposalFileSystem, log: Log) {
    this.#files = files;
    this.#log = log;
  }

  /** Asks the user. Rejects with an `aborted` error when the turn is interrupted meanwhile. */
  readonly ask: CanUseTool = (request, signal) => (request.proposal ? this.#askInSet(request, signal) : this.#askOnCard(request, signal));

  /** Sets whose files are there to be looked at, oldest first. */
  get sets(): readonly ReviewSet[] {
    return [...this.#waiting.values()].filter((each) => each instanceof ReviewSet);
  }

  /**
   * Decides a call, or all files of a set that are not decided yet. What is accepted is the right side as it stands. False
   * when it no longer waits.
   */
  async answer(id: string, behavior: 'allow' | 'deny', reason?: string): Promise<boolean> {
    const waiting = this.#waiting.get(id) ?? this.sets.find(({ calls }) => calls.includes(id));
    if (!waiting) return false;
    const decision = behavior === 'deny' ? ({ behavior, reason } as const) : ({ behavior } as const);
    if (!(waiting instanceof ReviewSet)) waiting.settle(decision);
    else {
      await waiting.ready;
      for (const file of waiting.undecided) await this.decide(waiting, file, decision);
    }
    return true;
  }

  /** Decides one file, or takes its decision back. One that conflicts is shown instead of accepted: false. */
  async decide(set: ReviewSet, file: FileReview, decision: FileDecision | undefined): Promise<boolean> {
    if (await set.decide(file, decision)) return true;
    await file.show({ background: false, takeFocus: true });
    vscode.window.setStatusBarMessage('$(warning) Both changed the same lines: resolve them on the right side, then accept', 8_000);
    return false;
  }

  /** Brings a diff to the front, with what was typed in it: of one file, or of all files of a set at once. */
  async openDiff(id: string, index?: number): Promise<void> {
    const set = this.sets.find((each) => each.id === id || each.calls.includes(id));
    await set?.ready;
    const file = index === undefined && set?.files.length === 1 ? set.files[0] : set?.files[index ?? -1];
    if (file) await file.show({ background: false, takeFocus: true, column: reviewPlace().column });
    else if (set) await openSetTab(set.title, set.files);
  }

  /** The file whose proposal this is; without `uri` that of the active editor or tab, or the only one that waits. */
  find(uri?: vscode.Uri): { readonly set: ReviewSet; readonly file: FileReview } | undefined {
    const all = this.sets.flatMap((set) => set.files.map((file) => ({ set, file })));
    const isIt = (wanted: vscode.Uri | undefined) => (wanted ? all.find(({ file }) => file.uri.toString() === wanted.toString()) : undefined);
    if (uri) return isIt(uri);
    const active = proposalOf(vscode.window.tabGroups.activeTabGroup.activeTab);
    return active ? isIt(active) : (isIt(vscode.window.activeTextEditor?.document.uri) ?? (all.length === 1 ? all[0] : undefined));
  }

  /** The call whose proposal this is. */
  waitingFor(uri?: vscode.Uri): string | undefined {
    return this.find(uri)?.file.requests[0]?.toolUseId;
  }

  /** The user is at work in the panel: a diff that opens is in nobody's way. */
  notePanel(): void {
    this.#typing.notePanel();
    for (const set of this.sets) set.isDecidedInEditor = false;
  }

  /** Whether a key may decide this set: not in the moment in which it appears under the user's hands. */
  hearsKeys(set: ReviewSet): boolean {
    return Date.now() - set.shownAt > deafMs;
  }

  dispose(): void {
    for (const set of this.sets) set.dispose();
    this.#disposables.dispose();
  }

  async #askOnCard(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer> {
    try {
      const answered = new Promise<PermissionAnswer>((settle) => this.#waiting.set(request.toolUseId, { request, settle }));
      this.#announceSoon.call();
      return await raceAbort(answered, signal);
    } finally {
      this.#waiting.delete(request.toolUseId);
      await this.#announce();
    }
  }

  async #askInSet(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer> {
    const id = request.changeSet?.id ?? request.toolUseId;
    const known = this.#waiting.get(id);
    const set = known instanceof ReviewSet ? known : new ReviewSet(request, this.#files, this.#log);
    if (set !== known) this.#open(set);
    try {
      return await raceAbort(set.add(request), signal);
    } finally {
      if (set.leave(request)) {
        this.#waiting.delete(id);
        await this.#announce();
        await set.close().catch((error: unknown) => this.#log.warn(`The tab of a decided proposal could not be closed: ${errorText(error)}`));
      }
    }
  }

  #open(set: ReviewSet): void {
    this.#waiting.set(set.id, set);
    set.onDidChange(() => {
      this.#reviewed.fire();
      this.#announceSoon.call();
    });
    set.ready.then(() => this.#showFirst(set)).catch((error: unknown) => this.#log.warn(`A proposal could not be shown: ${errorText(error)}`));
  }

  /** The card is enough to decide; "Open diff" tries again where this fails. */
  async #showFirst(set: ReviewSet): Promise<void> {
    const place = reviewPlace();
    const [file] = set.undecided;
    if (file && place.opens) await file.show({ background: place.background || this.#typing.isTyping, takeFocus: false, column: place.column });
  }

  async #announce(): Promise<void> {
    const waiting = [...this.#waiting.values()];
    const ready = waiting.filter((each) => !(each instanceof ReviewSet) || each.files.length > 0);
    void vscode.commands.executeCommand('setContext', 'turnstone.proposalWaiting', this.sets.some(({ files }) => files.length > 0));
    const views = await Promise.all(ready.map(async (each) => (each instanceof ReviewSet ? changeSetView(each) : approvalView(each.request))));
    // One that was decided meanwhile is told of by its own announcement.
    this.#changed.fire(views.filter((_, index) => [...this.#waiting.values()].includes(ready[index]!)));
    this.#reviewed.fire();
  }
}
