import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionMatch, SessionSummary } from '../../src/protocol/chatView.ts';
import { countOf } from '../text/format.ts';
import { usePanel } from './PanelContext.ts';
import { SessionRow } from './SessionRow.tsx';
import { useSessionSearch } from './useSessionSearch.ts';

/** So many rows are made at first, and more each time they are asked for. */
const rowsAtOnce = 100;

export function SessionList() {
  const { state } = usePanel();
  const { sessions, sessionId } = state.value;
  const { words, setWords, matches, isLooking } = useSessionSearch();
  const [shownRows, setShownRows] = useState(rowsAtOnce);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => setShownRows(rowsAtOnce), [words]);
  const found = findSessions(sessions ?? [], words, matches);
  const onSearchKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') moveFocus(event, list.current);
    if (event.key !== 'Escape' || words === '') return;
    // Escape empties the field first; the next one leaves the list.
    event.stopPropagation();
    setWords('');
  };
  return (
    <main class="sessions" data-testid="session-list">
      {sessions !== null && sessions.length > 0 && (
        <input class="sessions-search" type="search" data-testid="session-search" placeholder="Search in titles and contents" aria-label="Search in titles and contents" value={words} onInput={(event) => setWords(event.currentTarget.value)} onKeyDown={onSearchKey} />
      )}
      <p class="quiet sessions-status" role="status">
        {statusText({ sessions, words, found: found.length, isLooking })}
      </p>
      <ul ref={list} onKeyDown={(event) => moveFocus(event, list.current)}>
        {found.slice(0, shownRows).map(({ session, excerpt }) => (
          <SessionRow key={session.sessionId} session={session} excerpt={excerpt} current={session.sessionId === sessionId} />
        ))}
      </ul>
      {found.length > shownRows && (
        <button type="button" class="text-button sessions-more" onClick={() => setShownRows(shownRows + 2 * rowsAtOnce)}>
          Show {countOf(Math.min(found.length - shownRows, 2 * rowsAtOnce), 'more session')}
        </button>
      )}
    </main>
  );
}

interface FoundSession {
  readonly session: SessionSummary;
  readonly excerpt: SessionMatch['excerpt'];
}

/** Titles are looked at here, at once; contents by the host. Those found by title come first. */
function findSessions(sessions: readonly SessionSummary[], words: string, matches: readonly SessionMatch[]): readonly FoundSession[] {
  const wanted = words.trim().replace(/\s+/g, ' ').toLowerCase();
  const inTitle = sessions.filter(({ title }) => title.toLowerCase().includes(wanted)).map((session) => ({ session, excerpt: undefined }));
  const known = new Set(inTitle.map(({ session }) => session.sessionId));
  const inContent = matches.flatMap(({ sessionId, excerpt }) => {
    const session = known.has(sessionId) ? undefined : sessions.find((each) => each.sessionId === sessionId);
    return session ? [{ session, excerpt }] : [];
  });
  return [...inTitle, ...inContent];
}

function statusText({ sessions, words, found, isLooking }: { readonly sessions: readonly SessionSummary[] | null; readonly words: string; readonly found: number; readonly isLooking: boolean }): string {
  if (sessions === null) return 'Looking for sessions…';
  if (sessions.length === 0) return 'No sessions in this folder yet.';
  if (words.trim() === '') return '';
  if (isLooking) return `${countOf(found, 'session')} found so far, looking on in contents…`;
  return found === 0 ? 'No session says that.' : `${countOf(found, 'session')} found.`;
}

/** Arrow keys, Home and End go from row to row. */
function moveFocus(event: KeyboardEvent, list: HTMLUListElement | null): void {
  const rows = [...(list?.querySelectorAll<HTMLButtonElement>('.session-row') ?? [])];
  const position = rows.findIndex((row) => row.parentElement?.contains(document.activeElement));
  const isText = event.target instanceof HTMLInputElement;
  const target = { ArrowDown: position + 1, ArrowUp: position - 1, ...(!isText && { Home: 0, End: rows.length - 1 }) }[event.key];
  const row = target === undefined ? undefined : rows[Math.max(0, Math.min(rows.length - 1, target))];
  if (!row) return;
  event.preventDefault();
  row.focus();
}
