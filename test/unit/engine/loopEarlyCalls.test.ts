import assert from 'node:assert/strict';
import * as z from 'zod';
import { deferred } from '../../../src/base/deferred.ts';
import type { Deferred } from '../../../src/base/deferred.ts';
import { systemClock } from '../../../src/base/abort.ts';
import { silentLog } from '../../../src/base/log.ts';
import { EarlyCalls } from '../../../src/engine/earlyCalls.ts';
import { runTools } from '../../../src/engine/runTools.ts';
import type { ToolRunner } from '../../../src/engine/toolCall.ts';
import { ReadFileState } from '../../../src/engine/tools/readFileState.ts';
import { defineTool } from '../../../src/engine/tools/tool.ts';
import type { Tool } from '../../../src/engine/tools/tool.ts';
import type { ToolUseBlock } from '../../../src/protocol/contentBlocks.ts';
import type { SDKMessage } from '../../../src/protocol/messages.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../support/engineHarness.ts';
import { message, text, toolUse } from '../../support/scriptedMessage.ts';
import { fault, turn } from '../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';

const input = z.object({ n: z.number() });

/** Tools that wait to be let go, and remember what happened when. */
class Workshop {
  readonly log: string[] = [];
  readonly gates = new Map<number, Deferred<void>>();
  readonly controller = new AbortController();
  readonly readFileState = new ReadFileState();
  atWork = 0;
  mostAtWork = 0;
  asked = 0;

  runner(outside: readonly string[] = []): ToolRunner {
    const tool = (name: string, access: Tool['access'], concurrencySafe: boolean): Tool =>
      defineTool({
        name,
        description: name,
        input: () => input,
        access,
        concurrencySafe,
        plan: async ({ n }) => ({ title: String(n), paths: [outside.includes(name) ? '/elsewhere/file' : '/work/file'], state: undefined }),
        run: (call, context) => this.#work(name, call.input.n, context.signal, context.readFileState),
      });
    const tools = [tool('Look', 'read', true), tool('Change', 'execute', false), tool('Peek', 'read', true)];
    const files = { realpath: async (path: string) => path } as ToolRunner['context']['files'];
    return {
      sessionId: 's',
      tools,
      context: { cwd: '/work', roots: ['/work'], files, readFileState: this.readFileState } as unknown as ToolRunner['context'],
      permissionMode: () => 'default',
      permissionFacts: { dataRoot: '/data', trusted: true },
      canUseTool: async () => ((this.asked += 1), { behavior: 'allow' }),
      clock: systemClock,
      log: silentLog,
      signal: this.controller.signal,
      onDecision: () => {},
      onRemembered: () => {},
      onDenied: () => {},
      onDuration: () => {},
    };
  }

  async *#work(name: string, n: number, signal: AbortSignal, seen: ReadFileState) {
    this.log.push(`${name} ${n} begins`);
    this.mostAtWork = Math.max(this.mostAtWork, (this.atWork += 1));
    yield { kind: 'status', text: `${n} at work` } as const;
    const gate = this.gates.get(n);
    await (gate && Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))]));
    this.atWork -= 1;
    seen.record(`/work/${n}`, { hash: 'h', onDisk: undefined, verifiedAtMs: 0, whole: true });
    this.log.push(`${name} ${n} ${signal.aborted ? 'is stopped' : 'ends'}`);
    return { content: `${name} ${n} done` };
  }
}

const call = (name: string, n: number): ToolUseBlock => ({ type: 'tool_use', id: `t${n}`, name, input: { n } });
const soon = () => new Promise((resolve) => setImmediate(resolve));

async function results(run: AsyncGenerator<SDKMessage, void, void>): Promise<string[]> {
  const found: string[] = [];
  for await (const each of run) {
    if (each.type === 'user') found.push(...(each.message.content as unknown as readonly { content: string }[]).map((block) => block.content));
  }
  return found;
}

