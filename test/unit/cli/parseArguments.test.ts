import assert from 'node:assert/strict';
import { parseArguments } from '../../../src/cli/parseArguments.ts';
import type { AcpArguments } from '../../../src/cli/parseArguments.ts';

const promptDefaults = {
  kind: 'prompt',
  prompt: undefined,
  outputFormat: 'text',
  session: undefined,
  verbose: false,
  includePartialMessages: false,
  sessionId: undefined,
  permissionMode: undefined,
  model: undefined,
  fallbackModel: undefined,
  maxTurns: undefined,
  maxBudgetUsd: undefined,
  maxOutputTokens: undefined,
  prices: undefined,
  unattended: false,
  permissionRules: undefined,
  mcpConfigs: [],
  keepVariables: [],
  demo: false,
};
const rewindDefaults = { kind: 'rewind', outputFormat: 'text', verbose: false, changed: { merge: false, otherwise: undefined }, dryRun: false };
const id = '7a1b6f0c-8a52-4c4e-9d1b-0d8b8e1f2a3c';

describe('parseArguments', () => {
  const understood: readonly [line: readonly string[], parsed: object][] = [
    [['-p', 'hello'], { ...promptDefaults, prompt: 'hello' }],
    [['--print', 'hello'], { ...promptDefaults, prompt: 'hello' }],
    [['--print=hello'], { ...promptDefaults, prompt: 'hello' }],
    [['--demo', 'hello', '-p'], { ...promptDefaults, prompt: 'hello', demo: true }],
    [['-p'], promptDefaults],
    [['-p', '--allowedTools', 'Bash(npm test:*),Edit(a b/**) Read', '--allowedTools', 'WebSearch', '--disallowedTools', 'Read(./.env)'], { ...promptDefaults, permissionRules: { allow: ['Bash(npm test:*)', 'Edit(a b/**)', 'Read', 'WebSearch'], deny: ['Read(./.env)'] } }],
    [['-p', '- [ ] first item', '--demo'], { ...promptDefaults, prompt: '- [ ] first item', demo: true }],
    [['-p', '--', '--demo'], { ...promptDefaults, prompt: '--demo' }],
    [['-p', 'x', '--output-format', 'stream-json', '--include-partial-messages', '--verbose'], { ...promptDefaults, prompt: 'x', outputFormat: 'stream-json', includePartialMessages: true, verbose: true }],
    [['-p', 'x', '--output-format=json'], { ...promptDefaults, prompt: 'x', outputFormat: 'json' }],
    [['-p', 'x', '--continue'], { ...promptDefaults, prompt: 'x', session: { kind: 'continue' } }],
    [['-p', 'x', '--resume', id], { ...promptDefaults, prompt: 'x', session: { kind: 'resume', session: id } }],
    [['-p', 'x', '--session-id', id], { ...promptDefaults, prompt: 'x', sessionId: id }],
    [['-p', 'x', '--permission-mode', 'acceptEdits'], { ...promptDefaults, prompt: 'x', permissionMode: 'acceptEdits' }],
    [['-p', 'x', '--permission-mode', 'accept-edits'], { ...promptDefaults, prompt: 'x', permissionMode: 'acceptEdits' }],
    [['-p', 'x', '--permission-mode', 'ask'], { ...promptDefaults, prompt: 'x', permissionMode: 'default' }],
    [['-p', 'x', '--permission-mode', 'plan'], { ...promptDefaults, prompt: 'x', permissionMode: 'plan' }],
    [['-p', 'x', '--permission-mode', 'bypass'], { ...promptDefaults, prompt: 'x', permissionMode: 'bypassPermissions' }],
    [['-p', 'x', '--model', 'haiku', '--fallback-model', 'sonnet', '--max-turns', '3', '--max-budget-usd', '0.5'], { ...promptDefaults, prompt: 'x', model: 'haiku', fallbackModel: 'sonnet', maxTurns: 3, maxBudgetUsd: 0.5 }],
    [['-p', 'x', '--prices', 'p.json'], { ...promptDefaults, prompt: 'x', prices: 'p.json' }],
    [['-p', 'x', '--unattended', '--max-output-tokens', '20000'], { ...promptDefaults, prompt: 'x', unattended: true, maxOutputTokens: 20_000 }],
    [['--resume', id, '--rewind-files', 'm1'], { ...rewindDefaults, session: { kind: 'resume', session: id }, to: { scope: 'files', messageId: 'm1' } }],
    [['--continue', '--rewind', 'm1', '--overwrite'], { ...rewindDefaults, session: { kind: 'continue' }, to: { scope: 'both', messageId: 'm1' }, changed: { merge: false, otherwise: 'overwrite' } }],
    [['--continue', '--undo-rewind', '--dry-run'], { ...rewindDefaults, session: { kind: 'continue' }, to: 'undo', dryRun: true }],
    [['--continue', '--redo', '--merge', '--skip'], { ...rewindDefaults, session: { kind: 'continue' }, to: 'redo', changed: { merge: true, otherwise: 'skip' } }],
    [['-p', 'x', '--mcp-config', 'a.json', '--mcp-config', '{"mcpServers":{}}'], { ...promptDefaults, prompt: 'x', mcpConfigs: ['a.json', '{"mcpServers":{}}'] }],
    [['-p', 'x', '--keep-env', 'GH_TOKEN, NPM_TOKEN', '--keep-env', 'A'], { ...promptDefaults, prompt: 'x', keepVariables: ['GH_TOKEN', 'NPM_TOKEN', 'A'] }],
  ];
  for (const [line, parsed] of understood) {
    it(`understands ${line.join(' ')}`, () => assert.deepEqual(parseArguments(line), parsed));
  }

  const refused: readonly [line: readonly string[], message: RegExp][] = [
    [['hello'], /use -p/],
    [['-p', 'x', '--prices', ' '], /--prices needs the path of a JSON file/],
    [['-p', 'two', 'words'], /Put the whole prompt in quotes: -p "two words"/],
    [['-p', 'x', '--colour'], /--colour.*--help/s],
    [['-p', 'x', '--model'], /--model/],
    [['-p', 'x', '--output-format', 'xml'], /text, json or stream-json, not "xml"/],
    [['-p', 'x', '--permission-mode', 'toString'], /ask, accept-edits, plan or bypass, not "toString"/],
    [['-p', 'x', '--max-turns', '0'], /--max-turns is a number above zero, not "0"/],
    [['-p', 'x', '--max-turns', '1.5'], /--max-turns/],
    [['-p', 'x', '--max-budget-usd', ''], /--max-budget-usd/],
    [['-p', 'x', '--max-output-tokens', '2e3.5'], /--max-output-tokens is a number above zero/],
    [['-p', 'x', '--session-id', '../../elsewhere'], /UUID/],
    [['-p', 'x', '--session-id', id, '--resume', id], /new session/],
    [['-p', 'x', '--resume', id, '--continue'], /exclude each other/],
    [['--undo-rewind', '--rewind', 'm1', '--continue'], /exclude each other/],
    [['--undo-rewind', '--redo', '--continue'], /exclude each other/],
    [['--undo-rewind', '--skip', '--overwrite', '--continue'], /--overwrite and --skip exclude each other/],
    [['-p', 'x', '--model', ''], /--model needs the name/],
    [['-p', 'x', '--model', 'opus', '--fallback-model', ' '], /--fallback-model needs the name/],
    [['-p', 'x', '--resume', ''], /--resume needs/],
    [['--rewind-files', 'm1'], /--resume <id> or --continue/],
    [['--rewind-files', 'm1', '--resume', id, '-p', 'x'], /two commands/],
  ];
  for (const [line, message] of refused) {
    it(`refuses ${line.join(' ')}`, () => assert.throws(() => parseArguments(line), { code: 'invalid_input', message }));
  }

  it('takes what is said about the agent with acp, and refuses what the editor says', () => {
    const { kind, model, permissionMode, demo } = parseArguments(['acp', '--model', 'opus', '--permission-mode', 'plan', '--demo']) as AcpArguments;
    assert.deepEqual({ kind, model, permissionMode, demo }, { kind: 'acp', model: 'opus', permissionMode: 'plan', demo: true });
    assert.throws(() => parseArguments(['acp', '--continue']), /--continue does not go with acp/);
    assert.throws(() => parseArguments(['acp', 'hello']), /takes no prompt/);
  });
});
