import { useRef } from 'preact/hooks';
import type { ChatItem } from '../../src/protocol/chatView.ts';
import type { PanelState } from '../store/panelState.ts';
import { usePanel } from './PanelContext.ts';

/** Tells screen readers what happened, once and politely; the rows themselves come and go with scrolling. */
export function Announcer() {
  const { state } = usePanel();
  const previous = useRef<PanelState>(state.value);
  const words = useRef('');
  if (previous.current !== state.value) {
    words.current = announcement(previous.current, state.value) ?? words.current;
    previous.current = state.value;
  }
  return (
    <div class="sr-only" role="status" aria-live="polite">
      {words.current}
    </div>
  );
}

function announcement(before: PanelState, now: PanelState): string | undefined {
  const [approval] = now.approvals;
  if (approval && approval.id !== before.approvals[0]?.id) return `Waiting for your decision: ${approval.title}`;
  if (now.questions && now.questions.id !== before.questions?.id) return `A question to you: ${now.questions.questions.map(({ question }) => question).join(' ')}`;
  if (now.returned && now.returned !== before.returned) return now.returned.reason;
  if (now.retry?.needsConfirmation && !before.retry?.needsConfirmation) return `${now.retry.reason} Waiting for your decision: wait or give up`;
  if (now.retry && !before.retry) return now.retry.reason;
  const last = now.items.at(-1);
  if (last?.kind === 'notice' && last.level !== 'info' && last.id !== before.items.at(-1)?.id) return last.text;
  if (now.running && !before.running) return 'Turnstone is working';
  if (!now.running && before.running && now.sessionId === before.sessionId) return `Turn ended. ${lastWords(now.items)}`;
  return undefined;
}

function lastWords(items: readonly ChatItem[]): string {
  const last = items.findLast((item) => item.kind === 'text' || (item.kind === 'turn' && item.error !== undefined));
  if (last?.kind === 'text') return last.markdown;
  return last?.kind === 'turn' ? (last.error ?? '') : '';
}
