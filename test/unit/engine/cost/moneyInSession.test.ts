import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { addUsd, roundedSum, totalUsd } from '../../../../src/engine/cost/charges.ts';
import { forkSession } from '../../../../src/sdk/index.ts';
import type { Session } from '../../../../src/sdk/index.ts';
import type { TurnItem } from '../../../../src/protocol/chatView.ts';
import { newChatState, toChatEvents } from '../../../../src/vscode/toChatEvents.ts';
import { costEntries } from '../../../../src/engine/cost/transcriptCost.ts';
import { CostTracker } from '../../../../src/engine/cost/costTracker.ts';
import { EngineHarness, resultOf, runTurn } from '../../../support/engineHarness.ts';
import { frameEvent } from '../../../support/messageEvents.ts';
import { message, text, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../../support/scriptedTurn.ts';
import { summaries } from '../compaction/engineSupport.ts';

const asksForTitle = (request: { readonly system?: unknown }): boolean => JSON.stringify(request.system).includes('Write a title');
const haiku = { model: 'claude-haiku-4-5' } as const;

/** Begins to answer, with these counts, and breaks off. */
function broken(id: string): ScriptedTurn {
  const events = [
    { type: 'message_start', message: { id, type: 'message', role: 'assistant', model: 'claude-haiku-4-5', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1_000, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello wor' } },
    { type: 'error', error: { type: 'api_error', message: 'Internal' } },
  ];
  return turn({ raw: events.map((data) => frameEvent({ event: data.type, data })).join('') });
}

const linesOf = (session: Session) => session.cost.lines.map(({ model, purpose, requests, usd }) => [model, purpose, requests, usd && totalUsd(usd)]);

describe('money in a session', function () {
  this.timeout(20_000);
  let harness: EngineHarness;
  afterEach(() => harness.close());

  it('is told by model and purpose, and /cost explains every part of it', async () => {
    const usage = { input_tokens: 1_000, output_tokens: 100 };
    harness = await EngineHarness.start(
      [
        broken('msg_broken'),
        turn({ reply: message([text('I let somebody look.'), toolUse('Task', { description: 'Look', prompt: 'Find it.', subagent_type: 'explore' }, { id: 't1' })], { usage }) }),
        turn({ reply: message('Found.', { usage: { ...usage, cache_read_input_tokens: 10_000 } }) }),
        turn({ reply: message('Done.', { usage: { ...usage, server_tool_use: { web_search_requests: 2 } } }) }),
      ],
      { aside: [{ when: asksForTitle, reply: message('A title', { usage: { input_tokens: 400, output_tokens: 10 } }) }] },
    );
    const session = await harness.open({ ...haiku, titles: true, random: () => 0 });
    const result = resultOf(await runTurn(session, 'go'));
    while (session.title !== 'A title') await new Promise((resolve) => setTimeout(resolve, 2));
    assert.deepEqual(linesOf(session).sort((a, b) => String(a).localeCompare(String(b))), [
      // Two requests: 2,000×1 + 200×5 = 3,000 millionths, and two searches at $0.01.
      ['claude-haiku-4-5', 'answer', 2, 0.023],
      // The broken attempt had told 1,000×1 + 1×5 = 1,005.
      ['claude-haiku-4-5', 'retry', 1, 0.001005],
      // 1,000×1 + 100×5 + 10,000×0.1 = 2,500.
      ['claude-haiku-4-5', 'subAgent', 1, 0.0025],
      // 400×0.1 + 10×0.5 = 45.
      ['claude-haiku-5-5', 'title', 1, 0.000045],
    ]);
    assert.equal(session.cost.totalCostUsd, 0.02655);
    assert.ok(result.total_cost_usd === 0.02655 || result.total_cost_usd === 0.026505, 'the title may come after the result');
    const said = resultOf(await runTurn(session, '/cost')).result!.split('\n');
    assert.match(said[0]!, /^This session has cost at least \$0\.03 \(\$0\.02655\)\.$/);
    assert.deepEqual(said.filter((line) => line.startsWith('claude')).sort(), ['claude-haiku-4-5: $0.026505', 'claude-haiku-5-5: $0.000045']);
    const kindsOf = (start: string) => said.slice(said.findIndex((line) => line.startsWith(start))).slice(0, 4);
    assert.deepEqual(kindsOf('  answers, '), ['  answers, 2 requests: $0.023', '    2,000 input: $0.002', '    200 output: $0.001', '    2 web searches: $0.02']);
    assert.deepEqual(kindsOf('  answers that').slice(0, 3), ['  answers that were taken back and asked for again, as far as the server counted them, 1 request: $0.001005', '    1,000 input: $0.001', '    1 output: $0.000005']);
    assert.deepEqual(kindsOf('  sub-agents'), ['  sub-agents, 1 request: $0.0025', '    1,000 input: $0.001', '    100 output: $0.0005', '    10,000 read from the cache: $0.001']);
    assert.deepEqual(kindsOf('  titles').slice(0, 3), ['  titles, 1 request: $0.000045', '    400 input: $0.00004', '    10 output: $0.000005']);
    assert.match(said.at(-1)!, /^Time: turns (?:under )?[\d.]+ s; of it the model (?:under )?[\d.]+ s, (?:under )?[\d.]+ s without failed attempts, tools (?:under )?[\d.]+ s\. 69 % of all prompts came from the cache\.$/);
  });

  it('counts a summary of the conversation apart', async () => {
    const usage = { input_tokens: 1_000, output_tokens: 100 };
    harness = await EngineHarness.start([turn({ reply: message('ok', { usage }), times: 8 })], { aside: [{ ...summaries(message('All was said. '.repeat(40), { usage: { input_tokens: 5_000, output_tokens: 300 } })) }] });
    const session = await harness.open(haiku);
    for (let index = 0; index < 6; index++) await runTurn(session, 'Please tell. '.repeat(2_000));
    assert.equal(resultOf(await runTurn(session, '/compact')).subtype, 'success');
    // 5,000×1 + 300×5 = 6,500 millionths.
    assert.deepEqual(linesOf(session).find(([, purpose]) => purpose === 'summary'), ['claude-haiku-4-5', 'summary', 1, 0.0065]);
  });

  it('says what has no price, and what the rest has cost', async () => {
    harness = await EngineHarness.start([turn({ reply: message('a', { usage: { input_tokens: 1_000, output_tokens: 100 } }) }), turn({ reply: message('b', { usage: { input_tokens: 7, output_tokens: 3 } }) })], { knowsModel: () => true });
    const session = await harness.open(haiku);
    await runTurn(session, 'go');
    session.setModel('somebody-elses-model');
    assert.equal(resultOf(await runTurn(session, 'go')).total_cost_usd, null);
    const said = resultOf(await runTurn(session, '/cost')).result!;
    assert.match(said, /^This session has cost \$0\.0015 and what somebody-elses-model costs, for which no price is known\./);
    assert.match(said, /somebody-elses-model: price unknown\n {2}answers, 1 request: price unknown\n {4}7 input\n {4}3 output/);
  });

  it('is the same after a restart, and only for the same session', async () => {
    harness = await EngineHarness.start([turn({ reply: message([toolUse('Write', { file_path: 'a.txt', content: 'one\ntwo\n' })], { usage: { input_tokens: 1_000, output_tokens: 100 } }) }), turn({ reply: message('ok', { usage: { input_tokens: 1_000, output_tokens: 100 } }) }), turn({ reply: message('ok', { usage: { input_tokens: 1_000, output_tokens: 100 } }) })]);
    const session = await harness.open(haiku);
    const result = resultOf(await runTurn(session, 'go'));
    assert.ok(result.duration_ms >= result.duration_api_ms);
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId });
    assert.deepEqual(again.cost, session.cost);
    assert.deepEqual([again.cost.linesAdded, again.cost.linesRemoved, again.cost.totalCostUsd], [2, 0, 0.003]);
    await runTurn(again, 'go on');
    assert.equal(again.cost.totalCostUsd, 0.0045);
    await again.dispose();
    // The same file under another session's name: what stands in it was paid for there.
    const other = crypto.randomUUID();
    const copy = session.transcriptPath.replace(session.sessionId, other);
    await writeFile(copy, await readFile(session.transcriptPath, 'utf8'));
    const copied = await harness.open({ resume: copy });
    assert.deepEqual([copied.sessionId, copied.cost.totalCostUsd, copied.cost.linesAdded], [other, 0, 0]);
  });

  it('counts an answer that was kept, though the process was killed before its cost was', async () => {
    harness = await EngineHarness.start([turn({ reply: message('ok', { usage: { input_tokens: 1_000, output_tokens: 100 } }), times: 3 })]);
    const session = await harness.open(haiku);
    await runTurn(session, 'one');
    await runTurn(session, 'two');
    await session.dispose();
    const lines = (await readFile(session.transcriptPath, 'utf8')).trim().split('\n');
    const states = lines.flatMap((line, index) => (line.includes('"type":"session-state"') ? [index] : []));
    const answers = lines.flatMap((line, index) => (line.includes('"type":"assistant"') ? [index] : []));
    const killedAfter = async (kept: readonly string[]): Promise<number | null> => {
      await writeFile(session.transcriptPath, '');
      await appendFile(session.transcriptPath, `${kept.join('\n')}\n`);
      const resumed = await harness.open({ resume: session.sessionId });
      const usd = resumed.cost.totalCostUsd;
      await resumed.dispose();
      return usd;
    };
    // As it was; without the state after the second answer; without any state.
    assert.deepEqual([await killedAfter(lines), await killedAfter(lines.filter((_, index) => !(states.includes(index) && index > answers[1]!))), await killedAfter(lines.filter((_, index) => !states.includes(index)))], [0.003, 0.003, 0.003]);
  });

  it('begins anew in a fork, which says what was paid for elsewhere', async () => {
    harness = await EngineHarness.start([turn({ reply: message('ok', { usage: { input_tokens: 1_000, output_tokens: 100 } }), times: 3 })]);
    const session = await harness.open(haiku);
    await runTurn(session, 'one');
    await runTurn(session, 'two');
    const { sessionId } = await forkSession({ session: session.sessionId, dataRoot: harness.dataRoot });
    const fork = await harness.open({ resume: sessionId, ...haiku });
    assert.deepEqual([fork.cost.totalCostUsd, fork.cost.inherited], [0, { sessionId: session.sessionId, usd: 0.003 }]);
    await runTurn(fork, 'three');
    assert.equal(fork.cost.totalCostUsd, 0.0015);
    assert.match(resultOf(await runTurn(fork, '/cost')).result!, new RegExp(`Not counted here: .* session ${session.sessionId}: \\$0\\.003\\.$`));
    await fork.dispose();
    const again = await harness.open({ resume: sessionId });
    assert.deepEqual(again.cost, fork.cost);
  });

  it('O31: counts cached tokens once, at their own price, also after a resume', async () => {
    const read = { input_tokens: 9, output_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 17_102 };
    const written = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 2_000, cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 1_000 } };
    harness = await EngineHarness.start([turn({ reply: message('ok', { usage: read }) }), turn({ reply: message('ok', { usage: written }) })]);
    const session = await harness.open(haiku);
    // $1 and $5 per million, reads ×0.1: 9×1 + 100×5 + 17,102×0.1 = 2,219.2 millionths.
    assert.equal(resultOf(await runTurn(session, 'go')).total_cost_usd, 0.0022192);
    // Writes ×1.25 and ×2: 1,000×1.25 + 1,000×2 = 3,250 more.
    assert.equal(resultOf(await runTurn(session, 'go')).total_cost_usd, 0.0054692);
    await session.dispose();
    assert.equal((await harness.open({ resume: session.sessionId })).cost.totalCostUsd, 0.0054692);
  });

  it('adds up: panel, result, saved state, transcript and the lines of /cost say the same for any usage', async () => {
    const tokens = fc.nat({ max: 300_000 });
    const anyUsage = fc.record({ input_tokens: tokens, output_tokens: tokens, cache_read_input_tokens: tokens, cache_creation_input_tokens: tokens, server_tool_use: fc.record({ web_search_requests: fc.nat({ max: 3 }) }) });
    harness = await EngineHarness.start();
    const model = fc.constantFrom('claude-opus-5-5', 'claude-haiku-5-5', 'claude-fable-5-2', 'claude-sonnet-5-5');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ usage: anyUsage, model }), { minLength: 1, maxLength: 4 }), async (answers) => {
        harness.server.push(...answers.map(({ usage, model: name }) => turn({ reply: message('ok', { usage, model: name }) })));
        const session = await harness.open(haiku);
        const chat = newChatState(() => ({ title: '', detail: '' }) as never);
        const items: TurnItem[] = [];
        let result: number | null = 0;
        for (let index = 0; index < answers.length; index++) {
          const messages = await runTurn(session, 'go');
          for (const event of messages.flatMap((each) => toChatEvents(chat, each))) if (event.type === 'items-put') items.push(...event.items.filter((item): item is TurnItem => item.kind === 'turn'));
          result = resultOf(messages).total_cost_usd;
        }
        const fromTranscript = new CostTracker(() => undefined);
        for (const entry of costEntries(await harness.transcript(session))) fromTranscript.add(entry);
        const { totalCostUsd, knownCostUsd, lines, modelUsage } = session.cost;
        await session.dispose();
        const resumed = await harness.open({ resume: session.sessionId });
        const sums = [
          result,
          totalCostUsd,
          knownCostUsd,
          items.reduce<number | null>((sum, item) => addUsd(sum, item.costUsd), 0),
          lines.reduce<number | null>((sum, { usd }) => addUsd(sum, usd && totalUsd(usd)), 0),
          Object.values(modelUsage).reduce<number | null>((sum, { costUSD }) => addUsd(sum, costUSD), 0),
          fromTranscript.summary().totalCostUsd,
          resumed.cost.totalCostUsd,
        ];
        await resumed.dispose();
        for (const sum of sums) assert.ok(Math.abs(sum! - roundedSum(totalCostUsd!, 0)) < 1e-9, sums.join(' '));
      }),
      { numRuns: 12 },
    );
  });
});
