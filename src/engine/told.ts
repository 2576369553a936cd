import type { SDKMessage, SDKUserMessage, SessionMessage, ShownMessage, Told, ToldMessage } from '../protocol/messages.ts';
import type { TranscriptStore } from './transcript/transcriptStore.ts';

type ToldStore = Pick<TranscriptStore, 'record' | 'leafUuid' | 'isEmpty'>;

/**
 * What is shown of a session beside its conversation: notices, how turns ended, commands that were answered here. Each is
 * written down with the message that it came after, so that a session that is opened again looks as it did. No model ever
 * sees any of it.
 */
export class ToldLog {
  readonly #store: ToldStore;
  #told: Told[];
  /** In a session without a file: an empty one leaves nothing behind. */
  #unwritten: Told[] = [];
  /** For messages that were withdrawn: the one before. */
  readonly #standIns = new Map<string, string | null>();

  /** `told`: of the loaded transcript. */
  constructor(store: ToldStore, told: readonly Told[]) {
    this.#store = store;
    this.#told = [...told];
  }

  tell(message: ToldMessage): void {
    const told = { afterUuid: this.#standIn(this.#store.leafUuid), message: withoutWeight(message) };
    this.#told.push(told);
    this.#unwritten.push(told);
    if (this.#store.isEmpty) return;
    for (const each of this.#unwritten.splice(0)) this.#store.record({ type: 'told', ...each });
  }

  /** What the user typed, where it is answered here. */
  command(message: SDKUserMessage): void {
    this.tell({ ...message, isLocal: true });
  }

  /** These messages go, out of `messages` as they stand; what came after one of them comes after the one before. */
  withdraw(uuids: ReadonlySet<string>, messages: readonly SessionMessage[]): void {
    let before: string | null = null;
    for (const { uuid } of messages) {
      if (uuids.has(uuid)) this.#standIns.set(uuid, before);
      else before = uuid;
    }
    this.#told = this.#told.map((told) => ({ ...told, afterUuid: this.#standIn(told.afterUuid) }));
  }

  /** The conversation was read anew. */
  replace(told: readonly Told[]): void {
    this.#told = [...told];
  }

  /** Nobody will see what came after a message that a compaction has dropped. */
  keepFor(messages: readonly SessionMessage[]): void {
    const uuids = new Set(messages.map(({ uuid }) => uuid));
    this.#told = this.#told.filter(({ afterUuid }) => afterUuid !== null && uuids.has(afterUuid));
  }

  among(messages: readonly SessionMessage[]): ShownMessage[] {
    return shownMessages(messages, this.#told);
  }

  #standIn(uuid: string | null): string | null {
    return uuid === null ? null : (this.#standIns.get(uuid) ?? uuid);
  }
}

/** A message that is told, or undefined for one that stands in the conversation or passes. */
export function toldMessage(message: SDKMessage): ToldMessage | undefined {
  return message.type === 'result' || (message.type === 'system' && message.subtype === 'notice') ? message : undefined;
}

/**
 * The conversation in the order in which it was shown, with what was told between its messages. A compaction puts its
 * boundary before what it preserves, for the model; it was shown behind.
 */
export function shownMessages(messages: readonly SessionMessage[], told: readonly Told[]): ShownMessage[] {
  const after = new Map<string | null, ToldMessage[]>();
  for (const { afterUuid, message } of told) after.set(afterUuid, [...(after.get(afterUuid) ?? []), message]);
  return [...(after.get(null) ?? []), ...asShown(messages).flatMap((message) => [message, ...(after.get(message.uuid) ?? [])])];
}

function asShown(messages: readonly SessionMessage[]): readonly SessionMessage[] {
  const [boundary] = messages;
  if (boundary?.type !== 'system') return messages;
  const tail = boundary.compact_metadata.preserved_segment?.tail_uuid;
  const at = messages.findIndex(({ uuid }) => uuid === tail);
  return at < 0 ? messages : [...messages.slice(1, at + 1), boundary, ...messages.slice(at + 1)];
}

/** Of a result what a view shows; the rest stands elsewhere in the transcript. */
function withoutWeight(message: ToldMessage): ToldMessage {
  if (message.type !== 'result') return message;
  const { result: _result, ...rest } = message;
  return { ...rest, permission_denials: [], modelUsage: {} };
}
