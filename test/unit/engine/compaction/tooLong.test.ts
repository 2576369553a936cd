import assert from 'node:assert/strict';
import type { Session } from '../../../../src/sdk/index.ts';
import { LEFT_OUT_RESULT } from '../../../../src/engine/compaction/microcompact.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { fault, turn } from '../../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../../support/scriptedTurn.ts';
import type { MessagesRequest } from '../../../support/apiTypes.ts';
import { asksForPart, asksForSummary, boundariesIn, lastWords, noticesIn, wholeText, window, words } from './engineSupport.ts';

const tooLong = (actual = 205_030, limit = 200_000): ScriptedTurn => fault.status(400, { message: `prompt is too long: ${actual} tokens > ${limit} maximum` });
const isTurn = (request: MessagesRequest): boolean => !asksForSummary(request) && !asksForPart(request);

describe('a request that the server calls too long', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  /** Usage that says nothing of the size, so that only the server's refusal can tell. */
  const small = { usage: { input_tokens: 50, output_tokens: 5 } };

  async function readFiles(session: Session, count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      harness.server.push(
        turn({ reply: message([toolUse('Bash', { command: `seq -s ' word' 1 4000; echo ${index}` }, { id: `b${index}` })], small) }),
        turn({ reply: message(`read ${index}`, small) }),
      );
      await runTurn(session, `look at ${index}`);
    }
  }

  /** No two requests in a row to the server are the same. */
  function assertNeverTheSameAgain(): void {
    const raws = harness.server.requests.map((request) => request.raw);
    for (let index = 1; index < raws.length; index++) assert.notEqual(raws[index], raws[index - 1]);
  }

  it('loses the oldest tool output first, as much as is needed, and goes on (O30 b)', async () => {
    harness = await EngineHarness.start();
    const session = await harness.open({ model: 'claude-haiku-4-5' });
    await readFiles(session, 6);
    harness.server.push(tooLong(), turn({ reply: message('went on') }));
    const messages = await runTurn(session, 'the request being worked on');
    assert.equal(resultOf(messages).result, 'went on');
    const after = toolResults(harness.server.requests.at(-1)!.body);
    const left = Object.entries(after).map(([id, text]) => (text === LEFT_OUT_RESULT ? `${id} left out` : id));
    assert.equal(left[0], 'b0 left out');
    assert.equal(left.at(-1), 'b5');
    assert.match(noticesIn(messages)[0]!, /no longer fits.*left out of what the model sees; in the session nothing is lost/);
    const kept = JSON.stringify(session.messages);
    assert.match(kept, /word3999/);
    const again = await harness.open({ resume: session.sessionId });
    harness.server.push(turn({ reply: message('still') }));
    await runTurn(again, 'resumed');
    assert.deepEqual(Object.entries(toolResults(harness.server.requests.at(-1)!.body)), Object.entries(after));
    assertNeverTheSameAgain();
    harness.server.assertClean();
  });

  it('is summarised in parts where leaving out is not enough, also when the server calls the parts too long (O30 b)', async () => {
    harness = await EngineHarness.start();
    const session = await harness.open({ model: 'claude-haiku-4-5' });
    for (let index = 0; index < 8; index++) {
      harness.server.push(turn({ reply: message(`answer ${index} ${words('w', 3_000)}`, small) }));
      await runTurn(session, `question ${index}`);
    }
    const parts: ScriptedTurn = { when: asksForPart, reply: (request) => message(`part of ${/question \d/.exec(lastWords(request))?.[0]}`), times: 20 };
    harness.server.push(
      { ...tooLong(), when: isTurn },
      { ...tooLong(), when: asksForPart },
      parts,
      { when: isTurn, reply: message('went on') },
    );
    const messages = await runTurn(session, 'the request being worked on');
    assert.equal(resultOf(messages).result, 'went on');
    const last = wholeText(harness.server.requests.at(-1)!.body);
    assert.match(last, /part of question 0/);
    assert.doesNotMatch(last, /answer 0 w0/);
    assert.match(last, /the request being worked on/);
    assert.match(JSON.stringify(session.messages), /answer 0 w0/);
    assertNeverTheSameAgain();
    const again = await harness.open({ resume: session.sessionId });
    harness.server.push(turn({ reply: message('still') }), turn({ reply: message('still') }));
    await runTurn(session, 'same');
    const sent = JSON.stringify(harness.server.requests.at(-1)!.body);
    await runTurn(again, 'same');
    assert.equal(JSON.stringify(harness.server.requests.at(-1)!.body), sent);
    harness.server.assertClean({ allowUnused: true });
  });

  it('stops after two tries without gain, with a clear message, and never goes round in circles (O30 a)', async () => {
    const tail = words('t', 3_200);
    harness = await EngineHarness.start([], { aside: [{ when: (request) => !isTurn(request), reply: message(words('s', 4_000)) }, { when: isTurn, ...tooLong(7_900 + 1_500, 8_000) }] });
    const session = await harness.open(window(8_000, 1_000));
    const messages = await runTurn(session, `work on this: ${tail}`);
    const result = resultOf(messages);
    assert.equal(result.subtype, 'error_during_execution');
    assert.match(result.errors[0]!, /does not fit the model’s context window \(9400 tokens, the model takes 8000\).*Everything is saved.*Start a new session, rewind/);
    assert.ok(harness.server.requests.length <= 3, `${harness.server.requests.length} requests`);
    assertNeverTheSameAgain();
  });

  it('gives up a summary that gains nothing, after two of them for good (O30 a)', async () => {
    let answers = 0;
    harness = await EngineHarness.start([], {
      aside: [
        { when: (request) => !isTurn(request), reply: () => message(words('s', 6_000)) },
        { when: isTurn, reply: () => message(`answer ${answers++}: ${words('w', 900)}`) },
      ],
    });
    const session = await harness.open(window(16_000, 1_000));
    const notices: string[] = [];
    for (let index = 0; index < 12; index++) notices.push(...noticesIn(await runTurn(session, `question ${index}`)));
    assert.equal(harness.server.requests.filter((request) => !isTurn(request.body)).length, 2);
    assert.match(notices[0]!, /the summary would not have made it smaller\. It goes on in full\.$/);
    assert.match(notices[1]!, /no longer summarised by itself/);
    assert.equal(notices.length, 2);
    assert.equal(session.messages.some((each) => each.type === 'system'), false);
    harness.server.assertClean();
  });

  it('ends although the model asks for too much again and again', async () => {
    harness = await EngineHarness.start();
    const session = await harness.open({ model: 'claude-haiku-4-5' });
    for (let index = 0; index < 10; index++) {
      harness.server.push(turn({ reply: message([toolUse('Bash', { command: `seq -s ' word' 1 4000; echo ${index}` })], small) }), fault.status(413, { message: 'Request exceeds the maximum size' }));
    }
    const result = resultOf(await runTurn(session, 'go'));
    assert.equal(result.subtype, 'error_during_execution');
    assert.match(result.errors[0]!, /does not fit/);
    assert.ok(harness.server.requests.length <= 14, `${harness.server.requests.length} requests`);
    assertNeverTheSameAgain();
    harness.server.assertClean({ allowUnused: true });
  });

  it('is compacted before it is sent when the user switches to a model with a smaller window (M1)', async () => {
    harness = await EngineHarness.start([], { windowTokens: 1_000_000 });
    const limits = (model: string) => (model === 'claude-haiku-4-5' ? { contextWindow: 20_000, maxOutput: 2_000 } : undefined);
    const session = await harness.open({ model: 'claude-sonnet-5-5', modelLimits: limits });
    for (let index = 0; index < 20; index++) {
      harness.server.push(turn({ reply: message(`answer ${index} ${words('w', 1_000)}`) }));
      await runTurn(session, `question ${index}`);
    }
    session.setModel('claude-haiku-4-5');
    harness.server.push({ when: (request) => !isTurn(request), reply: message('what was said'), times: 20 }, { when: isTurn, reply: message('small now') });
    const messages = await runTurn(session, 'go on, smaller one');
    assert.equal(resultOf(messages).result, 'small now');
    for (const request of harness.server.requests.slice(20)) assert.ok(request.raw.length / 4 < 20_000, `${request.raw.length} bytes to the small model`);
    assert.match(lastWords(harness.server.requests.at(-1)!.body), /go on, smaller one/);
    assert.equal(boundariesIn(messages).length <= 1, true);
    harness.server.assertClean({ allowUnused: true });
  });
});
