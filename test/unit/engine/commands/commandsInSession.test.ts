import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { textOf } from '../../../../src/protocol/contentBlocks.ts';
import type { SDKMessage } from '../../../../src/protocol/messages.ts';
import type { Session } from '../../../../src/sdk/index.ts';
import { EngineHarness, resultOf, runTurn } from '../../../support/engineHarness.ts';
import { message, text, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../../support/scriptedTurn.ts';

describe('Slash commands in a session', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  const start = async (turns: readonly ScriptedTurn[], files: Readonly<Record<string, string>> = {}): Promise<Session> => {
    harness = await EngineHarness.start(turns, { files });
    return harness.open();
  };
  const types = (messages: readonly SDKMessage[]) => messages.map((each) => (each.type === 'system' ? `system/${each.subtype}` : each.type));
  const answer = async (session: Session, prompt: string): Promise<string> => {
    const messages = await runTurn(session, prompt);
    assert.deepEqual(types(messages), ['system/init', 'system/notice', 'result']);
    const result = resultOf(messages);
    assert.deepEqual([result.subtype, result.num_turns], ['success', 0]);
    return result.result!;
  };

  it('answers local ones without a request and without a line in the conversation', async () => {
    const session = await start([]);
    assert.match(await answer(session, '/help'), /\/clear[\s\S]*\/compact \[what[\s\S]*\/memory[\s\S]*@cart\.ts#L3-9/);
    assert.match(await answer(session, '/cost'), /has cost nothing yet/);
    assert.match(await answer(session, '/context'), /About [\d,]+ of [\d,]+ tokens/);
    for (const name of ['resume', 'rewind', 'fork', 'mcp']) assert.ok((await answer(session, `/${name}`)).length > 20);
    assert.match(await answer(session, '/export'), /nothing to export/);
    assert.match(await answer(session, '/memory'), /No instruction files|Told to the model/);
    assert.equal(session.messages.length, 0);
    assert.equal(harness.server.requests.length, 0);
    await assert.rejects(stat(session.transcriptPath));
  });

  it('lets the host say what it does itself', async () => {
    await start([]);
    assert.equal(await answer(await harness.open({ hostHelp: { rewind: 'Press R.' } }), '/rewind'), 'Press R.');
  });

  it('switches model, effort, thinking and permission mode; nonsense is told apart', async () => {
    const session = await start([turn({ reply: message('ok') })]);
    assert.match(await answer(session, '/model opus'), /claude-opus-5-5 answers \(window 1,000,000/);
    assert.match(await answer(session, '/effort HIGH'), /effort is high/);
    assert.match(await answer(session, '/effort enormous'), /no effort "enormous"/);
    assert.match(await answer(session, '/thinking 4000'), /thinking is 4000\. claude-opus-5-5 takes no number/);
    assert.match(await answer(session, '/thinking 5'), /no way to think/);
    assert.match(await answer(session, '/thinking off'), /thinking is off/);
    assert.match(await answer(session, '/permissions plan'), /mode: Plan: nothing/);
    assert.match(await answer(session, '/permissions bypass'), /can’t be switched on/);
    assert.deepEqual([session.model, session.effort, session.thinking, session.permissionMode], ['claude-opus-5-5', 'high', 'off', 'plan']);
    await runTurn(session, 'go');
    const { model, thinking, output_config } = harness.server.requests[0]!.body as unknown as Record<string, unknown>;
    assert.deepEqual({ model, thinking, output_config }, { model: 'claude-opus-5-5', thinking: { type: 'disabled' }, output_config: { effort: 'high' } });
    harness.server.assertClean();
  });

  it('answers a mistyped command without a request; a path, and what begins with a blank, goes to the model as it is', async () => {
    const session = await start([turn({ reply: message('ok'), times: 2 })]);
    assert.match(await answer(session, '/cots'), /no command \/cots[\s\S]*Did you mean \/cost\?[\s\S]*put a space before it/);
    assert.equal(harness.server.requests.length, 0);
    await runTurn(session, ' /nonsense here');
    await runTurn(session, '/usr/bin/env is odd');
    assert.match(JSON.stringify(harness.server.requests[1]!.body.messages), / \/nonsense here[\s\S]*\/usr\/bin\/env is odd/);
  });

  it('clears the conversation by a rewind: nothing of it is sent, nothing is lost, and it can be brought back', async () => {
    const session = await start([turn({ reply: () => message([toolUse('Read', { file_path: harness.path('a.txt') })]) }), turn({ reply: message('old answer') }), turn({ reply: message('new answer') })], { 'a.txt': 'a' });
    await runTurn(session, 'old prompt');
    assert.match(await answer(session, '/clear'), /new conversation/);
    assert.equal(session.messages.length, 0);
    assert.equal(session.canUndoRewind, true);
    assert.match(await answer(session, '/clear'), /empty already/);
    const lines = await harness.transcript(session);
    assert.match(JSON.stringify(lines), /old answer/);
    assert.deepEqual(lines.filter((line) => line['type'] === 'rewind').map((line) => [line['scope'], line['leafUuid']]), [['conversation', null]]);

    assert.equal((await session.undoRewind()).prompt, 'old prompt');
    assert.match(JSON.stringify(session.messages), /old answer/);
    await answer(session, '/clear');
    await runTurn(session, 'new prompt');
    assert.doesNotMatch(JSON.stringify(harness.server.requests.at(-1)!.body.messages), /old/);
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId });
    assert.doesNotMatch(JSON.stringify(again.messages), /old/);
    assert.equal(again.title, 'new prompt');
    harness.server.assertClean();
  });

  it('runs a command of the project: its text goes beside the prompt, which stays as it was typed', async () => {
    const session = await start([turn({ reply: message('ok') })], { '.claude/commands/gsd/quick.md': '---\ndescription: Quick\nmodel: haiku\n---\nDo $ARGUMENTS. State:\n@STATE.md\n', 'STATE.md': 'phase 2' });
    const messages = await runTurn(session, '/gsd:quick the "small" thing');
    assert.equal(resultOf(messages).subtype, 'success');
    assert.equal(messages[0]?.type === 'system' && messages[0].subtype === 'init' && messages[0].model, 'claude-haiku-5-5');
    const { model, messages: sent } = harness.server.requests[0]!.body;
    assert.equal(model, 'claude-haiku-5-5');
    const texts = (sent[0]!.content as unknown as { text: string }[]).map((block) => block.text);
    assert.equal(texts[0], '/gsd:quick the "small" thing');
    assert.equal(texts[1], '<command name="gsd:quick">\nDo the "small" thing. State:\n@STATE.md\n</command>');
    assert.match(texts[2]!, /^<attached-file path="[^"]*STATE\.md">\n +1\tphase 2/);
    assert.equal(session.rewindTargets()[0]?.text, '/gsd:quick the "small" thing');
    assert.equal(session.model, 'claude-sonnet-5-5');
    assert.deepEqual((await session.commands()).at(-1), { name: 'gsd:quick', description: 'Quick', argumentHint: undefined, source: 'project' });
    harness.server.assertClean();
  });

  it('runs a command’s command lines through the same questions as any, and not without trust', async () => {
    const files = { '.claude/commands/s.md': '---\nallowed-tools: Bash(echo free:*)\n---\nOne: !`echo free $1` Two: !`echo asked; touch ran.txt`' };
    const session = await start([turn({ reply: message('ok'), times: 3 })], files);
    harness.answer = () => ({ behavior: 'deny', reason: 'not now' });
    const sent = () => textOf(harness.server.requests.at(-1)!.body.messages.at(-1)!.content as never);
    await runTurn(session, '/s');
    assert.deepEqual(harness.requests.map((request) => request.input['command']), ['echo asked; touch ran.txt']);
    assert.match(sent(), /One: free[\s\S]*Two: The user rejected[\s\S]*not now/);
    await assert.rejects(stat(harness.path('ran.txt')));
    harness.answer = () => ({ behavior: 'allow' });
    await runTurn(await harness.open(), '/s');
    assert.match(sent(), /One: free[\s\S]*Two: asked/);
    await stat(harness.path('ran.txt'));
    const asked = harness.requests.length;
    await runTurn(await harness.open({ trusted: false }), '/s');
    assert.match(sent(), /not trusted/);
    assert.equal(harness.requests.length, asked);
  });

  it('asks nothing about calls that the command allows, in its own turn only, and never lets an edit through', async () => {
    const run = (command: string) => turn({ reply: message([toolUse('Bash', { command })]) });
    const session = await start(
      [run('echo hi there'), run('echo hi; echo more'), turn({ reply: () => message([toolUse('Write', { file_path: harness.path('n.txt'), content: 'n' })]) }), turn({ reply: message('ok') }), run('echo hi there'), turn({ reply: message('ok') })],
      { '.claude/commands/c.md': '---\nallowed-tools: Bash(echo hi:*), Write\n---\nGo.' },
    );
    await runTurn(session, '/c');
    assert.deepEqual(harness.requests.map((request) => request.input['command'] ?? request.toolName), ['echo hi; echo more', 'Write']);
    await runTurn(session, 'and now');
    assert.equal(harness.requests.length, 3);
    harness.server.assertClean();
  });

  it('has the model write a CLAUDE.md on /init', async () => {
    const session = await start([turn({ reply: message('ok') })]);
    await runTurn(session, '/init');
    assert.match(JSON.stringify(harness.server.requests[0]!.body.messages), /<command name=\\"init\\">[\s\S]*CLAUDE\.md/);
  });

  it('exports the conversation as Markdown and as JSON', async () => {
    const session = await start([turn({ reply: message([text('Reading.'), toolUse('Bash', { command: "echo '```'" })]) }), turn({ reply: message('Done.') })]);
    await runTurn(session, 'show me');
    const markdown = await answer(session, '/export');
    assert.match(markdown, /^# show me\n[\s\S]*## You\n\nshow me\n\nReading\.\n\n\*\*Bash\*\*\n\n````json\n[\s\S]*````\n\n````\n```[\s\S]*Done\.\n$/);
    assert.doesNotMatch(markdown, /<context/);
    assert.equal((JSON.parse(await answer(session, '/export json')) as { messages: unknown[] }).messages.length, session.messages.length);
    assert.match(await answer(session, '/export pdf'), /no known form/);
  });

  it('takes a command that begins a prompt of blocks', async () => {
    const session = await start([]);
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage([{ type: 'text', text: '/context' }])) messages.push(each);
    assert.match(resultOf(messages).result!, /tokens are in use/);
  });
});
