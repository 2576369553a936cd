import { cutText } from '../../base/text.ts';
import { wellFormed } from '../../base/wellFormed.ts';
import type { SDKMessage, SessionMessage } from '../../protocol/messages.ts';
import type { ModelRequest } from '../ports.ts';
import { askForSummary } from './askForSummary.ts';
import type { SummaryCall } from './askForSummary.ts';
import { safeCuts } from './preservedSegment.ts';
import type { Segment } from './preservedSegment.ts';
import { renderConversation } from './renderConversation.ts';
import { partPrompt, partSystemPrompt } from './summaryPrompt.ts';

/** Indices of messages, the end not included. */
interface Range {
  readonly start: number;
  readonly end: number;
}

export interface PartSummary extends Range {
  readonly text: string;
}

export type PartsOutcome = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly why: string };

export interface PartsPlan {
  readonly messages: readonly SessionMessage[];
  readonly segment: Segment;
  /** Of the model, in tokens. */
  readonly contextWindow: number;
  readonly call: SummaryCall;
  /** Called as soon as a part is summarised: what was paid for is kept, whatever becomes of the next. */
  readonly keep: (part: PartSummary) => void;
}

/** How often parts are made half as long because the server would not take them. */
const maxHalvings = 4;
/** Characters per token, on the safe side: logs have about two. */
const charactersPerToken = 2.2;
const leastPart = 2_000;

/**
 * Summarises what stands before the preserved segment piece by piece, each piece as text in a request of its own: for a
 * conversation that is too long even for the request that would summarise it. The request being worked on is no part of it.
 */
export async function* collapseInParts(plan: PartsPlan): AsyncGenerator<SDKMessage, PartsOutcome, void> {
  const answerTokens = Math.min(4_000, Math.floor(plan.contextWindow / 8));
  let length = Math.max(leastPart, Math.floor((plan.contextWindow - 2 * answerTokens) * charactersPerToken));
  let halvings = 0;
  const waiting = split(plan, rangesBefore(plan), length);
  let number = 1;
  for (let part = waiting.shift(); part; part = waiting.shift()) {
    const text = cutText(renderConversation(plan.messages.slice(part.start, part.end)), length);
    const facts = { number, count: number + waiting.length };
    const outcome = yield* askForSummary(plan.call, (retry) => partRequest(plan.call.model, partPrompt(text, { ...facts, retry }), answerTokens));
    if (outcome.kind === 'failed') return outcome;
    if (outcome.kind === 'summary') {
      plan.keep({ ...part, text: outcome.text });
      number++;
      continue;
    }
    if (++halvings > maxHalvings || text.length <= leastPart) return { kind: 'failed', why: 'the server calls even small parts of the conversation too long' };
    length = Math.max(leastPart, Math.floor(text.length / 2));
    waiting.unshift(...split(plan, [part], length));
  }
  return { kind: 'done' };
}

/** What may be summarised: everything before the segment but the request. */
function rangesBefore({ messages, segment: { head, request } }: PartsPlan): Range[] {
  const ranges = request === undefined ? [{ start: 0, end: head }] : [{ start: 0, end: request }, { start: request + 1, end: head }];
  return ranges.filter(({ start, end }) => renderConversation(messages.slice(start, end)) !== '');
}

/** Cuts ranges where a conversation may be cut, so that each piece has about `length` characters as text. */
function split({ messages }: PartsPlan, ranges: readonly Range[], length: number): Range[] {
  return ranges.flatMap(({ start, end }) => {
    const parts: Range[] = [];
    let from = start;
    let size = 0;
    let last = start;
    for (const cut of [...safeCuts(messages, start + 1).filter((each) => each > start && each < end), end]) {
      const added = renderConversation(messages.slice(last, cut)).length;
      if (size > 0 && size + added > length) {
        parts.push({ start: from, end: last });
        from = last;
        size = 0;
      }
      size += added;
      last = cut;
    }
    return [...parts, { start: from, end }];
  });
}

function partRequest(model: string, prompt: string, maxTokens: number): ModelRequest {
  return { model, max_tokens: maxTokens, system: [{ type: 'text', text: partSystemPrompt }], messages: [{ role: 'user', content: [{ type: 'text', text: wellFormed(prompt) }] }] };
}
