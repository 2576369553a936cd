import * as vscode from 'vscode';
import { raceAbort } from '../base/abort.ts';
import { deferred } from '../base/deferred.ts';
import type { Deferred } from '../base/deferred.ts';
import { DisposableStore } from '../base/disposables.ts';
import type { QuestionsView } from '../protocol/chatView.ts';
import type { AskUser, UserAnswer } from '../protocol/userQuestions.ts';
import type { RetryPreferences } from '../sdk/index.ts';

interface Asked {
  readonly view: QuestionsView;
  readonly answered: Deferred<readonly UserAnswer[] | undefined>;
}

/** What the user is asked beside permissions: questions of the model, and whether a very long wait may begin. */
export class UserAsks implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<QuestionsView | null>());
  /** The questions that are to be answered now. */
  readonly onDidChange = this.#changed.event;
  readonly #asked: Asked[] = [];
  #longWait: Deferred<boolean> | undefined;

  readonly askUser: AskUser = async (questions, signal) => {
    const asked: Asked = { view: { id: crypto.randomUUID(), questions }, answered: deferred() };
    this.#asked.push(asked);
    this.#announce();
    try {
      return await raceAbort(asked.answered.promise, signal);
    } finally {
      this.#asked.splice(this.#asked.indexOf(asked), 1);
      this.#announce();
    }
  };

  readonly confirmLongWait: NonNullable<RetryPreferences['confirmLongWait']> = async (_wait, signal) => {
    const answer = deferred<boolean>();
    this.#longWait = answer;
    return raceAbort(answer.promise, signal);
  };

  /** null: the user does not want to answer. Questions that are no longer asked are passed over. */
  answer(id: string, answers: readonly UserAnswer[] | null): void {
    this.#asked.find(({ view }) => view.id === id)?.answered.resolve(answers ?? undefined);
  }

  answerLongWait(wait: boolean): void {
    this.#longWait?.resolve(wait);
    this.#longWait = undefined;
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #announce(): void {
    this.#changed.fire(this.#asked[0]?.view ?? null);
  }
}
