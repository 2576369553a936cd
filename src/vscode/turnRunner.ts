import { errorText } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { ChatEvent } from '../protocol/chatView.ts';
import type { SDKMessage } from '../protocol/messages.ts';
import type { Session } from '../sdk/index.ts';
import { toChatEvents } from './toChatEvents.ts';
import type { ChatState } from './toChatEvents.ts';

export interface TurnListener {
  show(events: readonly ChatEvent[]): void;
  /** A message came; usage and title may have changed with it. */
  progressed(message: SDKMessage): void;
}

/**
 * Runs one turn to its end, whether or not anybody looks. Never rejects: what goes wrong is shown.
 */
export async function runTurn(prompt: QueuedPrompt, session: Session, state: ChatState, { listener, log }: { listener: TurnListener; log: Log }): Promise<void> {
  listener.show([
    { type: 'items-put', items: [{ kind: 'user', id: prompt.id, text: prompt.text, timestamp: new Date().toISOString() }] },
    { type: 'turn-changed', running: true },
  ]);
  try {
    for await (const message of session.submitMessage(prompt.text, { uuid: prompt.id })) {
      listener.show(toChatEvents(state, message));
      listener.progressed(message);
    }
  } catch (thrown) {
    log.error(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
    listener.show([{ type: 'items-put', items: [brokenOff(thrown)] }]);
  } finally {
    listener.show([{ type: 'turn-changed', running: false }]);
  }
}

/** `id` becomes the uuid of the user message. */
export interface QueuedPrompt {
  readonly id: string;
  readonly text: string;
}

function brokenOff(thrown: unknown): Extract<ChatEvent, { type: 'items-put' }>['items'][number] {
  const text = `The turn broke off: ${errorText(thrown)} Your message and everything up to here is saved. The log has the details.`;
  return { kind: 'notice', id: crypto.randomUUID(), level: 'error', text, action: 'open-log' };
}
