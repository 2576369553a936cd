import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INTERRUPTED_RESULT } from '../../../../src/engine/normalizeMessages.ts';
import type { SDKMessage } from '../../../../src/protocol/messages.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, text, toolUse } from '../../../support/scriptedMessage.ts';
import { fault, turn } from '../../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../../support/scriptedTurn.ts';

const task = (subagent_type: string, prompt = 'Find it.', id = 't1') => toolUse('Task', { description: 'Look for it', prompt, subagent_type }, { id });
const usage = { input_tokens: 1_000, output_tokens: 100 };

describe('Task', () => {
  let harness: EngineHarness;
  const start = async (turns: readonly ScriptedTurn[]): Promise<void> => void (harness = await EngineHarness.start(turns, { files: { 'a.txt': 'alpha\n' } }));
  afterEach(() => harness.close());

  const body = (index: number) => harness.server.requests[index]!.body;
  const toolNames = (index: number): string[] => (body(index).tools ?? []).map((tool) => String(tool['name']));

  it('gives the work to a session with a context, tools and a transcript of its own, and hands back its last words', async () => {
    await start([
      turn({ reply: message([text('I let somebody look.'), task('explore', '/clear the way to @a.txt')], { usage }) }),
      turn({ reply: message([toolUse('Read', { file_path: 'a.txt' }, { id: 'r1' })], { usage }) }),
      turn({ reply: message('alpha stands in a.txt:1.', { usage }) }),
      turn({ reply: message('Found.', { usage }) }),
    ]);
    const session = await harness.open({ model: 'claude-haiku-4-5' });
    const messages = await runTurn(session, 'a secret of the session');
    assert.equal(toolResults(body(3))['t1'], 'alpha stands in a.txt:1.');
    assert.doesNotMatch(JSON.stringify(body(1).messages), /secret of the session/);
    assert.match(JSON.stringify(body(1).messages[0]), /<task>\\n\/clear the way to @a\.txt\\n<\/task>/);
    assert.ok(!JSON.stringify(body(1).messages).includes('alpha'), 'a mention in a task is only text');
    const progress = messages.filter((each): each is Extract<SDKMessage, { type: 'progress' }> => each.type === 'progress');
    assert.deepEqual(progress.map(({ tool_use_id, data }) => [tool_use_id, data.text]), [['t1', 'Read a.txt\n']]);
    assert.deepEqual(messages.filter((each) => each.type === 'assistant').length, 3);
    // Four requests at $1 and $5 per million: 4 × (0.001 + 0.0005).
    assert.equal(session.cost.totalCostUsd, 0.006);
    assert.equal(resultOf(messages).usage.input_tokens, 4_000);
    assert.equal(session.messages.some((each) => JSON.stringify(each).includes('r1')), false);
    const folder = session.transcriptPath.replace(/\.jsonl$/, '');
    const [name = ''] = (await readdir(folder)).filter((each) => each.endsWith('.jsonl'));
    assert.match(name, /^agent-\w+\.jsonl$/);
    const lines = (await readFile(join(folder, name), 'utf8')).trim().split('\n').map((line) => JSON.parse(line) as { type: string; sessionId: string });
    assert.deepEqual(lines.filter(({ type }) => type === 'user' || type === 'assistant').at(-1)?.type, 'assistant');
    assert.ok(lines.every(({ sessionId }) => sessionId === session.sessionId));
    harness.server.assertClean();
  });

  it('lets explore look and nothing else, and general-purpose do all but start others', async () => {
    await start([turn({ reply: message([task('explore')]) }), turn({ reply: message('x') }), turn({ reply: message([task('general-purpose')]) }), turn({ reply: message('y') }), turn({ reply: message('done') })]);
    await runTurn(await harness.open({ askUser: async () => undefined }), 'go');
    assert.deepEqual(toolNames(1), ['Read', 'Glob', 'Grep', 'BashOutput', 'WebFetch']);
    assert.deepEqual(toolNames(3), toolNames(0).filter((name) => !['Task', 'ExitPlanMode', 'AskUser'].includes(name)));
    assert.ok(toolNames(0).includes('Task'));
    harness.server.assertClean();
  });

  it('asks the user in the name of the sub-agent, and its changes go back with the session’s message', async () => {
    await start([
      turn({ reply: message([task('general-purpose')]) }),
      turn({ reply: message([toolUse('Read', { file_path: 'a.txt' })]) }),
      turn({ reply: message([toolUse('Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' })]) }),
      turn({ reply: message('Changed.') }),
      turn({ reply: message([toolUse('Edit', { file_path: 'a.txt', old_string: 'beta', new_string: 'gamma' }, { id: 'own' })]) }),
      turn({ reply: message('Done.') }),
    ]);
    const session = await harness.open();
    await runTurn(session, 'change it');
    assert.deepEqual(harness.requests.map(({ toolName, reason }) => [toolName, reason]), [['Edit', 'Asked by a sub-agent: Look for it.']]);
    assert.match(toolResults(body(5))['own']!, /was not read yet/);
    assert.equal(await harness.read('a.txt'), 'beta\n');
    assert.equal(session.cost.linesAdded, 1);
    const [target] = session.rewindTargets();
    assert.equal(target?.text, 'change it');
    await session.rewind(target!.messageId, { scope: 'both', skip: [], overwrite: [] });
    assert.equal(await harness.read('a.txt'), 'alpha\n');
    harness.server.assertClean();
  });

  it('keeps to plan mode, also when that is chosen while it runs', async () => {
    const write = (id: string) => toolUse('Write', { file_path: 'new.txt', content: 'x\n' }, { id });
    await start([turn({ reply: message([task('general-purpose')]) }), turn({ reply: message([write('w1')]) }), turn({ reply: message([toolUse('Write', { file_path: 'other.txt', content: 'x\n' }, { id: 'w2' })]) }), turn({ reply: message('x') }), turn({ reply: message('done') })]);
    const session = await harness.open();
    harness.answer = () => {
      session.setPermissionMode('plan');
      return { behavior: 'allow' };
    };
    const result = resultOf(await runTurn(session, 'go'));
    assert.deepEqual(result.permission_denials, [{ tool_name: 'Write', tool_use_id: 'w2', tool_input: { file_path: 'other.txt', content: 'x\n' } }], 'what it was refused, the session tells');
    const results = toolResults(body(3));
    assert.match(results['w1']!, /^Created new\.txt/);
    assert.match(results['w2']!, /Plan mode/);
    harness.server.assertClean();
  });

  it('runs explorers beside each other, workers one by one', async () => {
    let release: () => void = () => {};
    const both = new Promise<void>((resolve) => (release = resolve));
    // Which of the two asks first is theirs to decide.
    const answers = turn({ reply: (request) => message(`answer ${JSON.stringify(request.messages).includes('task one') ? 'one' : 'two'}`), stallAfter: { events: 2, until: both }, times: 2 });
    await start([turn({ reply: message([task('explore', 'task one', 't1'), task('explore', 'task two', 't2')]) })]);
    harness.server.push(answers, turn({ reply: message('done') }));
    const session = await harness.open();
    const running = runTurn(session, 'go');
    await harness.server.waitForRequest(3);
    release();
    await running;
    assert.deepEqual([toolResults(body(3))['t1'], toolResults(body(3))['t2']], ['answer one', 'answer two']);
  });

  it('ends with the turn when that is interrupted', async () => {
    await start([turn({ reply: message([task('general-purpose')]) }), turn({ reply: message('never'), stallAfter: { events: 2 } }), turn({ reply: message('ok') })]);
    const session = await harness.open();
    const running = runTurn(session, 'go');
    const second = await harness.server.waitForRequest(2);
    session.interrupt();
    assert.match(resultOf(await running).errors[0]!, /^Interrupted/);
    assert.equal(await second.finished, false);
    assert.equal(resultOf(await runTurn(session, 'next')).result, 'ok');
    const said = toolResults(body(2))['t1']!;
    assert.ok(said === INTERRUPTED_RESULT || /interrupted/.test(said));
    harness.server.assertClean();
  });

  it('says why it did not come to an end, with what it said last', async () => {
    await start([
      turn({ reply: message([task('explore')]) }),
      turn({ reply: message([text('I begin.'), toolUse('Read', { file_path: 'a.txt' })]) }),
      fault.status(400, { message: 'no' }),
      turn({ reply: message('sorry') }),
    ]);
    await runTurn(await harness.open(), 'go');
    assert.match(toolResults(body(3))['t1']!, /^The sub-agent did not come to an end: .*refused the request \(400/);
  });

  it('ends a sub-agent’s commands in the background with it', async () => {
    let pid = 0;
    await start([
      turn({ reply: message([task('general-purpose')]) }),
      turn({ reply: message([toolUse('Bash', { command: 'echo $$ > pid; sleep 300', run_in_background: true })]) }),
      turn({ reply: message([toolUse('Bash', { command: 'until [ -s pid ]; do sleep 0.02; done; cat pid' }, { id: 'pid' })]) }),
      turn({ reply: (request) => { pid = Number(toolResults(request as never)['pid']); return message('started'); } }),
      turn({ reply: message('done') }),
    ]);
    await runTurn(await harness.open({ permissionMode: 'bypassPermissions' }), 'go');
    assert.ok(pid > 1);
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => 'gone');
    assert.match(state, /^gone$|\) [ZX] /);
    harness.server.assertClean();
  });
});