describe('calls that start before their message is complete', () => {
  it('starts what only reads, and not what stands behind a change', async () => {
    const workshop = new Workshop();
    const runner = workshop.runner();
    const early = new EarlyCalls(runner);
    const calls = [call('Look', 1), call('Look', 2), call('Change', 3), call('Look', 4)];
    for (const each of calls) early.start(each);
    await soon();
    await soon();
    assert.deepEqual(workshop.log.filter((line) => line.endsWith('begins')), ['Look 1 begins', 'Look 2 begins']);
    assert.deepEqual(await results(runTools(calls, new Map(), runner, early)), ['Look 1 done', 'Look 2 done', 'Change 3 done', 'Look 4 done']);
    assert.equal(workshop.log.filter((line) => line === 'Look 1 begins').length, 1, 'none ran twice');
    assert.ok(workshop.log.indexOf('Look 4 begins') > workshop.log.indexOf('Change 3 ends'));
  });

  it('asks nobody early, but does when the message is complete', async () => {
    const workshop = new Workshop();
    const runner = workshop.runner(['Peek']);
    const early = new EarlyCalls(runner);
    early.start(call('Peek', 1));
    await soon();
    await soon();
    assert.deepEqual([workshop.log, workshop.asked], [[], 0]);
    assert.deepEqual(await results(runTools([call('Peek', 1)], new Map(), runner, early)), ['Peek 1 done']);
    assert.equal(workshop.asked, 1);
  });

  it('starts what the mode allows, and tells of that when it is taken', async () => {
    const workshop = new Workshop();
    const told: unknown[] = [];
    const runner: ToolRunner = { ...workshop.runner(['Look']), permissionMode: () => 'bypassPermissions', onDecision: (_call, decision) => told.push(decision) };
    const early = new EarlyCalls(runner);
    early.start(call('Look', 1));
    await soon();
    await soon();
    assert.deepEqual([workshop.log, told], [['Look 1 begins', 'Look 1 ends'], []]);
    assert.deepEqual(await results(runTools([call('Look', 1)], new Map(), runner, early)), ['Look 1 done']);
    assert.deepEqual([workshop.log.length, told], [2, [{ behavior: 'allow', by: 'mode', rule: undefined }]], 'and not once more');
  });

  it('runs ten at most, and gives results in the order of the calls', async () => {
    const workshop = new Workshop();
    const runner = workshop.runner();
    const early = new EarlyCalls(runner);
    const calls = Array.from({ length: 25 }, (_, n) => call('Look', n));
    workshop.gates.set(0, deferred());
    for (const each of calls) early.start(each);
    const run = results(runTools(calls, new Map(), runner, early));
    while (!workshop.log.includes('Look 24 ends')) await soon();
    assert.ok(!workshop.log.includes('Look 0 ends'));
    workshop.gates.get(0)!.resolve();
    assert.deepEqual(await run, calls.map((_, n) => `Look ${n} done`));
    assert.equal(workshop.mostAtWork, 10);
  });

  it('drops what a withdrawn attempt did, what it has read included', async () => {
    const workshop = new Workshop();
    const runner = workshop.runner();
    const early = new EarlyCalls(runner);
    workshop.gates.set(1, deferred());
    early.start(call('Look', 1));
    early.start(call('Look', 2));
    while (!workshop.log.includes('Look 2 ends')) await soon();
    early.discard();
    while (!workshop.log.includes('Look 1 is stopped')) await soon();
    assert.equal(workshop.readFileState.size, 0);
    early.start(call('Look', 2));
    assert.deepEqual(await results(runTools([call('Look', 2)], new Map(), runner, early)), ['Look 2 done']);
    assert.deepEqual(workshop.readFileState.list().map(({ path }) => path), ['/work/2']);
  });

  it('has all its room again after an attempt that was withdrawn while calls waited for theirs', async () => {
    const workshop = new Workshop();
    const runner = workshop.runner();
    const early = new EarlyCalls(runner);
    const calls = Array.from({ length: 30 }, (_, n) => call('Look', n));
    for (const each of calls) {
      workshop.gates.set(each.input['n'] as number, deferred());
      early.start(each);
    }
    while (workshop.atWork < 10) await soon();
    early.discard();
    while (workshop.atWork > 0) await soon();
    workshop.gates.clear();
    for (const each of calls) early.start(each);
    assert.equal((await results(runTools(calls, new Map(), runner, early))).length, 30);
    assert.equal(workshop.mostAtWork, 10);
  });

  it('ends although a tool does not heed the interrupt', async () => {
    const shop = new Workshop();
    const stubborn = shop.runner();
    const [look] = stubborn.tools;
    const never: Tool = { ...look!, run: async function* () {
      yield { kind: 'status', text: 'for ever' };
      return new Promise<never>(() => {});
    } };
    const early = new EarlyCalls({ ...stubborn, tools: [never] });
    early.start(call('Look', 1));
    const run = results(runTools([call('Look', 1)], new Map(), { ...stubborn, tools: [never] }, early));
    await soon();
    shop.controller.abort('interrupted');
    assert.match((await run)[0]!, /interrupted/);
  });

  it('ends at once when the turn is interrupted, also for those that had to wait', async () => {
    const workshop = new Workshop();
    const runner = workshop.runner();
    const early = new EarlyCalls(runner);
    const calls = Array.from({ length: 15 }, (_, n) => call('Look', n));
    for (const each of calls) {
      workshop.gates.set(each.input['n'] as number, deferred());
      early.start(each);
    }
    const run = results(runTools(calls, new Map(), runner, early));
    while (workshop.atWork < 10) await soon();
    workshop.controller.abort();
    const found = await run;
    assert.equal(found.length, 15);
    assert.ok(found.slice(10).every((each) => /interrupted/.test(each)));
  });
});

