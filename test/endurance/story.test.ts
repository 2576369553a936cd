import assert from 'node:assert/strict';
import { systemClock } from '../../src/base/abort.ts';
import type { Clock } from '../../src/base/abort.ts';
import { LEFT_OUT_RESULT } from '../../src/engine/compaction/microcompact.ts';
import type { SDKMessage, SessionMessage } from '../../src/protocol/messages.ts';
import { EngineHarness, resultOf, runTurn } from '../support/engineHarness.ts';
import { blocksOf } from '../support/apiTypes.ts';
import type { MessagesRequest } from '../support/apiTypes.ts';
import { message, text, toolUse } from '../support/scriptedMessage.ts';
import type { ScriptedMessage } from '../support/scriptedMessage.ts';
import { fault } from '../support/scriptedTurn.ts';
import { asksForPart, asksForSummary, boundariesIn, noticesIn, wholeText, words } from '../unit/engine/compaction/engineSupport.ts';

/** Tokens of the model's window, as the server counts them. */
const windowTokens = 24_000;
const smallWindow = 15_000;
const turns = 400;

const isTurn = (request: MessagesRequest): boolean => !asksForSummary(request) && !asksForPart(request);
const isLong = (request: MessagesRequest): boolean => JSON.stringify(request).length > windowTokens * 1.6;
const promptOf = (index: number): string => `turn ${index}: ${['explain it', 'run it', 'read the large file', 'search for what is not there', 'read the small file', 'do it, I will refuse'][index % 6]} — "${index}" ÄÖÜ 🙂`;

/** Ends each turn after at most one call; which one, the prompt says. */
function answer(harness: EngineHarness, request: MessagesRequest): ScriptedMessage {
  const last = blocksOf(request.messages.at(-1)!);
  if (last.some((block) => block.type === 'tool_result')) return message(`done, ${words('d', 60)}`);
  const index = Number(/turn (\d+):/.exec(last.map((block) => String(block['text'] ?? '')).join('\n'))?.[1] ?? 0);
  switch (index % 6) {
    case 1:
      return message([text('Running.'), toolUse('Bash', { command: `seq -s ' out' 1 ${200 + (index % 7) * 60}` })]);
    case 2:
      return message([toolUse('Read', { file_path: harness.path('large.txt') })]);
    case 3:
      return message([toolUse('Grep', { pattern: `nowhere-${index}` })]);
    case 4:
      return message([toolUse('Read', { file_path: harness.path('small.txt') })]);
    case 5:
      return message([toolUse('Bash', { command: 'rm -r refused' })]);
    default:
      return message(`explained ${index}: ${words('e', 150 + (index % 11) * 40)}`);
  }
}

