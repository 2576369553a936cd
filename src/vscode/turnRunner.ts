import { errorText } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { ChatEvent, ChatItem } from '../protocol/chatView.ts';
import type { SDKMessage } from '../protocol/messages.ts';
import { toChatEvents } from './toChatEvents.ts';
import type { ChatState } from './toChatEvents.ts';
import { interruptUnfinished } from './toolItems.ts';

export interface TurnListener {
  show(events: readonly ChatEvent[]): void;
  /** A message came; usage and title may have changed with it. */
  progressed(message: SDKMessage): void;
}

export interface TurnParts {
  readonly messages: AsyncIterable<SDKMessage>;
  readonly state: ChatState;
  /** The turn goes on from a call that was left open. */
  readonly continues: boolean;
  /** Whether a call that was left open still is. */
  readonly isLeftOpen: () => boolean;
  readonly listener: TurnListener;
  readonly log: Log;
}

/**
 * Runs one turn to its end, whether or not anybody looks. Never rejects: what goes wrong is shown.
 */
export async function runTurn({ messages, state, continues, isLeftOpen, listener, log }: TurnParts): Promise<void> {
  listener.show([{ type: 'turn-changed', running: true }]);
  try {
    for await (const message of messages) {
      // A question that was left open is passed over before the first message of the turn that does it.
      const isPassedOver = message.type === 'system' && message.subtype === 'init' && !continues && !isLeftOpen();
      if (isPassedOver) listener.show(interruptUnfinished(state));
      listener.show(toChatEvents(state, message));
      listener.progressed(message);
    }
  } catch (thrown) {
    log.error(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
    listener.show([{ type: 'items-put', items: [brokenOff(thrown)] }]);
  } finally {
    const unfinished = isLeftOpen() ? [] : interruptUnfinished(state);
    listener.show([...unfinished, { type: 'turn-changed', running: false }]);
  }
}

function brokenOff(thrown: unknown): ChatItem {
  const text = `The turn broke off: ${errorText(thrown)} Your message and everything up to here is saved. The log has the details.`;
  return { kind: 'notice', id: crypto.randomUUID(), level: 'error', text, action: 'open-log' };
}
