import assert from 'node:assert/strict';
import type { EngineOptions, Session } from '../../../../src/sdk/index.ts';
import { EngineHarness, runTurn } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

describe('decisions in the transcript', () => {
  let harness: EngineHarness;

  afterEach(() => harness.close());

  async function decided(options: Partial<EngineOptions>, prompt = 'go'): Promise<unknown[]> {
    const session = await harness.open(options);
    await runTurn(session, prompt);
    return decisions(session);
  }

  async function decisions(session: Session): Promise<unknown[]> {
    const lines = (await harness.transcript(session)).filter(({ type }) => type === 'permission-decision');
    return lines.map(({ toolUseId, behavior, decidedBy, reason, rule, remembered }) => ({ toolUseId, behavior, decidedBy, ...(reason !== undefined && { reason }), ...(rule !== undefined && { rule }), ...(remembered !== undefined && { remembered }) }));
  }

  const bash = (id: string, command = 'echo 1') => turn({ reply: message([toolUse('Bash', { command }, { id })]) });
  const settings = JSON.stringify({ permissions: { allow: ['Bash(echo:*)', 'Read(//etc/hosts)'], deny: ['Bash(rm:*)'] } });

  it('say which rule, the user with what was kept, and nothing where nothing had to be decided', async () => {
    const calls = [bash('rule'), bash('deny', 'rm x'), bash('user', 'pwd'), bash('no', 'id'), turn({ reply: message([toolUse('Read', { file_path: 'a.txt' }, { id: 'read' }), toolUse('Read', { file_path: '/etc/hosts' }, { id: 'outside' })]) })];
    harness = await EngineHarness.start([...calls, turn({ reply: message('ok') })], { files: { '.claude/settings.json': settings, 'a.txt': 'a' } });
    harness.answer = ({ toolUseId }) => (toolUseId === 'user' ? { behavior: 'allow', rememberRule: { rule: 'Bash(pwd)', level: 'session' } } : { behavior: 'deny', reason: 'not now' });
    const place = harness.path('.claude/settings.json');
    assert.deepEqual(await decided({}), [
      { toolUseId: 'rule', behavior: 'allow', decidedBy: 'rule', rule: `Bash(echo:*) (${place})` },
      { toolUseId: 'deny', behavior: 'deny', decidedBy: 'rule', reason: `The rule Bash(rm:*) (${place}) forbids it. Nothing was read, run or changed. Go on without it, or ask the user.` },
      { toolUseId: 'user', behavior: 'allow', decidedBy: 'user', remembered: { rule: 'Bash(pwd)', level: 'session' } },
      { toolUseId: 'no', behavior: 'deny', decidedBy: 'user', reason: 'not now' },
      { toolUseId: 'outside', behavior: 'allow', decidedBy: 'rule', rule: `Read(//etc/hosts) (${place})` },
    ]);
  });

  const others: readonly (readonly [string, Partial<EngineOptions>, object])[] = [
    ['the mode that asks nothing', { permissionMode: 'bypassPermissions' }, { behavior: 'allow', decidedBy: 'mode' }],
    ['plan mode', { permissionMode: 'plan' }, { behavior: 'deny', decidedBy: 'mode' }],
    ['the trust', { trusted: false }, { behavior: 'deny', decidedBy: 'trust' }],
    ['a host where nobody is there', { canUseTool: async () => ({ behavior: 'deny', byUser: false }) }, { behavior: 'deny', decidedBy: 'host' }],
    ['what was meant for another text', { canUseTool: async () => ({ behavior: 'outdated' }) }, { behavior: 'outdated', decidedBy: 'engine' }],
  ];
  for (const [name, options, expected] of others) {
    it(`say that it was ${name}`, async () => {
      harness = await EngineHarness.start([bash('c'), turn({ reply: message('ok') })]);
      const [{ toolUseId, behavior, decidedBy }] = (await decided(options)) as [{ toolUseId: string; behavior: string; decidedBy: string }];
      assert.deepEqual({ toolUseId, behavior, decidedBy }, { toolUseId: 'c', ...expected });
    });
  }

  it('say that it was accepting edits, and the list of a custom command', async () => {
    harness = await EngineHarness.start([turn({ reply: message([toolUse('Write', { file_path: 'a.txt', content: 'a' }, { id: 'w' })]) }), bash('c'), turn({ reply: message('ok') })], { files: { '.claude/commands/go.md': '---\nallowed-tools: Bash(echo:*)\n---\nGo.' } });
    assert.deepEqual(await decided({ permissionMode: 'acceptEdits' }, '/go'), [
      { toolUseId: 'w', behavior: 'allow', decidedBy: 'mode' },
      { toolUseId: 'c', behavior: 'allow', decidedBy: 'command' },
    ]);
  });
});
