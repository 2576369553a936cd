import assert from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
import { loadTranscript } from '../../../../src/engine/transcript/loadTranscript.ts';
import { CUT_OFF_NOTE } from '../../../../src/engine/transcript/partialEntries.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import type { SDKMessage, SessionMessage } from '../../../../src/protocol/messages.ts';
import type { Session } from '../../../../src/sdk/index.ts';
import { forkSession } from '../../../../src/sdk/index.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, text, thinking, toolUse } from '../../../support/scriptedMessage.ts';
import { untilFile } from '../../../support/untilFile.ts';
import { fault, turn } from '../../../support/scriptedTurn.ts';
import type { ScriptedMessage } from '../../../support/scriptedMessage.ts';

describe('An answer whose process was killed while it streamed', function () {
  this.timeout(20_000);
  let harness: EngineHarness;

  afterEach(() => harness.close());

  /** Runs a turn until its answer falls silent after some events, and leaves in the session's file what it held then, a moment later: what a kill leaves behind. */
  async function crash(reply: ScriptedMessage, events: number, deltaSize = 10): Promise<{ session: Session; seen: SDKMessage[] }> {
    harness = await EngineHarness.start([turn({ reply: message('Hello.') }), turn({ reply, deltaSize, stallAfter: { events } }), turn({ reply: message('Going on.'), times: 3 })]);
    const session = await harness.open({ includePartialMessages: true });
    await runTurn(session, 'Hi');
    const seen: SDKMessage[] = [];
    let streamed = 0;
    for await (const each of session.submitMessage('Tell me')) {
      seen.push(each);
      // The server's ping is not among what is passed on.
      if (each.type !== 'stream_event' || ++streamed !== events - 1) continue;
      await untilFile(session.transcriptPath, (lines) => holdsAll(seen, lines));
      await copyFile(session.transcriptPath, `${session.transcriptPath}.crashed`);
      session.interrupt();
    }
    await session.dispose();
    await copyFile(`${session.transcriptPath}.crashed`, session.transcriptPath);
    return { session, seen };
  }

  it('is there as far as it was shown, and goes on as one that was interrupted', async () => {
    const { session } = await crash(message('One two three four five six.'), 5);
    const again = await harness.open({ resume: session.sessionId });
    assert.match(again.notices[0]!, /cut off.*kept/);
    const [answer, note] = again.messages.slice(-2);
    assert.deepEqual(blocksOf(answer), [{ type: 'text', text: 'One two three four f' }]);
    assert.deepEqual(blocksOf(note), [{ type: 'text', text: CUT_OFF_NOTE }]);
    assert.equal(resultOf(await runTurn(again, 'Go on')).result, 'Going on.');
    await again.dispose();

    // What was said afterwards follows it, and the hint is given once.
    const third = await harness.open({ resume: session.sessionId });
    assert.deepEqual(third.notices, []);
    assert.deepEqual(third.messages.map(({ uuid }) => uuid), again.messages.map(({ uuid }) => uuid));
    const fork = await forkSession({ session: session.sessionId, dataRoot: harness.dataRoot });
    assert.deepEqual(textsOf((await loadTranscript(nodeFileSystem, fork.transcriptPath)).messages), textsOf(third.messages));
    harness.server.assertClean();
  });

  it('keeps what had been completed: calls get the result that nobody knows, messages their ids', async () => {
    const call = toolUse('Bash', { command: 'true' }, { id: 'b1' });
    const { session, seen } = await crash(message([thinking('Hm.'), text('I look.'), call, text('And then more')]), 16);
    const again = await harness.open({ resume: session.sessionId });
    const yielded = seen.flatMap((each) => (each.type === 'assistant' && each.message.content[0]?.type !== undefined ? [each.uuid] : [])).slice(0, 3);
    assert.deepEqual(again.messages.slice(-5, -2).map(({ uuid }) => uuid), yielded);
    assert.deepEqual(again.messages.slice(-5, -1).map((each) => blocksOf(each)[0]?.type), ['thinking', 'text', 'tool_use', 'text']);
    await runTurn(again, 'Go on');
    assert.match(toolResults(harness.server.requests.at(-1)!.body)['b1']!, /^Interrupted/);
    harness.server.assertClean();
  });

  it('is not there twice when it was finished, and not at all when it was taken back', async () => {
    harness = await EngineHarness.start([
      fault.cut(message('Thrown away.'), { events: 3, how: 'reset' }),
      turn({ reply: message('A slow answer.'), deltaSize: 3, paceMs: 60 }),
      turn({ reply: message('Next.') }),
    ]);
    const session = await harness.open({ random: () => 0 });
    await runTurn(session, 'Hi');
    await session.dispose();
    const lines = await harness.transcript(session);
    assert.ok(lines.some((line) => line['type'] === 'partial'));
    const again = await harness.open({ resume: session.sessionId });
    assert.deepEqual([textsOf(again.messages), again.notices], [textsOf(session.messages), []]);
    await runTurn(again, 'More');
    harness.server.assertClean();
  });

  it('costs no more room than twice its text, and nothing when it is quick', async () => {
    const long = 'All of it is said once more, and then again. '.repeat(2_000);
    const { session } = await crash(message(long), 3_000);
    const lines = (await readFile(session.transcriptPath, 'utf8')).split('\n').filter((line) => line.includes('"type":"partial"'));
    const shown = blocksOf((await loadTranscript(nodeFileSystem, session.transcriptPath)).messages.at(-2)).map((block) => String(block['text'])).join('');
    assert.ok(shown.length > 1_000 && long.startsWith(shown));
    assert.ok(lines.join('\n').length < 2 * shown.length + 1_000);
  });

  it('leaves no notes when it was quick', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Quick.') })]);
    const session = await harness.open();
    await runTurn(session, 'Hi');
    await session.dispose();
    assert.equal((await harness.transcript(session)).some((line) => line['type'] === 'partial'), false);
  });
});

/** Whether the notes in a transcript say all that streamed: every character, and every block that is complete. */
function holdsAll(seen: readonly SDKMessage[], lines: string): boolean {
  const notes = lines.split('\n').filter((line) => line.includes('"type":"partial"') && line.endsWith('}')).map((line) => JSON.parse(line) as { text?: string; uuid?: string });
  const shown = seen.flatMap((each) => (each.type === 'stream_event' && each.event.type === 'content_block_delta' ? [String((each.event.delta as { text?: unknown }).text ?? '')] : [])).join('');
  const isNoted = (uuid: string): boolean => notes.some((note) => note.uuid === uuid);
  return notes.map(({ text: noted }) => noted ?? '').join('') === shown && seen.every((each) => each.type !== 'assistant' || isNoted(each.uuid));
}

function blocksOf(each: SessionMessage | undefined): { type: string; [field: string]: unknown }[] {
  const content = each && 'message' in each ? each.message.content : [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map((block) => ({ ...block }));
}

function textsOf(messages: readonly SessionMessage[]): string[] {
  return messages.flatMap((each) => blocksOf(each).map((block) => String(block['text'] ?? block.type)));
}