describe('calls and faults of a whole session', () => {
  let harness: EngineHarness;

  async function start(turns: readonly ScriptedTurn[]): Promise<void> {
    harness = await EngineHarness.start(turns, { files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' } });
  }
  afterEach(() => harness.close());

  const reads = () => [text('Looking.'), toolUse('Read', { file_path: harness.path('a.txt') }, { id: 'a' }), toolUse('Read', { file_path: harness.path('b.txt') }, { id: 'b' })];

  it('reads while the message still comes in', async () => {
    // The message is not finished before its first call has looked at its file.
    const looked = deferred();
    await start([turn({ reply: () => message([...reads(), text('And more')]), stallAfter: { events: 17, until: looked.promise } }), turn({ reply: message('ok') })]);
    const unsavedText = (path: string): undefined => void (path.endsWith('a.txt') && looked.resolve());
    await runTurn(await harness.open({ documents: { unsavedText, write: async () => false } }), 'go');
    assert.match(toolResults(harness.server.requests[1]!.body)['a']!, /alpha/);
    harness.server.assertClean();
  });

  it('a read of an attempt that broke does not count as read', async () => {
    await start([
      turn({ reply: () => message([toolUse('Read', { file_path: harness.path('a.txt') }, { id: 'a' }), text('and then')]), cutAfter: { events: 11, how: 'reset' } }),
      turn({ reply: () => message([toolUse('Edit', { file_path: harness.path('a.txt'), old_string: 'alpha', new_string: 'omega' }, { id: 'e' })]) }),
      turn({ reply: message('ok') }),
    ]);
    await runTurn(await harness.open(), 'go');
    assert.match(toolResults(harness.server.requests[2]!.body)['e']!, /[Rr]ead/);
    assert.equal(await harness.read('a.txt'), 'alpha\n');
    harness.server.assertClean();
  });

  for (const [name, place] of [['while the first call comes in', 8], ['between two calls', 11], ['after both', 17]] as const) {
    it(`interrupted ${name}: every call has one result, and the session goes on`, async () => {
      await start([turn({ reply: () => message([...reads(), text('And more')]), stallAfter: { events: place } }), turn({ reply: message('fine') })]);
      const session = await harness.open({ includePartialMessages: true });
      const messages: SDKMessage[] = [];
      let events = 0;
      for await (const each of session.submitMessage('go')) {
        messages.push(each);
        // The ping is no event of the answer.
        if (each.type === 'stream_event' && (events += 1) === place - 1) setImmediate(() => session.interrupt());
      }
      assert.match(resultOf(messages).errors[0]!, /^Interrupted/);
      const again = await harness.open({ resume: session.sessionId });
      assert.equal(resultOf(await runTurn(again, 'and now?')).result, 'fine');
      harness.server.assertClean();
    });
  }

  it('makes the first of two calls with one id, says so, and the turn ends', async () => {
    await start([]);
    for (const tool of ['Read', 'Bash']) {
      const calls = ['1', '2'].map((n) => toolUse(tool, tool === 'Read' ? { file_path: harness.path('a.txt'), limit: Number(n) } : { command: `echo ${n} >> twice.txt` }, { id: 'call_0' }));
      harness.server.push(turn({ reply: message(calls) }), turn({ reply: message('fine') }));
      const messages = await runTurn(await harness.open(), 'go');
      assert.equal(resultOf(messages).result, 'fine');
      assert.equal(messages.filter((each) => each.type === 'user').length, 1);
      assert.match(messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.text] : [])).join(), /1 call of this answer had the id of another/);
    }
    assert.equal(await harness.read('twice.txt'), '1\n');
    harness.server.assertClean();
  });

  it('tells calls apart whose ids start anew in each answer', async () => {
    const read = (name: string) => turn({ reply: () => message([toolUse('Read', { file_path: harness.path(name) }, { id: 'call_0' })]) });
    await start([read('a.txt'), read('b.txt'), read('a.txt'), turn({ reply: message('fine') })]);
    const session = await harness.open();
    assert.equal(resultOf(await runTurn(session, 'go')).result, 'fine');
    const sent = toolResults(harness.server.requests[3]!.body);
    assert.deepEqual(Object.keys(sent), ['call_0', 'call_0_2', 'call_0_3']);
    assert.match(sent['call_0_2']!, /beta/);
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId });
    harness.server.push(turn({ reply: message('still') }));
    await runTurn(again, 'and now?');
    assert.deepEqual(toolResults(harness.server.requests[4]!.body), sent);
    harness.server.assertClean();
  });

  it('ends a turn whose next request would be the last one again', async () => {
    await start([turn({ reply: message([], { stopReason: 'pause_turn' }), times: 5 }), turn({ reply: message('fine') })]);
    const session = await harness.open();
    assert.match(resultOf(await runTurn(session, 'go')).errors[0]!, /nothing that can be sent back/);
    assert.equal(harness.server.requests.length, 1);
  });

  it('says plainly that a path or a command holds a NUL character', async () => {
    await start([turn({ reply: message([toolUse('Read', { file_path: 'a\0b' }, { id: 'n1' }), toolUse('Bash', { command: 'echo \0' }, { id: 'n2' }), toolUse('Grep', { pattern: '\0' }, { id: 'n3' })]) }), turn({ reply: message('fine') })]);
    await runTurn(await harness.open(), 'go');
    const sent = toolResults(harness.server.requests[1]!.body);
    for (const [id, field] of [['n1', 'file_path'], ['n2', 'command'], ['n3', 'pattern']] as const) assert.match(sent[id]!, new RegExp(`not valid:\\n- ${field}: holds a NUL`));
  });

  it('runs changes one by one, in order, and none after an interrupt', async () => {
    const commands = [1, 2, 3].map((n) => toolUse('Bash', { command: `echo ${n} >> order.txt${n === 2 ? '; echo now; sleep 30' : ''}` }, { id: `b${n}` }));
    await start([turn({ reply: message(commands) }), turn({ reply: message('fine') })]);
    const session = await harness.open();
    for await (const each of session.submitMessage('go')) if (each.type === 'progress' && each.data.text.includes('now')) session.interrupt();
    assert.equal(await harness.read('order.txt'), '1\n2\n');
    assert.equal(resultOf(await runTurn(session, 'next')).result, 'fine');
    const sent = toolResults(harness.server.requests[1]!.body);
    assert.deepEqual(Object.keys(sent), ['b1', 'b2', 'b3']);
    assert.match(sent['b3']!, /nterrupted/);
    harness.server.assertClean();
  });

  it('goes on after an attempt with calls that was overloaded in the middle: no phantom call is left', async () => {
    await start([
      turn({ reply: () => message(reads()), cutAfter: { events: 12, how: 'end' } }),
      { ...fault.status(529), headers: { 'retry-after-ms': '1' } },
      turn({ reply: message('Hello') }),
    ]);
    const session = await harness.open();
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage('go')) {
      messages.push(each);
      if (each.type === 'system' && each.subtype === 'api_retry') setImmediate(() => session.retryNow());
    }
    assert.equal(resultOf(messages).result, 'Hello');
    assert.deepEqual(session.messages.flatMap((each) => (each.type === 'assistant' ? each.message.content : [])), [{ type: 'text', text: 'Hello' }]);
    harness.server.assertClean();
  });
});
