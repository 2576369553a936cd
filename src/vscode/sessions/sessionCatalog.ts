import { errorText } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { SessionMatch, SessionSummary } from '../../protocol/chatView.ts';
import { loadSdk } from '../loadSdk.ts';
import { sessionPlace } from '../openSession.ts';
import type { SessionService } from '../sessionService.ts';

/** The sessions of this window's folder: lists them and searches in them, and names and pins them, whether they are open here or not. */
export class SessionCatalog {
  readonly #service: SessionService;
  readonly #log: Log;
  #search = new AbortController();

  constructor(service: SessionService, log: Log) {
    this.#service = service;
    this.#log = log;
  }

  /** Pinned ones first, then the newest; also tells the panel. */
  async list(): Promise<readonly SessionSummary[]> {
    const sessions = pinnedFirst(await this.#read());
    this.#service.tell({ type: 'sessions-listed', sessions });
    return sessions;
  }

  async find(sessionId: string): Promise<SessionSummary | undefined> {
    return (await this.#read()).find((session) => session.sessionId === sessionId);
  }

  /** Tells the panel what is found, as it is found. The next search ends this one; without words nothing is looked for. */
  async searchForPanel(request: number, words: string): Promise<void> {
    this.#search.abort();
    this.#search = new AbortController();
    if (words.trim() === '') return;
    const { signal } = this.#search;
    const tell = (matches: readonly SessionMatch[], isDone: boolean): void => {
      if (!signal.aborted) this.#service.tell({ type: 'sessions-found', request, matches, isDone });
    };
    for await (const match of this.search(await this.#read(), words, signal)) tell([match], false);
    tell([], true);
  }

  async *search(sessions: readonly SessionSummary[], words: string, signal: AbortSignal): AsyncGenerator<SessionMatch, void, void> {
    const { searchSessions } = await loadSdk();
    const { unreadable } = yield* searchSessions({ sessions, words, dataRoot: sessionPlace().dataRoot }, signal);
    if (unreadable > 0) this.#log.warn(`${unreadable} sessions could not be read while searching for “${words}”.`);
  }

  async rename(sessionId: string, title: string): Promise<void> {
    if (!this.#service.relabel(sessionId, (session) => session.rename(title))) {
      const { renameSession } = await loadSdk();
      await renameSession({ session: sessionId, dataRoot: sessionPlace().dataRoot }, title);
    }
    await this.#listAgain();
  }

  async setPinned(sessionId: string, pinned: boolean): Promise<void> {
    if (!this.#service.relabel(sessionId, (session) => session.setPinned(pinned))) {
      const { pinSession } = await loadSdk();
      await pinSession({ session: sessionId, dataRoot: sessionPlace().dataRoot }, pinned);
    }
    await this.#listAgain();
  }

  /** The one that is open here knows best what it is called: on disk it may stand a moment later. */
  async #read(): Promise<readonly SessionSummary[]> {
    const { listSessions } = await loadSdk();
    const { session } = this.#service;
    const sessions = await listSessions(sessionPlace());
    return sessions.map((each) => (each.sessionId === session?.sessionId ? { ...each, title: session.title, pinned: session.isPinned } : each));
  }

  /** What was done is done, whether or not it can be shown. */
  async #listAgain(): Promise<void> {
    await this.list().catch((error: unknown) => this.#log.warn(`The sessions could not be listed: ${errorText(error)}`));
  }
}

export function pinnedFirst(sessions: readonly SessionSummary[]): readonly SessionSummary[] {
  return [...sessions.filter(({ pinned }) => pinned), ...sessions.filter(({ pinned }) => !pinned)];
}
