import * as vscode from 'vscode';
import { deferred } from '../../base/deferred.ts';
import { DisposableStore } from '../../base/disposables.ts';
import type { Log } from '../../base/log.ts';
import type { PermissionAnswer, PermissionRequest } from '../../protocol/permissions.ts';
import { FileReview } from './fileReview.ts';
import type { FileDecision } from './fileReview.ts';
import type { ProposalFileSystem } from './proposalFileSystem.ts';
import { closeProposalTabs, closeSetTab } from './proposalTabs.ts';

interface Entry {
  readonly request: PermissionRequest;
  resolve(answer: PermissionAnswer): void;
  reject(error: unknown): void;
}

/**
 * The edits that one answer proposes together. Each file is decided by itself, and a decision can be changed until the
 * last one is made; then all of them are said at once.
 */
export class ReviewSet implements vscode.Disposable {
  /** The call, where there is only one. */
  readonly id: string;
  readonly #count: number;
  readonly #files: ProposalFileSystem;
  readonly #log: Log;
  readonly #entries: Entry[] = [];
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<void>());
  readonly onDidChange = this.#changed.event;
  readonly #ready = deferred<void>();
  /** All files are there to be looked at. */
  readonly ready = this.#ready.promise;
  files: readonly FileReview[] = [];
  /** Milliseconds since 1970: when the user could see it first. */
  shownAt = Number.POSITIVE_INFINITY;
  /** Decided in its diffs and not in the panel: when they close, the focus goes to what is behind them. */
  isDecidedInEditor = false;
  #isSettling = false;

  constructor({ toolUseId, changeSet }: PermissionRequest, files: ProposalFileSystem, log: Log) {
    this.id = changeSet?.id ?? toolUseId;
    this.#count = changeSet?.count ?? 1;
    this.#files = files;
    this.#log = log;
  }

  /** The tab that shows all files at once. */
  get title(): string {
    return `Proposed changes to ${this.files.length} files`;
  }

  get calls(): readonly string[] {
    return this.#entries.map(({ request }) => request.toolUseId);
  }

  get reason(): string | undefined {
    return this.#entries.find(({ request }) => request.reason !== undefined)?.request.reason;
  }

  get requests(): readonly PermissionRequest[] {
    return this.#entries.map(({ request }) => request);
  }

  get undecided(): readonly FileReview[] {
    return this.files.filter(({ decision }) => !decision);
  }

  /** Resolves with what is said about this request once all of the set are decided. */
  add(request: PermissionRequest): Promise<PermissionAnswer> {
    const answer = new Promise<PermissionAnswer>((resolve, reject) => this.#entries.push({ request, resolve, reject }));
    if (this.#entries.length === this.#count) this.#begin().then(this.#ready.resolve, (error: unknown) => this.#fail(error));
    return answer;
  }

  /** True for the last one: nobody waits any more. */
  leave(request: PermissionRequest): boolean {
    const at = this.#entries.findIndex((entry) => entry.request === request);
    if (at >= 0) this.#entries.splice(at, 1);
    return this.#entries.length === 0;
  }

  /**
   * Decides one file. One that conflicts with what the file holds now is not accepted: false, and it is for the user to
   * resolve it.
   */
  async decide(file: FileReview, decision: FileDecision | undefined): Promise<boolean> {
    if (decision?.behavior === 'allow') {
      await file.look();
      if (file.state === 'conflict') return false;
    }
    file.decision = decision;
    await this.#settleIfDecided();
    return true;
  }

  /** Takes tabs and proposals away. */
  async close(): Promise<void> {
    const uris = this.files.map(({ uri }) => uri);
    this.dispose();
    await closeProposalTabs(uris, { keepFocus: !this.isDecidedInEditor });
    await closeSetTab(this.title, { keepFocus: !this.isDecidedInEditor });
    for (const file of this.files) await file.forget();
  }

  dispose(): void {
    this.#disposables.dispose();
    for (const file of this.files) file.dispose();
  }

  async #begin(): Promise<void> {
    this.#entries.sort((one, other) => (one.request.changeSet?.index ?? 0) - (other.request.changeSet?.index ?? 0));
    const paths = new Set(this.requests.map(({ proposal }) => proposal!.targetPath));
    const files = [...paths].map((path) => new FileReview(this.requests.filter(({ proposal }) => proposal!.targetPath === path), this.#files, this.#log));
    for (const file of files) {
      await file.prepare();
      this.#disposables.add(file.onDidChange(() => this.#changed.fire()));
    }
    this.files = files;
    this.shownAt = Date.now();
    this.#changed.fire();
  }

  /** What can't be shown can't be decided either: the calls fail, and nothing is written. */
  #fail(error: unknown): void {
    for (const entry of this.#entries) entry.reject(error);
  }

  async #settleIfDecided(): Promise<void> {
    if (this.#isSettling || this.undecided.length > 0) return;
    this.#isSettling = true;
    try {
      for (const file of this.files) if (file.decision?.behavior === 'allow') await file.look();
      // A file has changed under a decision that was made before.
      if (this.undecided.length > 0) return;
      for (const file of this.files) {
        const answers = await file.answers();
        for (const [index, request] of file.requests.entries()) this.#entries.find((entry) => entry.request === request)?.resolve(answers[index]!);
      }
    } finally {
      this.#isSettling = false;
    }
  }
}
