import type { SDKCompactBoundaryMessage, SDKMessage } from '../../../../src/protocol/messages.ts';
import type { Session } from '../../../../src/sdk/index.ts';
import { blocksOf } from '../../../support/apiTypes.ts';
import type { MessagesRequest } from '../../../support/apiTypes.ts';
import { message } from '../../../support/scriptedMessage.ts';
import type { ScriptedTurn } from '../../../support/scriptedTurn.ts';

export const SUMMARY = 'The user wants the cart renamed. So far: nothing is open but what they say next.';

/** The last thing said in a request. */
export function lastWords(request: MessagesRequest): string {
  return blocksOf(request.messages.at(-1)!).map((block) => String(block['text'] ?? '')).join('\n');
}

/** Everything in a request, as one text. */
export function wholeText(request: MessagesRequest): string {
  return JSON.stringify(request.messages);
}

export function asksForSummary(request: MessagesRequest): boolean {
  return lastWords(request).includes('will be replaced by your summary');
}

export function asksForPart(request: MessagesRequest): boolean {
  return lastWords(request).startsWith('Below is part ');
}

/** Answers every request for a summary, out of turn. */
export function summaries(reply: ScriptedTurn['reply'] = message(SUMMARY)): ScriptedTurn {
  return { when: (request) => asksForSummary(request) || asksForPart(request), reply };
}

export function boundariesIn(messages: readonly SDKMessage[]): SDKCompactBoundaryMessage[] {
  return messages.filter((each): each is SDKCompactBoundaryMessage => each.type === 'system' && each.subtype === 'compact_boundary');
}

export function noticesIn(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.text] : []));
}

/** A window of so many tokens; half of it triggers a summary where it is small. */
export function window(contextWindow: number, maxOutput = 2_000): { readonly modelLimits: () => { contextWindow: number; maxOutput: number } } {
  return { modelLimits: () => ({ contextWindow, maxOutput }) };
}

/** Drains any generator of a session. */
export async function drain(run: ReturnType<Session['submitMessage']>): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const each of run) messages.push(each);
  return messages;
}

/** `count` words that no summary would make up. */
export function words(name: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${name}${index}`).join(' ');
}
