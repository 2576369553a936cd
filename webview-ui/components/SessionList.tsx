import { useRef, useState } from 'preact/hooks';
import type { SessionSummary } from '../../src/protocol/chatView.ts';
import { countOf, formatAge } from '../text/format.ts';
import { usePanel } from './PanelContext.ts';

/** From this many sessions on there is a field to search in their titles. */
const searchFrom = 8;

export function SessionList() {
  const { state } = usePanel();
  const { sessions } = state.value;
  const [search, setSearch] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const words = search.trim().toLowerCase();
  const found = (sessions ?? []).filter((session) => session.title.toLowerCase().includes(words));
  return (
    <main class="sessions" data-testid="session-list">
      {sessions !== null && sessions.length >= searchFrom && (
        <input class="sessions-search" type="search" placeholder="Search in titles" aria-label="Search in titles" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      )}
      {sessions === null && <p class="quiet">Looking for sessions…</p>}
      {sessions !== null && found.length === 0 && <p class="quiet">{sessions.length === 0 ? 'No sessions in this folder yet.' : 'No title contains that.'}</p>}
      <ul ref={list} onKeyDown={(event) => moveFocus(event, list.current)}>
        {found.map((session) => (
          <SessionRow key={session.sessionId} session={session} current={session.sessionId === state.value.sessionId} />
        ))}
      </ul>
    </main>
  );
}

function SessionRow({ session, current }: { readonly session: SessionSummary; readonly current: boolean }) {
  const { post, view } = usePanel();
  const open = (): void => {
    view.value = 'chat';
    if (!current) post({ type: 'open-session', sessionId: session.sessionId });
  };
  const facts = [formatAge(Date.parse(session.modified), Date.now())];
  if (session.messageCount !== null) facts.push(countOf(session.messageCount, 'message'));
  if (current) facts.push('open now');
  return (
    <li>
      <button type="button" class="session-row" data-testid="session-item" data-session-id={session.sessionId} aria-current={current ? 'true' : undefined} onClick={open}>
        <span class="session-title">{session.title || 'Untitled session'}</span>
        <span class="session-facts">{facts.filter(Boolean).join(' · ')}</span>
      </button>
    </li>
  );
}

/** Arrow keys, Home and End go from row to row. */
function moveFocus(event: KeyboardEvent, list: HTMLUListElement | null): void {
  const rows = [...(list?.querySelectorAll<HTMLButtonElement>('button') ?? [])];
  const position = rows.findIndex((row) => row === document.activeElement);
  const target = { ArrowDown: position + 1, ArrowUp: position - 1, Home: 0, End: rows.length - 1 }[event.key];
  const row = target === undefined ? undefined : rows[Math.max(0, Math.min(rows.length - 1, target))];
  if (!row) return;
  event.preventDefault();
  row.focus();
}
