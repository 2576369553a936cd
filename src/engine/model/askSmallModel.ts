import type { Clock } from '../../base/abort.ts';
import { wellFormed } from '../../base/wellFormed.ts';
import { affordableTokens } from '../cost/budget.ts';
import type { CostPurpose } from '../cost/costSummary.ts';
import type { CostTracker } from '../cost/costTracker.ts';
import { outputTokensIn } from '../cost/unreportedUse.ts';
import type { ModelClient, ModelRequest } from '../ports.ts';
import { MessageAssembler } from './messageAssembler.ts';
import { smallModel } from './modelCatalog.ts';
import { readStream } from './readStream.ts';

export interface SmallModelParts {
  readonly client: ModelClient;
  readonly clock: Clock;
  readonly cost: CostTracker;
  /** Rejects before a request that could go beyond it. */
  readonly maxBudgetUsd?: number | undefined;
}

export interface SmallQuestion {
  /** Of the session: the small one of its provider is asked. */
  readonly model: string;
  readonly instructions: string;
  readonly text: string;
  readonly maxTokens: number;
  /** Under what it is counted. */
  readonly purpose: CostPurpose;
}

/**
 * One request beside the conversation, of the small model: nothing of the session goes along, it is made once, and what
 * it costs is counted. Rejects with an ApiFailure, with `aborted`, or with an Error that says why nothing was asked.
 */
export async function askSmallModel(parts: SmallModelParts, question: SmallQuestion, signal: AbortSignal): Promise<string> {
  const { client, clock, cost } = parts;
  const model = smallModel(question.model);
  const text = wellFormed(question.text);
  const content = [{ type: 'text' as const, text }];
  if (affordableTokens({ maxBudgetUsd: parts.maxBudgetUsd, call: { model, cost, clock } }, [questionMessage(`${question.instructions}${text}`)]) === 0) throw new Error('the cost limit has no room for it');
  const request: ModelRequest = { model, max_tokens: question.maxTokens, system: [{ type: 'text', text: question.instructions }], messages: [{ role: 'user', content }] };
  const assembler = new MessageAssembler(model);
  const texts: string[] = [];
  try {
    for await (const events of readStream(client, request, { signal, clock })) {
      for (const step of events.map((event) => assembler.push(event))) {
        if (step?.type === 'block' && step.block.type === 'text') texts.push(String(step.block['text']));
      }
    }
  } finally {
    const { message } = assembler;
    if (message) cost.add({ messageId: message.id, model: message.model, usage: message.usage, date: new Date(clock.now()), purpose: question.purpose, ...(!assembler.isComplete && { state: 'cut', receivedTokens: outputTokensIn(assembler.receivedLength) }) });
  }
  return texts.join(' ');
}

function questionMessage(text: string): Parameters<typeof affordableTokens>[1][number] {
  return { type: 'user', uuid: '', session_id: '', timestamp: '', parent_tool_use_id: null, message: { role: 'user', content: [{ type: 'text', text }] } };
}
