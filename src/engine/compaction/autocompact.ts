import type { SDKCompactBoundaryMessage, SDKMessage, SessionMessage } from '../../protocol/messages.ts';
import type { ModelRequest } from '../ports.ts';
import { askForSummary } from './askForSummary.ts';
import type { SummaryCall, SummaryOutcome } from './askForSummary.ts';
import { collapseInParts } from './collapseInParts.ts';
import { applyBoundary } from './compactBoundary.ts';
import type { Compactor } from './compactor.ts';
import { SUMMARY_TOKENS, preservedTokens } from './contextLimits.ts';
import { estimateMessages } from './contextSize.ts';
import { choosePreserved } from './preservedSegment.ts';
import type { Segment } from './preservedSegment.ts';
import { reattachedNote } from './reattachedNote.ts';
import { summaryPrompt } from './summaryPrompt.ts';

export interface CompactionRequest {
  readonly messages: readonly SessionMessage[];
  readonly trigger: 'auto' | 'manual';
  readonly focus?: string | undefined;
  /** The server has said that it does not fit, and counted so many times what we estimate. */
  readonly refusedAt?: number | undefined;
}

export interface CompactionTools {
  readonly compactor: Compactor;
  readonly call: SummaryCall;
  /** A request over these messages, whose prefix is that of the turn's own requests: the server has it in its cache. */
  readonly requestFor: (prepared: readonly SessionMessage[], answer: { readonly model: string; readonly maxTokens?: number | undefined }) => ModelRequest;
}

export type CompactionOutcome =
  | { readonly kind: 'compacted'; readonly messages: readonly SessionMessage[] }
  /** Too little stands before what has to stay. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'no-gain' }
  | { readonly kind: 'failed'; readonly why: string };

/** Share of the trigger that has to stand before the preserved segment, for a request to be worth its cost. */
const worthSummarising = 0.1;
/** What a compaction has to leave, at most, of what there was; the user's own need only make it smaller. */
const gain = 0.9;

/**
 * Stage 5: one request summarises what stands before the last exchanges. Yields the boundary, which names what
 * stays word for word, and a note with what has to be told anew. Changes nothing when it fails.
 */
export async function* compact(request: CompactionRequest, tools: CompactionTools): AsyncGenerator<SDKMessage, CompactionOutcome, void> {
  const { compactor, call } = tools;
  const { messages } = request;
  const trigger = compactor.triggerOf(call.model);
  // Who asks for it wants most of it summarised, however small the conversation is beside the window.
  const room = request.trigger === 'auto' ? Infinity : Math.floor(estimateMessages(compactor.prepare(messages).messages) / 4);
  const segment = choosePreserved(messages, Math.min(preservedTokens(trigger), room));
  const saved = segment ? compressible(messages, segment, compactor) : 0;
  if (!segment || saved <= (request.trigger === 'auto' ? trigger * worthSummarising : 0)) return { kind: 'nothing' };
  const before = compactor.estimate(messages);
  const summary = yield* summarise(request, segment, tools);
  if (summary.kind === 'collapsed') return { kind: 'compacted', messages };
  if (summary.kind !== 'summary') return { kind: 'failed', why: summary.kind === 'failed' ? summary.why : 'the conversation is too long even for the request that summarises it' };
  const boundary = boundaryOf(request, segment, { text: summary.text, preTokens: compactor.size(messages), sessionId: compactor.parts.sessionId });
  const shorter = applyBoundary(messages, boundary);
  const after = compactor.estimate(shorter);
  if (after >= before * (request.trigger === 'auto' ? gain : 1)) return { kind: 'no-gain' };
  yield boundary;
  const text = reattachedNote({ before: messages, after: shorter, readFileState: compactor.parts.readFileState, budget: Math.max(0, Math.min(20_000, (trigger - after) / 3)) });
  if (text === undefined) return { kind: 'compacted', messages: shorter };
  const note = compactor.note(text);
  yield note;
  return { kind: 'compacted', messages: [...shorter, note] };
}

/** Tokens that stand before the segment, the request being worked on not counted. */
function compressible(messages: readonly SessionMessage[], { head, request }: Segment, compactor: Compactor): number {
  const kept = request === undefined ? 0 : estimateMessages([messages[request]!]);
  return estimateMessages(compactor.prepare(messages.slice(0, head)).messages) - kept;
}

type Summarised = SummaryOutcome | { readonly kind: 'collapsed' };

/** In one request where that fits the window; else piece by piece first, and all together if that was not enough. */
async function* summarise(request: CompactionRequest, segment: Segment, tools: CompactionTools): AsyncGenerator<SDKMessage, Summarised, void> {
  const { compactor, call } = tools;
  const limits = compactor.parts.limitsOf(call.model);
  const summaryTokens = Math.min(SUMMARY_TOKENS, limits.maxOutput, Math.floor(limits.contextWindow / 4));
  const size = request.refusedAt === undefined ? compactor.size(request.messages) : compactor.estimate(request.messages) * request.refusedAt;
  const fits = size + summaryTokens <= limits.contextWindow;
  if (fits) {
    const outcome = yield* summariseWhole(request, summaryTokens, tools);
    if (outcome.kind !== 'too-long') return outcome;
  }
  const { messages } = request;
  const parts = yield* collapseBefore(messages, segment, tools);
  if (parts.kind === 'failed') return parts;
  if (request.trigger === 'auto' && compactor.estimate(messages) * (request.refusedAt ?? 1) < compactor.triggerOf(call.model)) return { kind: 'collapsed' };
  return yield* summariseWhole(request, summaryTokens, tools);
}

/** Tells what stands before the segment as summaries, each made of a part of it as text; what is done stays done. */
export function collapseBefore(messages: readonly SessionMessage[], segment: Segment, { compactor, call }: Pick<CompactionTools, 'compactor' | 'call'>): ReturnType<typeof collapseInParts> {
  return collapseInParts({
    messages,
    segment,
    contextWindow: compactor.parts.limitsOf(call.model).contextWindow,
    call,
    keep: (part) => compactor.collapse({ kind: 'summary', headUuid: messages[part.start]!.uuid, tailUuid: messages[part.end - 1]!.uuid, afterUuid: messages.at(-1)!.uuid, summary: part.text }),
  });
}

function summariseWhole({ messages, focus }: CompactionRequest, maxTokens: number, tools: CompactionTools): AsyncGenerator<SDKMessage, SummaryOutcome, void> {
  const { messages: prepared } = tools.compactor.prepare(messages);
  return askForSummary(tools.call, (retry) => tools.requestFor([...prepared, tools.compactor.note(summaryPrompt({ focus, retry }))], { model: tools.call.model, maxTokens }));
}

interface BoundaryFacts {
  readonly text: string;
  readonly preTokens: number;
  readonly sessionId: string;
}

function boundaryOf({ messages, trigger }: CompactionRequest, { head, request }: Segment, { text, preTokens, sessionId }: BoundaryFacts): SDKCompactBoundaryMessage {
  const uuid = crypto.randomUUID();
  return {
    type: 'system',
    subtype: 'compact_boundary',
    uuid,
    session_id: sessionId,
    compact_metadata: {
      trigger,
      pre_tokens: preTokens,
      preserved_segment: {
        head_uuid: messages[head]!.uuid,
        anchor_uuid: uuid,
        tail_uuid: messages.at(-1)!.uuid,
        ...(request !== undefined && { request_uuid: messages[request]!.uuid }),
      },
      summary: text,
    },
  };
}
