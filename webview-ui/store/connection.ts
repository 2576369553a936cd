import { signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { ChatEvent, HostToPanel, PanelToHost } from '../../src/protocol/chatView.ts';
import { createAttachments } from './attachments.ts';
import type { Attachments } from './attachments.ts';
import { createDraftKeeper } from './draftKeeper.ts';
import { draftAfterOpening, joinDrafts, withoutDraft } from './draft.ts';
import { foldEvents } from './foldEvents.ts';
import type { VsCodeApi } from './vsCodeApi.ts';
import { initialState } from './panelState.ts';
import type { PanelState } from './panelState.ts';

/** The panel's one object: what the host said, what the user types, and the way to the host. */
export interface Panel {
  readonly state: ReadonlySignal<PanelState>;
  readonly composerText: Signal<string>;
  readonly view: Signal<'chat' | 'sessions'>;
  readonly attachments: Attachments;
  post(message: PanelToHost): void;
  /** Keeps what is typed with the host, which has it on disk. */
  saveDraft(text: string): void;
}

/** Listens to the host and says `ready`. Events are folded once per animation frame. */
export function connectToHost(api: VsCodeApi, target: Window): Panel {
  const state = signal(initialState);
  const composerText = signal('');
  const view = signal<'chat' | 'sessions'>('chat');
  const post = (message: PanelToHost): void => api.postMessage(message);
  const drafts = createDraftKeeper(post);
  const attachments = createAttachments();

  const applyEvents = (events: readonly ChatEvent[]): void => {
    const before = state.value;
    const next = foldEvents(before, events, (error, event) => post({ type: 'panel-error', message: `The event ${event.type} could not be shown: ${String(error)}` }));
    if (next.openings !== before.openings) {
      // What is typed before the first session is there belongs to that session.
      const typed = { sessionId: before.sessionId ?? next.sessionId, text: composerText.value };
      composerText.value = draftAfterOpening(typed, { sessionId: next.sessionId, text: next.openedDraft });
      drafts.drop();
      if (composerText.value !== next.openedDraft) drafts.save(composerText.value);
      // Who asked for the list while the first session was still being opened wants the list.
      if (before.openings > 0 && next.sessionId !== before.sessionId) view.value = 'chat';
    }
    if (next.returned && next.returned !== before.returned) {
      composerText.value = joinDrafts(next.returned.text, composerText.value);
      drafts.save(composerText.value);
      attachments.giveBack();
    }
    if (next.withdrawn && next.withdrawn !== before.withdrawn) {
      composerText.value = withoutDraft(composerText.value, next.withdrawn.text);
      drafts.save(composerText.value);
    }
    state.value = next;
  };

  const enqueue = batchPerFrame(target, applyEvents);
  target.addEventListener('message', (message: MessageEvent<unknown>) => {
    if (isHostMessage(message.data)) enqueue(message.data.events);
  });
  target.addEventListener('pagehide', () => drafts.flush());
  post({ type: 'ready' });

  return {
    state,
    composerText,
    view,
    attachments,
    post(message) {
      // The host files a draft under the session that is open when it arrives.
      if (message.type === 'open-session' || message.type === 'new-session' || message.type === 'prompt-submit') drafts.flush();
      post(message);
    },
    saveDraft: (text) => drafts.save(text),
  };
}

function isHostMessage(data: unknown): data is HostToPanel {
  return typeof data === 'object' && data !== null && 'type' in data && data.type === 'events' && 'events' in data && Array.isArray(data.events);
}

/** Collects until the next frame. A hidden page gets no frames: a timer sees to it that events don't pile up there. */
function batchPerFrame(target: Window, apply: (events: readonly ChatEvent[]) => void): (events: readonly ChatEvent[]) => void {
  const hiddenDelayMs = 250;
  let waiting: ChatEvent[] = [];
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = (): void => {
    if (frame !== undefined) target.cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = undefined;
    timer = undefined;
    const events = waiting;
    waiting = [];
    apply(events);
  };
  return (events) => {
    for (const event of events) waiting.push(event);
    frame ??= target.requestAnimationFrame(run);
    timer ??= setTimeout(run, hiddenDelayMs);
  };
}
