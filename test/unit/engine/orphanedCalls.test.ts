import assert from 'node:assert/strict';
import { copyFile, rm, stat } from 'node:fs/promises';
import type { SDKMessage } from '../../../src/protocol/messages.ts';
import type { Session } from '../../../src/sdk/index.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../support/engineHarness.ts';
import { message, text, toolUse } from '../../support/scriptedMessage.ts';
import { turn } from '../../support/scriptedTurn.ts';
import { untilFile } from '../../support/untilFile.ts';

describe('A question that was open when the session ended', () => {
  let harness: EngineHarness;
  let crashed: string;

  afterEach(() => harness.close());

  /** Leaves a session whose process ended while the user was being asked about the second of three calls. */
  async function leaveOpen(): Promise<void> {
    harness = await EngineHarness.start(
      [
        turn({
          reply: () =>
            message([
              text('Three things.'),
              toolUse('Read', { file_path: harness.path('a.ts') }, { id: 'r1' }),
              toolUse('Write', { file_path: harness.path('b.ts'), content: 'b\n' }, { id: 'w1' }),
              toolUse('Write', { file_path: harness.path('c.ts'), content: 'c\n' }, { id: 'w2' }),
            ]),
        }),
        turn({ reply: message('Thanks.'), times: 3 }),
      ],
      { files: { 'a.ts': 'a\n' } },
    );
    const session = await harness.open();
    crashed = `${session.transcriptPath}.crashed.jsonl`;
    // What the file holds at that moment is what a killed process leaves behind.
    harness.answer = async () => {
      // The others are asked at the same time.
      if (harness.requests.length > 1) return new Promise(() => {});
      await untilFile(session.transcriptPath, (lines) => lines.includes('"permission-request"'));
      await copyFile(session.transcriptPath, crashed);
      session.interrupt();
      return { behavior: 'deny' };
    };
    await runTurn(session, 'do it');
    await session.dispose();
    await copyFile(crashed, session.transcriptPath);
    harness.requests.length = 0;
    harness.answer = () => ({ behavior: 'allow' });
    crashed = session.sessionId;
  }
  const drain = async (run: AsyncGenerator<SDKMessage>): Promise<SDKMessage[]> => {
    const messages: SDKMessage[] = [];
    for await (const each of run) messages.push(each);
    return messages;
  };
  const resume = (): Promise<Session> => harness.open({ resume: crashed });

  it('is asked once more, with its proposal, and the turn goes on from the answer', async () => {
    await leaveOpen();
    const session = await resume();
    const { look, waiting, ...asked } = session.pendingPermission!;
    assert.deepEqual(asked, { toolName: 'Write', toolUseId: 'w1', input: { file_path: harness.path('b.ts'), content: 'b\n' } });
    assert.deepEqual(waiting.map(({ toolUseId }) => toolUseId), ['w1', 'w2']);
    assert.deepEqual((await look()).map(({ state }) => state), ['new', 'new']);
    const messages = await drain(session.continuePending());
    assert.deepEqual(harness.requests.map((request) => [request.toolUseId, request.proposal?.after]), [['w1', 'b\n'], ['w2', 'c\n']]);
    assert.equal(await harness.read('b.ts'), 'b\n');
    assert.equal(resultOf(messages).result, 'Thanks.');
    const results = toolResults(harness.server.requests[1]!.body);
    assert.deepEqual(Object.keys(results), ['r1', 'w1', 'w2']);
    assert.match(results['r1']!, /1\ta/);
    assert.equal(session.pendingPermission, undefined);
    await assert.rejects(drain(session.continuePending()), /No question is waiting/);
    // What was written belongs to the prompt that asked for it.
    const [target] = session.rewindTargets();
    await session.rewind(target!.messageId, { scope: 'both', skip: [], overwrite: [] });
    await assert.rejects(stat(harness.path('b.ts')));
    harness.server.assertClean();
  });

  it('counts as not decided when the user goes on with something else, and stays so', async () => {
    await leaveOpen();
    const session = await resume();
    await runTurn(session, '/cost');
    assert.ok(session.pendingPermission);
    await runTurn(session, 'never mind');
    const results = toolResults(harness.server.requests[1]!.body);
    assert.match(results['w1']!, /^Not decided/);
    assert.match(results['w2']!, /^Not decided/);
    assert.equal(harness.requests.length, 0);
    await session.dispose();
    const again = await resume();
    assert.equal(again.pendingPermission, undefined);
    await runTurn(again, 'and then');
    assert.match(toolResults(harness.server.requests[2]!.body)['w1']!, /^Not decided/);
    harness.server.assertClean();
  });

  it('can be interrupted again while it is asked', async () => {
    await leaveOpen();
    const session = await resume();
    harness.answer = async () => {
      session.interrupt();
      return new Promise(() => {});
    };
    assert.match(resultOf(await drain(session.continuePending())).errors[0]!, /^Interrupted/);
    assert.equal(resultOf(await runTurn(session, 'next')).result, 'Thanks.');
    harness.server.assertClean();
  });

  it('stays open when the session is closed in an orderly way, but not when the user pressed Esc', async () => {
    harness = await EngineHarness.start([turn({ reply: () => message([toolUse('Write', { file_path: harness.path('b.ts'), content: 'b\n' }, { id: 'w1' })]), times: 2 })]);
    for (const end of ['close', 'esc'] as const) {
      const session = await harness.open();
      let asked: () => void = () => {};
      const isAsked = new Promise<void>((resolve) => (asked = resolve));
      harness.answer = () => {
        asked();
        return new Promise(() => {});
      };
      const running = runTurn(session, 'write');
      await isAsked;
      if (end === 'esc') session.interrupt();
      if (end === 'esc') await running;
      await session.dispose();
      await running;
      const again = await harness.open({ resume: session.sessionId });
      assert.equal(again.pendingPermission?.toolUseId, end === 'close' ? 'w1' : undefined, end);
    }
  });

  it('is not one where a decision stands, or the conversation went on', async () => {
    await leaveOpen();
    const first = await resume();
    assert.ok(first.pendingPermission);
    await first.rewind(first.rewindTargets()[0]!.messageId, { scope: 'conversation', skip: [], overwrite: [] });
    assert.equal(first.pendingPermission, undefined);
  });

  /** Leaves a session whose process ended while the user was being asked about two edits of one file. */
  async function leaveEditsOpen(): Promise<void> {
    const edit = (id: string, from: string, to: string) => toolUse('Edit', { file_path: harness.path('a.ts'), old_string: from, new_string: to }, { id });
    harness = await EngineHarness.start(
      [
        turn({ reply: () => message([toolUse('Read', { file_path: harness.path('a.ts') })]) }),
        turn({ reply: () => message([edit('e1', 'a', 'A'), edit('e2', 'A', 'AA')]) }),
        turn({ reply: message('Thanks.'), times: 2 }),
      ],
      { files: { 'a.ts': 'a\nb\n' } },
    );
    const session = await harness.open();
    harness.answer = async () => {
      if (harness.requests.length > 1) return new Promise(() => {});
      await untilFile(session.transcriptPath, (lines) => lines.split('"permission-request"').length >= 3);
      await copyFile(session.transcriptPath, `${session.transcriptPath}.crashed.jsonl`);
      session.interrupt();
      return { behavior: 'allow' };
    };
    await runTurn(session, 'do it');
    assert.equal(await harness.read('a.ts'), 'a\nb\n');
    await session.dispose();
    await copyFile(`${session.transcriptPath}.crashed.jsonl`, session.transcriptPath);
    harness.requests.length = 0;
    harness.answer = () => ({ behavior: 'allow' });
    crashed = session.sessionId;
  }

  it('about edits comes back with the same proposals where the file is as it was', async () => {
    await leaveEditsOpen();
    const session = await resume();
    const stands = async (): Promise<unknown> => (await session.pendingPermission!.look()).map(({ path, state }) => [path, state]);
    assert.deepEqual(await stands(), [[harness.path('a.ts'), 'current']]);
    await harness.write('a.ts', 'moved on\n');
    assert.deepEqual(await stands(), [[harness.path('a.ts'), 'changed']]);
    await rm(harness.path('a.ts'));
    assert.deepEqual(await stands(), [[harness.path('a.ts'), 'gone']]);
    await harness.write('a.ts', 'a\nb\n');
    await drain(session.continuePending());
    assert.deepEqual(harness.requests.map(({ toolUseId, proposal }) => [toolUseId, proposal?.after]), [['e1', 'A\nb\n'], ['e2', 'AA\nb\n']]);
    assert.equal(await harness.read('a.ts'), 'AA\nb\n');
    harness.server.assertClean();
  });

  it('about edits is out of date where the file has moved on, and is never written over it', async () => {
    await leaveEditsOpen();
    await harness.write('a.ts', 'a\nnewer\n');
    const session = await resume();
    await drain(session.continuePending());
    assert.equal(harness.requests.length, 0);
    assert.equal(await harness.read('a.ts'), 'a\nnewer\n');
    const results = toolResults(harness.server.requests.at(-1)!.body);
    for (const id of ['e1', 'e2']) assert.match(results[id]!, /was changed since you read it/);
    harness.server.assertClean();
  });

  it('about edits of a file that was deleted meanwhile brings it not back', async () => {
    await leaveEditsOpen();
    await rm(harness.path('a.ts'));
    const session = await resume();
    await drain(session.continuePending());
    assert.equal(harness.requests.length, 0);
    await assert.rejects(harness.read('a.ts'), { code: 'ENOENT' });
    const results = toolResults(harness.server.requests.at(-1)!.body);
    for (const id of ['e1', 'e2']) assert.match(results[id]!, /does not exist|was removed|is gone/);
    harness.server.assertClean();
  });
});