describe('a session of 400 turns in a small window', function () {
  this.timeout(240_000);
  let harness: EngineHarness;
  let ahead = 0;
  const clock: Clock = { now: () => systemClock.now() + ahead, setTimeout: systemClock.setTimeout };
  /** Set where the story wants the next request for a summary, or the next turn, to fail. */
  let overloaded = false;
  let refuse = false;
  let summaryTooLong = false;

  afterEach(() => harness.close());

  it('stays valid, bounded and true to the request through all stages, and nothing of it is lost', async () => {
    harness = await EngineHarness.start([], {
      windowTokens,
      files: { 'large.txt': Array.from({ length: 1_900 }, (_, index) => `${index} ${words('l', 14)}`).join('\n'), 'small.txt': `${words('s', 300)}\n`, 'CLAUDE.md': 'Project rule: answer in rhymes.' },
      aside: [
        { when: (request) => overloaded && !isTurn(request), ...fault.overloaded() },
        { when: (request) => refuse && isTurn(request) && isLong(request) && !(refuse = false), ...fault.status(400, { message: `prompt is too long: ${windowTokens + 900} tokens > ${windowTokens} maximum` }) },
        { when: (request) => summaryTooLong && asksForSummary(request) && !(summaryTooLong = false), ...fault.status(413, { message: 'Request exceeds the maximum size' }) },
        { when: asksForPart, reply: () => message(`A part, in short. ${words('p', 40)}`) },
        { when: asksForSummary, reply: () => message(`In short. ${words('k', 80)}`) },
        { when: () => true, reply: (request) => answer(harness, request) },
      ],
    });
    harness.answer = ({ input }) => (String(input['command']).startsWith('rm ') ? { behavior: 'deny' } : { behavior: 'allow' });
    const modelLimits = (model: string) => ({ contextWindow: model === 'claude-haiku-4-5' ? smallWindow : windowTokens, maxOutput: 1_500 });
    const options = { clock, modelLimits, model: 'claude-sonnet-5' };
    const session = await harness.open(options);
    const seen: SDKMessage[] = [];
    let beforeTurn6: readonly SessionMessage[] = [];
    let mostHeld = 0;
    for (let index = 0; index < turns; index++) {
      if (index % 37 === 36) ahead += 6 * 60_000;
      if (index === 100 || index === 250) refuse = true;
      overloaded = index >= 180 && noticesIn(seen).filter((notice) => notice.includes('the model is overloaded')).length < 2;
      if (index === 290) summaryTooLong = true;
      if (index === 300) session.setModel('claude-haiku-4-5');
      if (index === 320) session.setModel('claude-sonnet-5');
      if (index === 6) beforeTurn6 = [...session.messages];
      const first = harness.server.requests.length;
      const messages = await runTurn(session, promptOf(index));
      assert.equal(resultOf(messages).subtype, 'success', `turn ${index}: ${resultOf(messages).errors.join(' ')}`);
      for (const { body, refusal } of harness.server.requests.slice(first)) {
        assert.equal(refusal, undefined, `turn ${index} sent what the server refuses: ${refusal?.message}`);
        if (!asksForPart(body)) assert.equal(wholeText(body).split(JSON.stringify(promptOf(index)).slice(1, -1)).length, 2, `turn ${index}: the request does not stand in it word for word`);
        if (isTurn(body)) assert.match(wholeText(body), /Project rule: answer in rhymes/);
      }
      mostHeld = Math.max(mostHeld, session.messages.length);
      seen.push(...messages);
    }
    harness.server.assertClean();

    // Every stage had its part.
    const sent = harness.server.requests.map((request) => request.raw);
    assert.ok(sent.some((raw) => raw.includes('too many to be shown at once')), 'no result went to a file');
    assert.ok(sent.some((raw) => raw.includes(LEFT_OUT_RESULT)), 'no old result was left out');
    assert.ok(harness.server.requests.some(({ body }) => asksForPart(body)), 'nothing was summarised in parts');
    assert.ok(boundariesIn(seen).length >= 10, `${boundariesIn(seen).length} compactions`);
    assert.ok(noticesIn(seen).some((notice) => notice.includes('the model is overloaded')), 'no summary failed');
    assert.ok(noticesIn(seen).some((notice) => notice.includes('left out of what the model sees')), 'nothing was left out after the refusal');
    assert.ok(mostHeld < 250, `${mostHeld} messages were held at once`);

    // Everything that was said is on disk.
    const transcript = JSON.stringify(await harness.transcript(session));
    for (let index = 0; index < turns; index++) assert.ok(transcript.includes(`turn ${index}: `), `turn ${index} is lost`);

    // A resumed session is the same.
    const again = await harness.open({ ...options, resume: session.sessionId });
    assert.deepEqual(again.messages.map((each) => each.uuid), session.messages.map((each) => each.uuid));
    const next = harness.server.requests.length;
    assert.equal(resultOf(await runTurn(again, promptOf(turns))).subtype, 'success');
    const after = harness.server.requests.length;
    await again.dispose();
    await runTurn(session, promptOf(turns));
    assert.equal(harness.server.requests[after]!.raw, harness.server.requests[next]!.raw);

    // And one can go back to before all of it.
    const sixth = session.rewindTargets().find((target) => target.text === promptOf(6))!;
    await session.rewind(sixth.messageId, { scope: 'both', skip: [], overwrite: [] });
    assert.deepEqual(session.messages.map((each) => each.uuid), beforeTurn6.map((each) => each.uuid));
    assert.equal(resultOf(await runTurn(session, promptOf(0))).subtype, 'success');
    harness.server.assertClean();
  });
});
