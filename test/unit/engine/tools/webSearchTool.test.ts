import assert from 'node:assert/strict';
import type { ContentBlock } from '../../../../src/protocol/contentBlocks.ts';
import { normalizeMessagesForAPI } from '../../../../src/engine/normalizeMessages.ts';
import type { SDKMessage, SessionMessage } from '../../../../src/protocol/messages.ts';
import { EngineHarness, resultOf, runTurn } from '../../../support/engineHarness.ts';
import { message, serverToolUse, text, toolUse, webSearchResult } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';
import { validateToolPairs } from '../../../support/validateToolPairs.ts';
import type { WireMessage } from '../../../support/apiTypes.ts';

const found = (id: string) => webSearchResult(id, [{ type: 'web_search_result', url: 'https://example.org/', title: 'Example', encrypted_content: 'abc', page_age: null }]);
const cited = text('It is so.', [{ type: 'web_search_result_location', url: 'https://example.org/', title: 'Example', encrypted_index: 'i', cited_text: 'so' }]);

describe('WebSearch', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());
  const tools = (index: number) => harness.server.requests[index]!.body.tools ?? [];

  it('is not declared unless it is switched on', async () => {
    harness = await EngineHarness.start([turn({ reply: message('hi') })]);
    await runTurn(await harness.open(), 'hi');
    assert.ok(!tools(0).some((tool) => tool['name'] === 'web_search'));
  });

  it('is declared last by its type; calls and results are kept, replayed and paid for', async () => {
    harness = await EngineHarness.start([
      turn({ reply: message([serverToolUse('web_search', { query: 'turnstones' }, 'srvtoolu_1'), found('srvtoolu_1'), cited], { usage: { input_tokens: 0, output_tokens: 0, server_tool_use: { web_search_requests: 2 } } }) }),
      turn({ reply: () => message([toolUse('Read', { file_path: harness.path('a.txt') })]) }),
      turn({ reply: message('done') }),
    ], { files: { 'a.txt': 'a\n' } });
    const session = await harness.open({ webSearch: { maxUses: 3, allowedDomains: ['example.org'] }, model: 'claude-haiku-4-5' });
    const messages = await runTurn(session, 'search');
    assert.deepEqual(tools(0).at(-1), { type: 'web_search_20250305', name: 'web_search', max_uses: 3, allowed_domains: ['example.org'] });
    const init = messages.find((each): each is Extract<SDKMessage, { subtype: 'init' }> => each.type === 'system' && each.subtype === 'init');
    assert.equal(init?.tools.at(-1), 'WebSearch');
    assert.equal(resultOf(messages).result, 'It is so.');
    // $10 per thousand searches.
    assert.equal(session.cost.totalCostUsd, 0.02);
    assert.equal(session.cost.modelUsage['claude-haiku-4-5']?.webSearchRequests, 2);
    const again = await harness.open({ resume: session.sessionId, webSearch: { maxUses: 3, allowedDomains: ['example.org'] } });
    await runTurn(again, 'and now?');
    const replayed = harness.server.requests[2]!.body.messages[1]!.content as { type: string }[];
    assert.deepEqual(replayed.map(({ type }) => type), ['server_tool_use', 'web_search_tool_result', 'text']);
    assert.deepEqual(harness.server.requests[2]!.body.messages[1], harness.server.requests[1]!.body.messages[1]);
    harness.server.assertClean();
  });

  it('goes on after a pause in the middle of a search', async () => {
    harness = await EngineHarness.start([
      turn({ reply: message([text('Searching.'), serverToolUse('web_search', { query: 'x' }, 'srvtoolu_1')], { stopReason: 'pause_turn' }) }),
      turn({ reply: message([found('srvtoolu_1'), text('Found.')]) }),
      turn({ reply: message('ok') }),
    ]);
    const session = await harness.open({ webSearch: true });
    assert.equal(resultOf(await runTurn(session, 'search')).subtype, 'success');
    assert.equal(harness.server.requests[1]!.body.messages.at(-1)!.role, 'assistant');
    await runTurn(session, 'thanks');
    harness.server.assertClean();
  });

  it('leaves a valid session when it is interrupted in mid-search', async () => {
    harness = await EngineHarness.start([
      turn({ reply: message([serverToolUse('web_search', { query: 'x' }, 'srvtoolu_1'), found('srvtoolu_1'), text('never said')]), deltaSize: 100, stallAfter: { events: 6 } }),
      turn({ reply: message('ok') }),
    ]);
    const session = await harness.open({ webSearch: true, includePartialMessages: true });
    for await (const each of session.submitMessage('search')) if (each.type === 'assistant') session.interrupt();
    assert.equal(resultOf(await runTurn(session, 'go on')).result, 'ok');
    assert.doesNotMatch(JSON.stringify(harness.server.requests[1]!.body.messages), /srvtoolu_1/);
    harness.server.assertClean();
  });
});

describe('calls of server tools', () => {
  const answer = (id: string, ...content: ContentBlock[]): SessionMessage => ({
    type: 'assistant', uuid: crypto.randomUUID(), session_id: 's', parent_tool_use_id: null,
    message: { id, type: 'message', role: 'assistant', model: 'claude-sonnet-5-5', content, stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
  });
  const prompt: SessionMessage = { type: 'user', uuid: 'u', session_id: 's', parent_tool_use_id: null, message: { role: 'user', content: 'hi' } };
  const call = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} } as ContentBlock;
  const result = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] } as ContentBlock;
  const types = (...messages: SessionMessage[]): string[] => {
    const wire = normalizeMessagesForAPI(messages, 'claude-sonnet-5-5');
    assert.equal(validateToolPairs(wire as unknown as WireMessage[]), undefined);
    return wire.flatMap(({ content }) => (content as ContentBlock[]).map((block) => block.type));
  };

  it('are sent in pairs only, but for a pause at the end', () => {
    assert.deepEqual(types(prompt, answer('m1', call, result)), ['text', 'server_tool_use', 'web_search_tool_result']);
    assert.deepEqual(types(prompt, answer('m1', call)), ['text', 'server_tool_use']);
    assert.deepEqual(types(prompt, answer('m1', call), answer('m2', result, { type: 'text', text: 'so' }), prompt), ['text', 'server_tool_use', 'web_search_tool_result', 'text', 'text']);
    assert.deepEqual(types(prompt, answer('m1', call), prompt), ['text', 'text']);
    assert.deepEqual(types(prompt, answer('m1', result, { type: 'text', text: 'so' }), prompt), ['text', 'text', 'text']);
  });
});
