import * as vscode from 'vscode';
import { raceAbort } from '../../base/abort.ts';
import { DisposableStore } from '../../base/disposables.ts';
import { errorText } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ApprovalView } from '../../protocol/chatView.ts';
import type { CanUseTool, PermissionAnswer, PermissionRequest } from '../../protocol/permissions.ts';
import { approvalView } from './approvalView.ts';
import type { ProposalFileSystem } from './proposalFileSystem.ts';
import { ProposalReview } from './proposalReview.ts';
import { proposalOf } from './proposalTabs.ts';
import { UserTyping } from './userTyping.ts';

interface Waiting {
  readonly request: PermissionRequest;
  readonly review: ProposalReview | undefined;
  settle(answer: PermissionAnswer): void;
}

/**
 * Everything that waits for the user's decision. Edits are shown in a diff editor before anything is written, commands
 * on a card in the panel. Only an explicit answer decides; closing a tab or saving the right side does not.
 */
export class ReviewService implements vscode.Disposable {
  readonly #files: ProposalFileSystem;
  readonly #log: Log;
  readonly #waiting = new Map<string, Waiting>();
  readonly #disposables = new DisposableStore();
  readonly #typing = this.#disposables.add(new UserTyping());
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<readonly ApprovalView[]>());
  readonly onDidChange = this.#changed.event;

  constructor(files: ProposalFileSystem, log: Log) {
    this.#files = files;
    this.#log = log;
  }

  /** Asks the user. Rejects with an `aborted` error when the turn is interrupted meanwhile. */
  readonly ask: CanUseTool = async (request, signal) => {
    const review = await this.#openReview(request);
    try {
      const answered = new Promise<PermissionAnswer>((resolve) => this.#waiting.set(request.toolUseId, { request, review, settle: resolve }));
      this.#announce();
      return await raceAbort(answered, signal);
    } finally {
      this.#waiting.delete(request.toolUseId);
      this.#announce();
      await review?.close().catch((error: unknown) => this.#log.warn(`The tab of a decided proposal could not be closed: ${errorText(error)}`));
    }
  };

  /** Decides. What is accepted is the right side as it stands. False when this call no longer waits. */
  async answer(toolUseId: string, behavior: 'allow' | 'deny', reason?: string): Promise<boolean> {
    const waiting = this.#waiting.get(toolUseId);
    if (!waiting) return false;
    if (behavior === 'deny') waiting.settle({ behavior, reason });
    else if (await waiting.review?.checkOutdated()) waiting.settle({ behavior: 'outdated' });
    else waiting.settle({ behavior, finalText: await waiting.review?.finalText() });
    return true;
  }

  /** Brings the diff to the front, with what was typed in it. */
  async openDiff(toolUseId: string): Promise<void> {
    await this.#waiting.get(toolUseId)?.review?.show({ background: false, takeFocus: true });
  }

  /** The call whose proposal this is; without `uri` that of the active tab, or the only one that waits. */
  waitingFor(uri?: vscode.Uri): string | undefined {
    const wanted = uri ?? proposalOf(vscode.window.tabGroups.activeTabGroup.activeTab);
    const proposals = [...this.#waiting.values()].filter(({ review }) => review !== undefined);
    const found = wanted
      ? proposals.find(({ review }) => review?.uri.toString() === wanted.toString())
      : proposals.length === 1 ? proposals[0] : undefined;
    return found?.request.toolUseId;
  }

  dispose(): void {
    for (const { review } of this.#waiting.values()) review?.dispose();
    this.#disposables.dispose();
  }

  async #openReview({ toolUseId, proposal }: PermissionRequest): Promise<ProposalReview | undefined> {
    if (!proposal) return undefined;
    const review = new ProposalReview(toolUseId, proposal, this.#files);
    review.onDidChange(() => this.#announce());
    try {
      await review.open({ background: this.#typing.isTyping, takeFocus: false });
    } catch (error) {
      // The card is enough to decide; "Open diff" tries again.
      this.#log.warn(`The diff of ${proposal.path} could not be opened: ${errorText(error)}`);
    }
    return review;
  }

  #announce(): void {
    const waiting = [...this.#waiting.values()];
    void vscode.commands.executeCommand('setContext', 'turnstone.proposalWaiting', waiting.some(({ review }) => review !== undefined));
    this.#changed.fire(waiting.map(({ request, review }) => approvalView(request, review?.isOutdated ?? false)));
  }
}
