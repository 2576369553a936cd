import type { ChatEvent, ChatItem } from '../protocol/chatView.ts';

/** Everything the panel shows, so that a panel that comes late or is reloaded gets all of it in one go. */
export class ChatLog {
  #opened: Extract<ChatEvent, { type: 'session-opened' }> | undefined;
  #items = new Map<string, ChatItem>();
  /** The latest event of each kind that replaces the one before. */
  #latest = new Map<ChatEvent['type'], ChatEvent>();

  apply(events: readonly ChatEvent[]): void {
    for (const event of events) this.#applyOne(event);
  }

  /** What was typed and not sent, to be found again. */
  setDraft(draft: string): void {
    if (this.#opened) this.#opened = { ...this.#opened, draft };
  }

  /** Events that make a fresh panel show the present state. */
  snapshot(): ChatEvent[] {
    const items = [...this.#items.values()];
    return [
      ...(this.#opened ? [this.#opened] : []),
      ...(items.length > 0 ? [{ type: 'items-put', items } as const] : []),
      ...this.#latest.values(),
    ];
  }

  #applyOne(event: ChatEvent): void {
    switch (event.type) {
      case 'session-opened':
        this.#opened = event;
        this.#items.clear();
        for (const type of ['todos-changed', 'retry-changed', 'queue-changed', 'changes-listed'] as const) this.#latest.delete(type);
        return;
      case 'title-changed':
        if (this.#opened) this.#opened = { ...this.#opened, title: event.title };
        return;
      case 'items-put':
        for (const item of event.items) this.#items.set(item.id, item);
        return;
      case 'items-removed':
        for (const id of event.ids) this.#items.delete(id);
        return;
      case 'text-appended':
        this.#append(event.id, event.text);
        return;
      case 'focus-composer':
      case 'prompt-returned':
      case 'draft-withdrawn':
      case 'sessions-listed':
      case 'sessions-found':
      case 'completions-listed':
      case 'rule-checked':
        return;
      case 'changes-listed':
      case 'turn-changed':
      case 'queue-changed':
      case 'approvals-changed':
      case 'questions-changed':
      case 'retry-changed':
      case 'todos-changed':
      case 'status-changed':
        this.#latest.set(event.type, event);
    }
  }

  #append(id: string, text: string): void {
    const item = this.#items.get(id);
    if (item?.kind === 'text') this.#items.set(id, { ...item, markdown: item.markdown + text });
    else if (item?.kind === 'thinking') this.#items.set(id, { ...item, text: item.text + text });
    else if (item?.kind === 'tool') this.#items.set(id, { ...item, output: item.output + text });
  }
}
