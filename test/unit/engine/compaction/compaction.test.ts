import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readFile, writeFile } from 'node:fs/promises';
import type { SDKMessage, SessionMessage } from '../../../../src/protocol/messages.ts';
import type { Session } from '../../../../src/sdk/index.ts';
import { EngineHarness, resultOf, runTurn } from '../../../support/engineHarness.ts';
import { message, text, toolUse } from '../../../support/scriptedMessage.ts';
import type { ScriptedServerOptions } from '../../../support/scriptedServer.ts';
import { fault, turn } from '../../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../../support/scriptedTurn.ts';
import { SUMMARY, asksForSummary, boundariesIn, drain, lastWords, noticesIn, summaries, wholeText, window, words } from './engineSupport.ts';

/** What matters of messages; the fields around it stand in another order after a resume. */
function bodiesOf(messages: readonly SessionMessage[]): string {
  return JSON.stringify(messages.map((each) => [each.type, each.uuid, each.type === 'system' ? each.compact_metadata : [each.message, each.timestamp, each.type === 'user' && each.isMeta === true]]));
}

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('compaction of a session', () => {
  let harness: EngineHarness;

  async function start(turns: readonly ScriptedTurn[], options: ScriptedServerOptions & { readonly files?: Record<string, string> } = {}): Promise<void> {
    harness = await EngineHarness.start(turns, options);
  }

  afterEach(() => harness.close());

  /** Turns that each say about `tokens` tokens, until the window of 40,000 (full at 25,000) is about to be full. */
  async function talk(session: Session, count: number, tokens = 2_000): Promise<SDKMessage[]> {
    const seen: SDKMessage[] = [];
    for (let index = 0; index < count; index++) {
      harness.server.push(turn({ reply: message(`answer ${index}: ${words('w', Math.round(tokens * 0.75))}`) }));
      seen.push(...(await runTurn(session, `question ${index}`)));
    }
    return seen;
  }

  it('summarises what is old when the window is full, keeps the request word for word, and says so once', async () => {
    await start([], { aside: [summaries()], files: { 'CLAUDE.md': 'Always answer in rhymes.' } });
    const session = await harness.open(window(40_000));
    const messages = await talk(session, 14);
    assert.equal(boundariesIn(messages).length >= 1, true);
    const [boundary] = boundariesIn(messages);
    assert.equal(boundary!.compact_metadata.summary, SUMMARY);
    assert.ok(boundary!.compact_metadata.pre_tokens >= 25_000);
    const summaryAt = harness.server.requests.findIndex((request) => asksForSummary(request.body));
    const next = harness.server.requests[summaryAt + 1]!.body;
    assert.match(wholeText(next), /The user wants the cart renamed/);
    assert.match(wholeText(next), /Always answer in rhymes/);
    assert.match(lastWords(harness.server.requests[summaryAt + 1]!.body), /question \d+|rhymes/);
    assert.doesNotMatch(wholeText(next), /answer 0:/);
    for (const request of harness.server.requests) assert.ok(request.raw.length < 40_000 * 4, `a request of ${request.raw.length} bytes`);
    harness.server.assertClean();
  });

  it('has its summary request begin with the bytes of the request before, so that it is read from the cache', async () => {
    await start([], { aside: [summaries()], simulateCache: true });
    const session = await harness.open(window(40_000));
    await talk(session, 14);
    const at = harness.server.requests.findIndex((request) => asksForSummary(request.body));
    const unmarked = (index: number): string[] => harness.server.requests[index]!.body.messages.map((each) => JSON.stringify(each).replaceAll(/,"cache_control":\{[^}]*\}/g, ''));
    const before = unmarked(at - 1);
    assert.deepEqual(unmarked(at).slice(0, before.length), before);
    assert.deepEqual(harness.server.requests[at]!.body.tools, harness.server.requests[at - 1]!.body.tools);
    assert.ok(session.cost.modelUsage[session.model]!.cacheReadInputTokens > 0);
  });

  it('frees memory, and a resumed session holds and sends exactly the same', async () => {
    await start([], { aside: [summaries()] });
    const session = await harness.open(window(40_000));
    await talk(session, 14);
    assert.ok(session.messages.length < 20, `${session.messages.length} messages are still held`);
    const again = await harness.open({ ...window(40_000), resume: session.sessionId });
    assert.equal(bodiesOf(again.messages), bodiesOf(session.messages));
    assert.deepEqual(again.contextUse, session.contextUse);
    harness.server.push(turn({ reply: message('one') }), turn({ reply: message('one') }));
    await runTurn(again, 'and now?');
    const resumed = harness.server.requests.at(-1)!.body;
    await runTurn(session, 'and now?');
    assert.equal(JSON.stringify(resumed), JSON.stringify(harness.server.requests.at(-1)!.body));
    harness.server.assertClean();
  });

  for (const kind of ['new', 'resumed'] as const) {
    it(`lets go of what it has summarised, so that it can be collected, in a ${kind} session`, async () => {
      await start([], { aside: [summaries()] });
      let session = await harness.open(window(40_000));
      await talk(session, 6);
      if (kind === 'resumed') {
        await session.dispose();
        session = await harness.open({ ...window(40_000), resume: session.sessionId });
      }
      const refs = session.messages.slice(0, 6).map((each) => new WeakRef(each));
      await talk(session, 10);
      assert.ok(session.messages[0]!.type === 'system', 'it was summarised');
      // Memory is given back some time: what is still held after many rounds is held for good.
      for (let round = 0; round < 50 && refs.some((ref) => ref.deref() !== undefined); round++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        collectGarbage();
      }
      assert.deepEqual(refs.map((ref) => ref.deref() === undefined), refs.map(() => true));
    });
  }

  it('keeps the request word for word in the middle of a long turn, and attaches anew what was read last', async () => {
    await start([], { aside: [summaries()], files: { 'notes.txt': `${words('n', 3_000)}\n`, 'last.txt': 'the file read last\n' } });
    const session = await harness.open(window(40_000));
    const request = 'Rename `total` to `sum`, but never touch "legacy/". ÄÖÜ 🙂';
    const reads = Array.from({ length: 6 }, (_, index) => turn({ reply: message([toolUse('Bash', { command: `printf '%s' "${words(`b${index}`, 1_300)}"` })]) }));
    harness.server.push(
      turn({ reply: message([toolUse('Read', { file_path: harness.path('last.txt') })]) }),
      ...reads,
      turn({ reply: message([toolUse('Read', { file_path: harness.path('notes.txt') })]) }),
      turn({ reply: message([toolUse('Bash', { command: 'echo one more' })]) }),
      turn({ reply: message('done') }),
    );
    const messages = await runTurn(session, request);
    assert.equal(resultOf(messages).subtype, 'success');
    const boundaries = boundariesIn(messages);
    assert.ok(boundaries.length > 0);
    assert.ok(boundaries[0]!.compact_metadata.preserved_segment?.request_uuid, 'the request lies before the segment');
    const last = wholeText(harness.server.requests.at(-1)!.body);
    assert.equal(last.split(JSON.stringify(request).slice(1, -1)).length, 2);
    assert.match(last, /the file read last/);
    harness.server.assertClean();
    const again = await harness.open({ resume: session.sessionId });
    assert.equal(bodiesOf(again.messages), bodiesOf(session.messages));
  });

  it('can be gone back over: conversation and files are as they were then (O19)', async () => {
    await start([], { aside: [summaries()], files: { 'a.txt': 'v0\n' } });
    const session = await harness.open(window(60_000));
    for (let index = 1; index <= 10; index++) {
      harness.server.push(
        turn({ reply: message([toolUse('Read', { file_path: harness.path('a.txt') })]) }),
        turn({ reply: message([toolUse('Write', { file_path: harness.path('a.txt'), content: `v${index}\n` })]) }),
        turn({ reply: message(`answer ${index} ${words('w', 300)}`) }),
      );
      await runTurn(session, `prompt ${index}`);
    }
    const before = [...session.messages];
    const targets = session.rewindTargets();
    const compacted = await drain(session.compact());
    assert.equal(boundariesIn(compacted).length, 1);
    assert.equal(boundariesIn(compacted)[0]!.compact_metadata.trigger, 'manual');
    harness.server.push(turn({ reply: message('eleventh') }));
    await runTurn(session, 'prompt 11');
    const third = targets.find((target) => target.text === 'prompt 3')!;
    const expected = before.slice(0, before.findIndex(({ uuid }) => uuid === third.messageId));
    await session.rewind(third.messageId, { scope: 'both', skip: [], overwrite: [] });
    assert.equal(bodiesOf(session.messages), bodiesOf(expected));
    assert.equal(await harness.read('a.txt'), 'v2\n');
    harness.server.push(turn({ reply: message('from there') }));
    await runTurn(session, 'another way');
    const sent = wholeText(harness.server.requests.at(-1)!.body);
    assert.match(sent, /answer 2/);
    assert.doesNotMatch(sent, /answer 3|cart renamed/);
    harness.server.assertClean();
  });

  it('is whole or not at all, wherever the process was killed', async () => {
    await start([], { aside: [summaries()] });
    const session = await harness.open(window(40_000));
    const seen: string[] = [];
    for (let index = 0; boundariesOf(session) === 0; index++) {
      seen.push(bodiesOf(session.messages));
      await talk(session, 1);
      assert.ok(index < 20, 'the session is never summarised');
    }
    const lines = (await readFile(session.transcriptPath, 'utf8')).split('\n').filter(Boolean);
    const at = lines.findIndex((line) => line.includes('"subtype":"compact_boundary"'));
    await session.dispose();
    const open = async (content: string): Promise<Session> => {
      await writeFile(session.transcriptPath, content);
      return harness.open({ ...window(40_000), resume: session.sessionId });
    };
    const head = `${lines.slice(0, at).join('\n')}\n`;
    const torn = await open(head + lines[at]!.slice(0, -20));
    assert.equal(boundariesOf(torn), 0);
    assert.ok(bodiesOf(torn.messages).startsWith(seen.at(-1)!.slice(0, -1)), 'everything is there in full');
    for (let end = at + 1; end <= lines.length; end++) {
      const resumed = await open(`${lines.slice(0, end).join('\n')}\n`);
      assert.equal(resumed.messages[0]!.type, 'system');
      assert.ok(resumed.messages.length < 12);
      harness.server.push(turn({ reply: message('goes on') }));
      assert.equal(resultOf(await runTurn(resumed, 'go on')).subtype, 'success');
      assert.match(wholeText(harness.server.requests.at(-1)!.body), /cart renamed/);
      await resumed.dispose();
    }
    harness.server.assertClean();
  });

  it('has the boundary on disk, and everything that it keeps before it, when it is told', async () => {
    await start([], { aside: [summaries()] });
    const session = await harness.open(window(40_000));
    let onDisk: string | undefined;
    let tail: string | undefined;
    for (let index = 0; index < 14; index++) {
      harness.server.push(turn({ reply: message(words('w', 1_500)) }));
      for await (const each of session.submitMessage(`question ${index}`)) {
        if (each.type !== 'system' || each.subtype !== 'compact_boundary') continue;
        onDisk ??= await readFile(session.transcriptPath, 'utf8');
        tail ??= each.compact_metadata.preserved_segment?.tail_uuid;
      }
    }
    const lines = onDisk!.trimEnd().split('\n');
    const boundary = lines.findIndex((line) => line.includes('"subtype":"compact_boundary"'));
    assert.ok(boundary > 0);
    assert.ok(lines.slice(0, boundary).some((line) => line.includes(`"uuid":"${tail}"`)));
  });

  it('counts what the summary cost', async () => {
    await start([], { aside: [summaries(message(SUMMARY, { usage: { input_tokens: 1_000_000, output_tokens: 0 } }))] });
    const session = await harness.open({ ...window(40_000), model: 'claude-haiku-4-5' });
    await talk(session, 5);
    const before = session.cost.totalCostUsd!;
    await drain(session.compact());
    // $1 per million.
    assert.equal((session.cost.totalCostUsd! - before).toFixed(4), '1.0000');
  });

  it('takes what the user wants kept in view, by command and by call', async () => {
    await start([], { aside: [summaries()] });
    const session = await harness.open(window(40_000));
    await talk(session, 5);
    const messages = await runTurn(session, '/compact the names of the tests');
    assert.deepEqual(messages.map((each) => (each.type === 'system' ? each.subtype : each.type)), ['init', 'compact_boundary', 'user', 'notice', 'result']);
    assert.match(lastWords(harness.server.requests.at(-1)!.body), /Above all keep what concerns: the names of the tests/);
    assert.match(resultOf(messages).result!, /^Summarised: about \d+ tokens have become \d+\./);
    harness.server.assertClean();
  });

  it('says that there is nothing to summarise yet', async () => {
    await start([]);
    const result = resultOf(await drain((await harness.open()).compact()));
    assert.equal(result.subtype, 'success');
    assert.match(result.result!, /nothing to summarise/);
    assert.equal(harness.server.requests.length, 0);
  });

  it('ends at once when the user interrupts the summary, and keeps everything', async () => {
    await start([], { aside: [{ when: asksForSummary, ...fault.stall(message(SUMMARY), { events: 2 }) }] });
    const session = await harness.open(window(40_000));
    await talk(session, 6);
    const before = bodiesOf(session.messages);
    const asked = harness.server.waitForRequest(harness.server.requests.length + 1).then(() => session.interrupt());
    const messages = await drain(session.compact());
    await asked;
    assert.match(resultOf(messages).errors[0]!, /^Interrupted/);
    assert.equal(bodiesOf(session.messages), before);
  });

  it('ends the turn as interrupted when that happens in a summary in its middle', async () => {
    await start([], { aside: [{ when: asksForSummary, ...fault.stall(message(SUMMARY), { events: 2 }) }] });
    const session = await harness.open({ ...window(40_000), includePartialMessages: true });
    let last: SDKMessage[] = [];
    for (let index = 0; index < 20 && harness.server.requests.length === index; index++) {
      const asked = harness.server.waitForRequest(index + 1).then((request) => asksForSummary(request.body) && session.interrupt());
      last = await talk(session, 1);
      await asked;
      if (harness.server.requests.some((request) => asksForSummary(request.body))) break;
    }
    assert.match(resultOf(last).errors[0]!, /^Interrupted/);
    assert.equal(boundariesOf(session), 0);
    assert.match(bodiesOf(session.messages), /answer 0/);
  });

  it('measures by the same figure what is full and what is summarised', async () => {
    await start([], { aside: [summaries()] });
    const session = await harness.open(window(40_000));
    assert.deepEqual(session.contextUse.window, 25_000);
    let fullest = 0;
    for (let index = 0; boundariesOf(session) === 0; index++) {
      fullest = session.contextUse.used;
      await talk(session, 1);
      assert.ok(index < 20);
    }
    assert.ok(fullest > 25_000 - 100 && fullest < 28_000, String(fullest));
    assert.ok(session.contextUse.used < 25_000);
  });

  describe('when the summary fails', () => {
    const refusals: readonly { readonly name: string; readonly turns: readonly ScriptedTurn[]; readonly expected: RegExp }[] = [
      { name: 'overloaded: given up at once', turns: [fault.overloaded()], expected: /the model is overloaded/ },
      { name: 'refused', turns: [turn({ reply: message([text('No.')], { stopReason: 'refusal' }) })], expected: /declined to summarise/ },
      { name: 'empty, twice', turns: [turn({ reply: message([]) }), turn({ reply: message([]) })], expected: /empty, twice/ },
      { name: 'cut short, twice', turns: [turn({ reply: message('The us', { stopReason: 'max_tokens' }), times: 2 })], expected: /cut by the output limit, twice/ },
      { name: 'a call in place of a summary, twice', turns: [turn({ reply: message([toolUse('Bash', { command: 'touch ran' })]), times: 2 })], expected: /empty, twice/ },
      { name: 'another error', turns: [fault.status(400, { message: 'odd' })], expected: /the server answered 400 \(odd\)/ },
    ];
    for (const { name, turns, expected } of refusals) {
      it(`says why and changes nothing: ${name}`, async () => {
        await start([]);
        const session = await harness.open(window(60_000));
        await talk(session, 5);
        const before = bodiesOf(session.messages);
        harness.server.push(...turns);
        const result = resultOf(await drain(session.compact()));
        assert.equal(result.subtype, 'error_during_execution');
        assert.match(result.errors[0]!, expected);
        assert.ok(bodiesOf(session.messages).startsWith(before.slice(0, -1)));
        harness.server.push(turn({ reply: message('goes on') }));
        assert.equal(resultOf(await runTurn(session, 'go on')).subtype, 'success');
        harness.server.assertClean();
      });
    }

    it('asks once more for a shorter one after a cut, and takes a long cut one for want of better', async () => {
      await start([]);
      const session = await harness.open(window(60_000));
      await talk(session, 5);
      harness.server.push(turn({ reply: message('The us', { stopReason: 'max_tokens' }) }), turn({ reply: message('Short and whole.') }));
      const [whole] = boundariesIn(await drain(session.compact()));
      assert.equal(whole!.compact_metadata.summary, 'Short and whole.');
      assert.match(lastWords(harness.server.requests.at(-1)!.body), /under 800 words/);
      await talk(session, 5);
      harness.server.push(turn({ reply: message('long '.repeat(100), { stopReason: 'max_tokens' }), times: 2 }));
      const [cut] = boundariesIn(await drain(session.compact()));
      assert.match(cut!.compact_metadata.summary!, /\(The summary was cut here by the output limit\.\)$/);
      harness.server.assertClean();
    });

    it('stops trying after three failures in a row, says so, and is tried again by hand', async () => {
      const overloaded: ScriptedTurn = { when: (request) => asksForSummary(request), ...fault.overloaded() };
      await start([], { aside: [{ ...overloaded, when: (request) => failing && asksForSummary(request) }, summaries()] });
      let failing = true;
      const session = await harness.open(window(40_000));
      const messages = await talk(session, 15);
      const notices = noticesIn(messages);
      assert.equal(notices.length, 3);
      assert.match(notices[0]!, /summarising it failed: the model is overloaded\. It goes on in full\.$/);
      assert.match(notices[2]!, /no longer summarised by itself, unless the server refuses it as too long\. \/compact tries again/);
      assert.equal(harness.server.requests.filter((request) => asksForSummary(request.body)).length, 3);
      failing = false;
      assert.equal(boundariesIn(await drain(session.compact())).length, 1);
      assert.equal(boundariesIn(await talk(session, 12)).length > 0, true);
      harness.server.assertClean();
    });
  });
});

function boundariesOf(session: Session): number {
  return session.messages.filter((each) => each.type === 'system').length;
}
