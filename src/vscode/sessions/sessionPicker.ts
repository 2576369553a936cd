import type * as vscode from 'vscode';
import { toDisposable } from '../../base/disposables.ts';
import { byteCount, plural } from '../../base/text.ts';
import type { SessionMatch, SessionSummary } from '../../protocol/chatView.ts';
import { timeAgo } from '../rewind/rewindPicks.ts';
import { pickOne } from '../pickOne.ts';
import type { SessionCatalog } from './sessionCatalog.ts';

export interface SessionRow extends vscode.QuickPickItem {
  readonly sessionId: string;
}

/** After the last key that was pressed. Milliseconds. */
const restMs = 200;

/** A list to choose a session from. What is typed is looked for in titles at once, and in contents meanwhile. */
export async function pickSession(catalog: SessionCatalog, sessions: readonly SessionSummary[], current: string | undefined): Promise<string | undefined> {
  const chosen = await pickOne<SessionRow>((pick, disposables) => {
    const rows = new Map(sessions.map((session) => [session.sessionId, sessionRow(session, current, Date.now())]));
    let search = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (matches: readonly SessionMatch[]): void => {
      const active = pick.activeItems[0]?.sessionId;
      pick.items = withMatches(rows, matches);
      const again = pick.items.find(({ sessionId }) => sessionId === active);
      if (again) pick.activeItems = [again];
    };
    const look = async (words: string, signal: AbortSignal): Promise<void> => {
      pick.busy = true;
      const found: SessionMatch[] = [];
      for await (const match of catalog.search(sessions, words, signal)) {
        if (signal.aborted) return;
        if (match.excerpt) show((found.push(match), found));
      }
      if (!signal.aborted) pick.busy = false;
    };
    const stop = (): void => {
      clearTimeout(timer);
      search.abort();
      search = new AbortController();
      pick.busy = false;
    };
    pick.title = 'Open Session';
    pick.placeholder = 'Search in titles and contents';
    pick.matchOnDescription = true;
    pick.items = [...rows.values()];
    disposables.add(toDisposable(stop));
    disposables.add(
      pick.onDidChangeValue((words) => {
        stop();
        show([]);
        const { signal } = search;
        if (words.trim().length > 1) timer = setTimeout(() => void look(words, signal), restMs);
      }),
    );
  });
  return chosen?.sessionId;
}

function sessionRow({ sessionId, title, modified, messageCount, size, pinned, source }: SessionSummary, current: string | undefined, now: number): SessionRow {
  const facts = [timeAgo(modified, now), messageCount === null ? '' : plural(messageCount, 'message'), size === undefined ? '' : byteCount(size), source ? 'Claude Code' : '', sessionId === current ? 'open' : ''];
  return { sessionId, label: pinned ? `$(pinned) ${title}` : title, description: facts.filter((fact) => fact !== '').join(' · ') };
}

/** The list filters by what stands in a row: one that was found by its content stays whatever it is called. */
function withMatches(rows: ReadonlyMap<string, SessionRow>, matches: readonly SessionMatch[]): SessionRow[] {
  const excerpts = new Map(matches.map(({ sessionId, excerpt }) => [sessionId, excerpt]));
  return [...rows.values()].map((row) => {
    const excerpt = excerpts.get(row.sessionId);
    return excerpt ? { ...row, detail: `${excerpt.before}${excerpt.match}${excerpt.after}`, alwaysShow: true } : row;
  });
}
