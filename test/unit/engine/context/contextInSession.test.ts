import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { textOf } from '../../../../src/protocol/contentBlocks.ts';
import type { Session } from '../../../../src/sdk/index.ts';
import { EngineHarness, runTurn } from '../../../support/engineHarness.ts';
import { promptParts } from '../../../support/promptCacheSimulation.ts';
import { message, text, thinking, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../../support/scriptedTurn.ts';

describe('Context in a session', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  const start = async (turns: readonly ScriptedTurn[], files: Readonly<Record<string, string>>, options = {}) => (harness = await EngineHarness.start(turns, { files, ...options }));
  const told = (session: Session): string => session.messages.map((each) => (each.type === 'user' && each.isMeta ? textOf(each.message.content) : '')).join('\n');
  const count = (whole: string, part: string): number => whole.split(part).length - 1;
  const read = (name: string): ScriptedTurn => turn({ reply: () => message([toolUse('Read', { file_path: harness.path(name) })]) });
  const done = turn({ reply: message('ok') });

  it('tells instruction files of the workspace and their imports with the first prompt, once, and again when they change', async () => {
    await start([done, done, done], { 'CLAUDE.md': 'Be brief. @docs/style.md', 'docs/style.md': 'Two spaces.' });
    const session = await harness.open();
    await runTurn(session, 'one');
    await runTurn(session, 'two');
    assert.equal(count(told(session), 'Be brief.'), 1);
    assert.equal(count(told(session), 'Two spaces.'), 1);
    await harness.write('docs/style.md', 'Four spaces.');
    await runTurn(session, 'three');
    assert.deepEqual([count(told(session), 'Be brief.'), count(told(session), 'Four spaces.')], [1, 1]);
    harness.server.assertClean();
  });

  it('tells nested ones before the request that follows the touch, once per branch, and rules about what was touched', async () => {
    await start([read('src/ui/a.tsx'), read('src/ui/b.tsx'), done, read('src/ui/a.tsx'), done], {
      'src/CLAUDE.md': 'In src.',
      'src/ui/AGENTS.md': 'In ui.',
      'src/ui/a.tsx': 'a',
      'src/ui/b.tsx': 'b',
      '.claude/rules/react.md': '---\nglobs: ["src/**/*.tsx"]\n---\nHooks only.',
    });
    const session = await harness.open();
    await runTurn(session, 'look');
    const bodies = harness.server.requests.map((request) => JSON.stringify(request.body.messages));
    assert.deepEqual([count(bodies[0]!, 'In src.'), count(bodies[1]!, 'In src.'), count(bodies[1]!, 'In ui.'), count(bodies[1]!, 'Hooks only.')], [0, 1, 1, 1]);
    await runTurn(session, 'again');
    assert.deepEqual([count(told(session), 'In src.'), count(told(session), 'In ui.'), count(told(session), 'Hooks only.')], [1, 1, 1]);
    harness.server.assertClean();
  });

  it('does not tell what the model has read itself, and tells it again when that reading was cut off by a rewind', async () => {
    await start([read('src/CLAUDE.md'), done, read('src/a.ts'), done, read('src/a.ts'), done], { 'src/CLAUDE.md': 'In src.', 'src/a.ts': 'a' });
    const session = await harness.open();
    await runTurn(session, 'read the rules');
    await runTurn(session, 'work');
    assert.equal(count(told(session), 'In src.'), 0);
    await session.rewind(session.rewindTargets().at(-1)!.messageId, { scope: 'both', skip: [], overwrite: [] });
    await runTurn(session, 'work');
    assert.equal(count(told(session), 'In src.'), 1);
    harness.server.assertClean();
  });

  it('names a circle to the user once', async () => {
    await start([done, done], { 'CLAUDE.md': 'A @b.md', 'b.md': 'B @CLAUDE.md' });
    const session = await harness.open();
    const notices = async (prompt: string) => (await runTurn(session, prompt)).flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.text] : []));
    assert.match((await notices('one')).join(), /circle: CLAUDE\.md → b\.md → CLAUDE\.md/);
    assert.deepEqual(await notices('two'), []);
  });

  it('tells git’s state anew after a commit outside, and none of it without trust', async () => {
    await start([done, done, done], { 'a.txt': 'a' });
    const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: harness.cwd, stdio: 'pipe' });
    git('init', '-q', '-b', 'main');
    const session = await harness.open();
    await runTurn(session, 'one');
    git('add', '.');
    git('commit', '-qm', 'The first one');
    await runTurn(session, 'two');
    assert.equal(count(told(session), '<context name="git">'), 2);
    assert.match(told(session), /\?\? a\.txt[\s\S]*The first one/);
    const untrusted = await harness.open({ trusted: false });
    await runTurn(untrusted, 'three');
    assert.doesNotMatch(told(untrusted), /name="git"/);
  });

  it('obeys the project’s rules after a compaction: they are told again, once', async () => {
    await start([done, done, turn({ reply: message('Summary: two turns.') }), done], { 'CLAUDE.md': 'Always say please.' });
    const session = await harness.open();
    await runTurn(session, `one ${'word '.repeat(3_000)}`);
    await runTurn(session, 'two');
    await runTurn(session, '/compact');
    assert.ok(session.messages.some((each) => each.type === 'system'), 'nothing was compacted');
    await runTurn(session, 'three');
    const sent = JSON.stringify(harness.server.requests.at(-1)!.body.messages);
    assert.doesNotMatch(sent, /word word/);
    assert.equal(count(sent, 'Always say please.'), 1);
    harness.server.assertClean();
  });

  it('costs no cache when it is quit and resumed: all that was sent is the beginning of what is sent next', async () => {
    const work = [1, 2, 3, 4, 5].flatMap((n) => [turn({ reply: () => message([thinking(`t${n}`), text('Reading.'), toolUse('Read', { file_path: harness.path('src/a.ts') })]) }), done]);
    await start([...work, done], { 'CLAUDE.md': 'Be brief.', 'src/CLAUDE.md': 'In src.', 'src/a.ts': 'a\n' }, { simulateCache: true });
    const session = await harness.open();
    for (let n = 1; n <= 5; n++) await runTurn(session, `turn ${n} @src/a.ts`);
    await session.dispose();
    const again = await harness.open({ resume: session.sessionId });
    await runTurn(again, 'go on');
    const parts = harness.server.requests.map((request) => promptParts(request.body));
    for (let i = 1; i < parts.length; i++) assert.deepEqual(parts[i]!.slice(0, parts[i - 1]!.length), parts[i - 1], `request ${i + 1} does not begin with request ${i}`);
    const last = again.messages.findLast((each) => each.type === 'assistant');
    const usage = last?.type === 'assistant' ? last.message.usage : undefined;
    assert.ok(usage!.cache_read_input_tokens! > 10 * (usage!.input_tokens + usage!.cache_creation_input_tokens!), JSON.stringify(usage));
    harness.server.assertClean();
  });
});
