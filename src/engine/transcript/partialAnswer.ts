import type { Clock } from '../../base/abort.ts';
import type { DisposableLike } from '../../base/disposables.ts';
import { isBlock } from '../../protocol/contentBlocks.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import type { ApiAssistantMessage, RawStreamEvent, SDKAssistantMessage } from '../../protocol/messages.ts';
import type { WrittenPartial } from '../../protocol/transcript.ts';

/** The longest time that what is shown of an answer is in memory alone, and the shortest between two notes. Milliseconds. */
const noteEveryMs = 250;

export interface PartialAnswerParts {
  readonly clock: Clock;
  readonly record: (line: WrittenPartial) => void;
  /** What the answer follows. */
  readonly leafUuid: () => string | null;
}

/** What a block has gained since the last note. */
interface Gain {
  text: string;
  uuid?: string | undefined;
  block?: ContentBlock | undefined;
}

interface Answer {
  readonly message: ApiAssistantMessage;
  readonly afterUuid: string | null;
  readonly gains: Map<number, Gain>;
  lastClosed: number;
  isNoted: boolean;
}

/**
 * Notes down an answer while it streams: its own lines are written when its usage is known, and a process can be killed
 * before. Only what is new goes into each note; an answer that is complete in no time leaves none. `partialEntries`
 * makes messages of them, if the answer's own lines never came.
 */
export class PartialAnswer {
  readonly #parts: PartialAnswerParts;
  #answer: Answer | undefined;
  #timer: DisposableLike | undefined;

  constructor(parts: PartialAnswerParts) {
    this.#parts = parts;
  }

  /** An event of the answer, before what it completes is made a message of. */
  see(event: RawStreamEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#begin(event.message as ApiAssistantMessage);
        return;
      case 'content_block_start': {
        const block = event.content_block as ContentBlock | undefined;
        if (block && isBlock(block, 'text')) Object.assign(this.#gainOf(event.index as number), { uuid: crypto.randomUUID(), text: String(block.text ?? '') });
        return;
      }
      case 'content_block_delta': {
        const delta = event.delta as { readonly type?: unknown; readonly text?: unknown } | undefined;
        if (delta?.type !== 'text_delta' || typeof delta.text !== 'string' || !this.#answer) return;
        this.#gainOf(event.index as number).text += delta.text;
        this.#schedule();
        return;
      }
      case 'content_block_stop':
        if (this.#answer) this.#answer.lastClosed = event.index as number;
        return;
      case 'message_stop':
        this.end();
        return;
      default:
        return;
    }
  }

  /** The block that was closed last is a message now, whose line waits for the end of the answer. */
  completed({ uuid, message }: SDKAssistantMessage): void {
    const [block] = message.content;
    if (!this.#answer || message.id !== this.#answer.message.id || !block) return;
    Object.assign(this.#gainOf(this.#answer.lastClosed), { uuid, ...(!isBlock(block, 'text') && { block }) });
    this.#schedule();
  }

  /** The answer was taken back. */
  withdraw(): void {
    if (this.#answer?.isNoted) this.#parts.record({ type: 'partial', messageId: this.#answer.message.id, withdrawn: true });
    this.end();
  }

  /** Its lines can be written now, or nothing more comes. */
  end(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#answer = undefined;
  }

  #begin(message: ApiAssistantMessage | undefined): void {
    this.withdraw();
    if (typeof message?.id !== 'string') return;
    this.#answer = { message, afterUuid: this.#parts.leafUuid(), gains: new Map(), lastClosed: 0, isNoted: false };
  }

  #gainOf(index: number): Gain {
    const gains = this.#answer?.gains;
    const gain = gains?.get(index) ?? { text: '' };
    gains?.set(index, gain);
    return gain;
  }

  #schedule(): void {
    this.#timer ??= this.#parts.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#note();
    }, noteEveryMs);
  }

  #note(): void {
    const answer = this.#answer;
    if (!answer) return;
    for (const [blockIndex, { text, uuid, block }] of answer.gains) {
      const { id, model, usage } = answer.message;
      const begin = answer.isNoted ? undefined : { afterUuid: answer.afterUuid, noteUuid: crypto.randomUUID(), model, usage };
      this.#parts.record({ type: 'partial', messageId: id, blockIndex, ...(begin && { begin }), ...(uuid !== undefined && { uuid }), ...(text !== '' && { text }), ...(block && { block }) });
      answer.isNoted = true;
    }
    answer.gains.clear();
  }
}
