import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { byteCount } from '../../src/base/text.ts';
import type { SessionMatch, SessionSummary } from '../../src/protocol/chatView.ts';
import { countOf, formatAge } from '../text/format.ts';
import { isComposition } from '../text/shouldSend.ts';
import { Icon } from './Icon.tsx';
import { IconButton } from './IconButton.tsx';
import { usePanel } from './PanelContext.ts';

interface SessionRowProps {
  readonly session: SessionSummary;
  readonly excerpt: SessionMatch['excerpt'];
  readonly current: boolean;
}

/** One session: opens on click; F2 renames it and Delete deletes it, as the buttons beside it do. */
export function SessionRow({ session, excerpt, current }: SessionRowProps) {
  const { post, view } = usePanel();
  const [isNaming, setIsNaming] = useState(false);
  const row = useRef<HTMLButtonElement>(null);
  const { sessionId, title } = session;
  const isOurs = session.source === undefined;
  const open = (): void => {
    view.value = 'chat';
    if (!current) post({ type: 'open-session', sessionId });
  };
  const stopNaming = (name: string | undefined): void => {
    setIsNaming(false);
    if (name !== undefined && name.trim() !== '' && name !== title) post({ type: 'rename-session', sessionId, title: name });
    requestAnimationFrame(() => row.current?.focus());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOurs || (event.key !== 'F2' && event.key !== 'Delete')) return;
    event.preventDefault();
    if (event.key === 'F2') setIsNaming(true);
    else post({ type: 'delete-session', sessionId });
  };
  if (isNaming) {
    return (
      <li class="session">
        <NameField name={title} onDone={stopNaming} />
      </li>
    );
  }
  return (
    <li class="session">
      <button ref={row} type="button" class="session-row" data-testid="session-item" data-session-id={sessionId} aria-current={current ? 'true' : undefined} onClick={open} onKeyDown={onKeyDown}>
        <span class="session-title">
          {session.pinned && <Icon name="pinned" />}
          {session.pinned && <span class="sr-only">Pinned: </span>}
          {title || 'Untitled session'}
        </span>
        <span class="session-facts">{factsOf(session, current)}</span>
        {excerpt && <Excerpt excerpt={excerpt} />}
      </button>
      <div class="session-actions">
        {isOurs && <IconButton icon={session.pinned ? 'pinned' : 'pin'} label={session.pinned ? 'Unpin' : 'Pin'} testId="pin-session" pressed={session.pinned === true} onClick={() => post({ type: 'pin-session', sessionId, pinned: !session.pinned })} />}
        {isOurs && <IconButton icon="edit" label="Rename (F2)" testId="rename-session" onClick={() => setIsNaming(true)} />}
        <IconButton icon="export" label="Export…" testId="export-session" onClick={() => post({ type: 'export-session', sessionId })} />
        {isOurs && <IconButton icon="trash" label="Delete… (Del)" testId="delete-session" onClick={() => post({ type: 'delete-session', sessionId })} />}
      </div>
    </li>
  );
}

function factsOf({ modified, messageCount, size, source }: SessionSummary, current: boolean): string {
  const facts = [formatAge(Date.parse(modified), Date.now())];
  if (messageCount !== null) facts.push(countOf(messageCount, 'message'));
  if (size !== undefined) facts.push(byteCount(size));
  if (source) facts.push('Claude Code');
  if (current) facts.push('open now');
  return facts.filter(Boolean).join(' · ');
}

function Excerpt({ excerpt: { before, match, after } }: { readonly excerpt: NonNullable<SessionMatch['excerpt']> }) {
  return (
    <span class="session-excerpt" data-testid="session-excerpt">
      {before}
      <mark>{match}</mark>
      {after}
    </span>
  );
}

/** Enter keeps what was typed, and so does going elsewhere; Escape leaves the name as it was. */
function NameField({ name, onDone }: { readonly name: string; readonly onDone: (name: string | undefined) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  // The field that goes away loses the focus, too.
  const finish = (typed: string | undefined): void => {
    if (!isDone.current) onDone(typed);
    isDone.current = true;
  };
  // Before the next key arrives, or its letter would be replaced.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    // The arrows move the caret here, and Escape belongs to the field.
    event.stopPropagation();
    if (isComposition(event) || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault();
    finish(event.key === 'Enter' ? field.current?.value : undefined);
  };
  return <input ref={field} class="session-name" data-testid="session-name" aria-label="Name of the session" value={name} onKeyDown={onKeyDown} onBlur={(event) => finish(event.currentTarget.value)} />;
}
