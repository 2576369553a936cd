import type { Log } from '../base/log.ts';
import type { CanUseTool } from '../protocol/permissions.ts';
import type { Session } from '../sdk/index.ts';
import type { ChosenEndpoint, Endpoints } from './endpoint.ts';
import { loadSdk } from './loadSdk.ts';
import type { Mirroring } from './mirroring.ts';
import { openSession } from './openSession.ts';
import type { SessionMemory } from './sessionMemory.ts';
import { shortTitles } from './shortTitles.ts';
import { newChatState } from './toChatEvents.ts';
import type { ChatState } from './toChatEvents.ts';
import type { UserAsks } from './userAsks.ts';
import type { WorkspaceNews } from './workspaceNews.ts';

export interface OpenSession {
  readonly session: Session;
  readonly endpoint: ChosenEndpoint;
  readonly chat: ChatState;
}

export interface SessionHolderParts {
  readonly endpoints: Endpoints;
  readonly memory: SessionMemory;
  readonly asks: UserAsks;
  readonly canUseTool: CanUseTool;
  readonly news: WorkspaceNews;
  readonly mirroring: Mirroring;
  readonly log: Log;
  /** Another session is open now, or the same one anew. */
  readonly opened: (open: OpenSession) => void;
  /** The session could not be opened; what was open before still is. */
  readonly notOpened: (resume: string | undefined, error: unknown) => void;
}

/** Holds the one open session of a window. Opens, exchanges and closes it, one at a time. */
export class SessionHolder {
  readonly #parts: SessionHolderParts;
  #current: OpenSession | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #isStale = false;

  constructor(parts: SessionHolderParts) {
    this.#parts = parts;
  }

  get current(): OpenSession | undefined {
    return this.#current;
  }

  /** The open session; else the last one of this window; else a new one. undefined when none could be opened. */
  ensure(): Promise<OpenSession | undefined> {
    return this.#exclusively(async () => {
      if (this.#current) return this.#current;
      await this.#parts.memory.load();
      const last = this.#parts.memory.lastSession;
      if (last === undefined || !(await this.#open(last))) await this.#open(undefined);
      return this.#current;
    });
  }

  /** Like {@link ensure}, at the endpoint that is right now. */
  async connected(): Promise<OpenSession | undefined> {
    if (this.#isStale) await this.reconnect();
    return this.ensure();
  }

  /** Goes over to another session; undefined = a new one. */
  switchTo(sessionId: string | undefined): Promise<void> {
    return this.#exclusively(async () => {
      await this.#parts.memory.load();
      if (await this.#open(sessionId)) await this.#parts.memory.setLastSession(sessionId);
    });
  }

  /** The endpoint is not the right one any more: used from the next {@link connected} on. */
  markStale(): void {
    this.#isStale = true;
  }

  /** The same session at the endpoint that is right now. */
  reconnect(): Promise<void> {
    return this.#exclusively(async () => {
      const session = this.#current?.session;
      if (!session) return;
      const isEmpty = session.messages.length === 0;
      if (!isEmpty) {
        await session.dispose();
        this.#current = undefined;
      }
      await this.#open(isEmpty ? undefined : session.sessionId);
    });
  }

  /** The same session with nothing of it shown yet. */
  async startAnew(): Promise<OpenSession | undefined> {
    if (this.#current) this.#current = { ...this.#current, chat: await newChat(this.#current.session) };
    return this.#current;
  }

  /** Closes the session as it is; a question that waits in it is asked again when it is opened. */
  async leave(): Promise<void> {
    await this.#current?.session.dispose();
  }

  forget(): void {
    this.#current = undefined;
  }

  async #open(resume: string | undefined): Promise<boolean> {
    const { endpoints, canUseTool, asks, news, mirroring, log, opened, notOpened } = this.#parts;
    try {
      const endpoint = await endpoints.choose();
      const session = await openSession({ resume, endpoint, canUseTool, asks, news: news.follow(), mirror: mirroring.forSessions, log });
      await this.#current?.session.dispose();
      this.#current = { session, endpoint, chat: await newChat(session) };
      this.#isStale = false;
      opened(this.#current);
      // What was written while it could not be reached goes there now.
      void mirroring.current();
      return true;
    } catch (error) {
      log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
      notOpened(resume, error);
      return false;
    }
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => undefined);
    return result;
  }
}

async function newChat(session: Session): Promise<ChatState> {
  const { describeTool } = await loadSdk();
  return newChatState(shortTitles(describeTool, session.cwd));
}
