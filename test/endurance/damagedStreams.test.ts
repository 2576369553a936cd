import assert from 'node:assert/strict';
import type { SDKMessage } from '../../src/protocol/messages.ts';
import { describeTool } from '../../src/sdk/index.ts';
import type { Session } from '../../src/sdk/index.ts';
import { newChatState, toChatEvents } from '../../src/vscode/toChatEvents.ts';
import { EngineHarness, resultOf } from '../support/engineHarness.ts';
import { longForm } from '../support/longForm.ts';
import { message } from '../support/scriptedMessage.ts';
import { turn } from '../support/scriptedTurn.ts';

type Json = { readonly [field: string]: unknown };
const delta = (index: number, body: Json) => ({ type: 'content_block_delta', index, delta: body });
const events: readonly Json[] = [
  { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 9, output_tokens: 1, cache_read_input_tokens: 3 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  delta(0, { type: 'thinking_delta', thinking: 'hm' }),
  delta(0, { type: 'signature_delta', signature: 'sig' }),
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} } },
  delta(1, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
  { type: 'content_block_stop', index: 1 },
  { type: 'content_block_start', index: 2, content_block: { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ type: 'web_search_result', url: 'https://a.example/', title: 'A', encrypted_content: 'zz', page_age: null }] } },
  { type: 'content_block_stop', index: 2 },
  { type: 'content_block_start', index: 3, content_block: { type: 'text', text: '' } },
  delta(3, { type: 'text_delta', text: 'Reading.' }),
  delta(3, { type: 'citations_delta', citation: { type: 'web_search_result_location', cited_text: 'a', url: 'https://a.example/', title: 'A', encrypted_index: 'z' } }),
  { type: 'content_block_stop', index: 3 },
  { type: 'content_block_start', index: 4, content_block: { type: 'tool_use', id: 'toolu_1', name: 'Glob', input: {} } },
  delta(4, { type: 'input_json_delta', partial_json: '{"pattern":"*.none"}' }),
  { type: 'content_block_stop', index: 4 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 12 } },
  { type: 'message_stop' },
];

/** The value with one of its fields, however deep, taken away or given another kind of value. */
function* damaged(value: unknown, where: string): Generator<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const put = (replacement: unknown): unknown => {
      if (Array.isArray(value)) return (value as unknown[]).map((each, index) => (String(index) === key ? (replacement ?? null) : each));
      return replacement === undefined ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) : { ...value, [key]: replacement };
    };
    for (const replacement of [undefined, null, 7, 'other', { a: [1] }, [null]]) yield [`${where}.${key} = ${JSON.stringify(replacement)}`, put(replacement)];
    for (const [path, changed] of damaged(inner, `${where}.${key}`)) yield [path, put(changed)];
  }
}

describe('a stream in which any one field is damaged', function () {
  this.timeout(3_600_000);

  it('ends in plain words at worst; the next turn succeeds, and so does one after a resume', async () => {
    const cases = events.flatMap((event, at) => [
      ...[...damaged(event, `event ${at}`)].map(([where, changed]) => [where, events.map((each, index) => (index === at ? changed : each))] as const),
      [`event ${at} missing`, events.filter((_event, index) => index !== at)] as const,
      [`event ${at} twice`, events.flatMap((each, index) => (index === at ? [each, each] : [each]))] as const,
    ]);
    assert.ok(cases.length > 500, String(cases.length));
    // No divisor of the six replacements, so that each of them comes to its turn.
    for (const [number, [where, stream]] of cases.entries()) if (longForm || number % 13 === 0) await assertGoesOn(where, stream);
  });
});

async function assertGoesOn(where: string, stream: readonly unknown[]): Promise<void> {
  const raw = stream.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const harness = await EngineHarness.start([turn({ raw }), turn({ reply: message('as ever'), times: Infinity })]);
  try {
    const options = { model: 'claude-opus-5-5', random: () => 0, webSearch: true, includePartialMessages: true };
    const session = await harness.open(options);
    assert.doesNotMatch(resultOf(await say(session, 'one')).errors.join(), /Turnstone|is not a function|Cannot read/, where);
    assert.equal(resultOf(await say(session, 'two')).subtype, 'success', where);
    await session.dispose();
    assert.equal(resultOf(await say(await harness.open({ ...options, resume: session.sessionId }), 'three')).subtype, 'success', where);
    const refused = harness.server.requests.filter(({ refusal }) => refusal).map((request) => request.raw);
    assert.equal(new Set(refused).size, refused.length, `${where}: a refused request was sent twice`);
    assert.ok(refused.length <= 4, `${where}: ${harness.server.problems.join('\n')}`);
  } catch (error) {
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
  } finally {
    await harness.close();
  }
}

/** One turn, shown as the panel shows it. */
async function say(session: Session, prompt: string): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  const shown = newChatState(describeTool);
  for await (const each of session.submitMessage(prompt)) {
    messages.push(each);
    toChatEvents(shown, each);
    if (each.type === 'system' && each.subtype === 'api_retry') setImmediate(() => session.retryNow());
  }
  return messages;
}
