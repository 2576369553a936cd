import type { ChatEvent } from '../../src/protocol/chatView.ts';
import type { PanelState } from './panelState.ts';
import { reduce } from './reducer.ts';

/**
 * Pure but for `onFailure`: folds one frame's events. An event that cannot be folded is reported and left out;
 * those around it still count.
 */
export function foldEvents(
  state: PanelState,
  events: readonly ChatEvent[],
  onFailure: (error: unknown, event: ChatEvent) => void,
): PanelState {
  let next = state;
  for (const event of joinAppends(events)) {
    try {
      next = reduce(next, event);
    } catch (error) {
      onFailure(error, event);
    }
  }
  return next;
}

/** Neighbouring appends to one item become one, so that a frame copies the list once and not once per delta. */
export function joinAppends(events: readonly ChatEvent[]): readonly ChatEvent[] {
  const joined: ChatEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.type === 'text-appended' && last?.type === 'text-appended' && last.id === event.id) {
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    } else {
      joined.push(event);
    }
  }
  return joined;
}
