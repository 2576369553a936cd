import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { costText } from '../../../../src/engine/commands/costText.ts';
import type { SDKMessage } from '../../../../src/protocol/messages.ts';
import type { Session } from '../../../../src/sdk/index.ts';
import { costTooltip } from '../../../../src/vscode/costTooltip.ts';
import { newChatState, toChatEvents } from '../../../../src/vscode/toChatEvents.ts';
import { turnDetails } from '../../../../webview-ui/text/format.ts';
import { EngineHarness, resultOf, runTurn } from '../../../support/engineHarness.ts';
import { message, text, toolUse } from '../../../support/scriptedMessage.ts';
import { fault, turn } from '../../../support/scriptedTurn.ts';

const haiku = { model: 'claude-haiku-4-5' } as const;
const usage = { input_tokens: 1_000, output_tokens: 400 };
/** 1,000×1 + 1×5 millionths: what the server tells at the beginning of an answer. */
const beginUsd = 0.001005;
/** 1,000×1 + 400×5. */
const wholeUsd = 0.003;
/** Streamed in pieces of 70 characters, twenty tokens each by the estimate. */
const long = 'The quick brown fox jumps over the lazy dog, and then it does so again. '.repeat(20);
const deltaSize = 70;

describe('an answer that broke off', function () {
  this.timeout(20_000);
  let harness: EngineHarness;
  afterEach(() => harness.close());

  /** Stops as soon as some of the answer is shown. */
  async function stopInMidst(session: Session): Promise<SDKMessage[]> {
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage('go')) {
      messages.push(each);
      if (each.type === 'stream_event' && each.event.type === 'content_block_delta') session.interrupt();
    }
    return messages;
  }

  async function reopened(session: Session): Promise<Session['cost']> {
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId });
    const { cost } = again;
    await again.dispose();
    return cost;
  }

  it('by Esc: every figure says that it is the least, and what is probably missing', async () => {
    harness = await EngineHarness.start([turn({ reply: message(long, { usage }), deltaSize, stallAfter: { events: 6 } }), turn({ reply: message('Whole.', { usage }) })]);
    const session = await harness.open({ ...haiku, includePartialMessages: true });
    const messages = await stopInMidst(session);
    const result = resultOf(messages);
    const { unreported } = session.cost;
    assert.equal(session.cost.totalCostUsd, beginUsd);
    assert.equal(unreported?.answers, 1);
    // At least one piece had come, at most the four before the silence; one token of it was told.
    assert.ok(unreported.outputTokens >= 19 && unreported.outputTokens <= 79, `${unreported.outputTokens} tokens`);
    assert.equal(unreported.usd, (unreported.outputTokens * 5) / 1e6);
    assert.deepEqual(result.unreported, unreported);
    const chat = newChatState(() => ({ title: '', detail: '' }) as never);
    const [item] = messages.flatMap((each) => toChatEvents(chat, each)).flatMap((event) => (event.type === 'items-put' ? event.items.filter((each) => each.kind === 'turn') : []));
    assert.deepEqual([item?.costUsd, item?.unreported], [beginUsd, unreported]);
    const why = /One answer broke off before the server said what was used, so this is the least it has cost\. By what had come, some \d\d output tokens are missing, about \$0\.000\d+\./;
    assert.match(turnDetails(item!), new RegExp(`^This turn: ≥ \\$0\\.001005\n${why.source}`));
    assert.match(costText(session.cost), new RegExp(`^This session has cost at least \\$0\\.001 \\(\\$0\\.001005\\)\\.\n${why.source}`));
    assert.match(costTooltip({ cost: session.cost, nextRequest: session.nextRequest, contextUse: session.contextUse, model: session.model }, 0), new RegExp(`^\\*\\*Turnstone, this session: ≥ \\$0\\.001\\*\\*\n\n${why.source}`));
    // The next turn is whole, and says so; the session as a whole stays a lower bound, also when it is opened again.
    assert.equal(resultOf(await runTurn(session, 'again')).unreported, undefined);
    const { cost } = session;
    assert.equal(cost.totalCostUsd, 0.004005);
    assert.deepEqual(cost.unreported, unreported);
    assert.deepEqual(await reopened(session), cost);
  });

  it('by the connection, and was asked for again', async () => {
    harness = await EngineHarness.start([fault.cut(message(long, { usage }), { events: 8, how: 'reset' }), turn({ reply: message('Whole.', { usage }) })]);
    const session = await harness.open({ ...haiku, random: () => 0 });
    const result = resultOf(await runTurn(session, 'go'));
    assert.equal(result.subtype, 'success');
    assert.equal(session.cost.totalCostUsd, beginUsd + wholeUsd);
    assert.deepEqual([result.unreported?.answers, session.cost.unreported?.answers], [1, 1]);
    assert.deepEqual(session.cost.lines.map(({ purpose, requests }) => [purpose, requests]), [['retry', 1], ['answer', 1]]);
    assert.deepEqual(await reopened(session), session.cost);
  });

  it('by the end of the process: its beginning is counted, once, however often it is opened', async () => {
    harness = await EngineHarness.start([turn({ reply: message(long, { usage }), deltaSize, stallAfter: { events: 6 } }), turn({ reply: message('Whole.', { usage }), times: 2 })]);
    const session = await harness.open({ ...haiku, includePartialMessages: true });
    const run = session.submitMessage('go');
    let file = '';
    for await (const each of run) {
      if (each.type !== 'stream_event' || each.event.type !== 'content_block_delta') continue;
      while (!file.includes('"type":"partial"')) file = await readFile(session.transcriptPath, 'utf8');
      break;
    }
    await session.dispose();
    // As it was at that moment.
    await writeFile(session.transcriptPath, file.slice(0, file.lastIndexOf('\n') + 1));
    const again = await harness.open({ resume: session.sessionId, ...haiku });
    assert.deepEqual([again.cost.totalCostUsd, again.cost.unreported?.answers], [beginUsd, 1]);
    assert.ok(again.cost.unreported!.outputTokens > 0, 'what was noted down of it counts');
    again.setEffort('low');
    await runTurn(again, 'on');
    const { cost } = again;
    assert.equal(cost.totalCostUsd, beginUsd + wholeUsd);
    assert.deepEqual(await reopened(again), cost);
  });

  it('of a sub-agent, whose session had noted no state since', async () => {
    harness = await EngineHarness.start([
      turn({ reply: message([text('I let somebody look.'), toolUse('Task', { description: 'Look', prompt: 'Find it.', subagent_type: 'explore' })], { usage }) }),
      turn({ reply: message([toolUse('Glob', { pattern: '*' })], { usage, model: 'claude-haiku-4-5' }) }),
      turn({ reply: message(long, { usage }), deltaSize, stallAfter: { events: 6 } }),
    ]);
    const session = await harness.open(haiku);
    const run = session.submitMessage('go');
    const ended = (async () => {
      for await (const each of run) void each;
    })();
    let file = '';
    // Its first answer and the beginning of its second one.
    while (file.split('"purpose":"subAgent"').length < 4) file = await readFile(session.transcriptPath, 'utf8').catch(() => '');
    session.interrupt();
    await ended;
    await session.dispose();
    await writeFile(session.transcriptPath, file.slice(0, file.lastIndexOf('\n') + 1));
    const again = await harness.open({ resume: session.sessionId, ...haiku });
    assert.equal(again.cost.totalCostUsd, 2 * wholeUsd + beginUsd);
    assert.deepEqual(again.cost.lines.map(({ purpose, requests }) => [purpose, requests]), [['answer', 1], ['subAgent', 2]]);
    assert.deepEqual(again.cost.unreported, { answers: 1, outputTokens: 0, usd: 0 });
  });

  it('and came to nothing was told in full: it is counted as it was told', async () => {
    harness = await EngineHarness.start([turn({ reply: message([], { usage }) }), turn({ reply: message('Whole.', { usage }) })]);
    const session = await harness.open(haiku);
    await runTurn(session, 'go');
    const { cost } = session;
    assert.deepEqual([cost.totalCostUsd, cost.unreported], [wholeUsd, undefined]);
    assert.deepEqual(await reopened(session), cost);
    const lines = (await readFile(session.transcriptPath, 'utf8')).split('\n').filter((line) => !line.includes('"session-state"'));
    await writeFile(session.transcriptPath, lines.join('\n'));
    assert.equal((await harness.open({ resume: session.sessionId })).cost.totalCostUsd, wholeUsd, 'also when its state was not saved');
  });
});
