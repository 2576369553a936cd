import assert from 'node:assert/strict';
import { isAllowed } from '../../../../src/engine/commands/allowedTools.ts';
import { expandCommand } from '../../../../src/engine/commands/expandCommand.ts';
import { parseSlash } from '../../../../src/engine/commands/slashCommand.ts';

const text = (body: string, args: string): string => expandCommand(body, args).map((piece) => (piece.type === 'text' ? piece.text : `<${piece.command}>`)).join('');

describe('parseSlash', () => {
  it('takes names with folders, and arguments over several lines', () => {
    assert.deepEqual(parseSlash('/gsd:quick fix\nthis '), { name: 'gsd:quick', args: 'fix\nthis' });
    assert.deepEqual(parseSlash('  /help'), { name: 'help', args: '' });
  });
  it('takes no path and no division for a command', () => {
    for (const prompt of ['/usr/bin/env is odd', '/ hello', 'what is a/b?', '// comment', '']) assert.equal(parseSlash(prompt), undefined);
  });
});

describe('expandCommand', () => {
  it('fills in all arguments, single ones, quoted ones, and none', () => {
    assert.equal(text('Do $ARGUMENTS now', 'a "b c"'), 'Do a "b c" now');
    assert.equal(text('Hello $1 and $2, not $3.', "'Ann Bo' Cy"), 'Hello Ann Bo and Cy, not .');
    assert.equal(text('Reverse: {{args}}', 'x y'), 'Reverse: x y');
    assert.equal(text('Nothing to fill: $DESCRIPTION $10x', ''), 'Nothing to fill: $DESCRIPTION x');
  });

  it('puts arguments at the end where no blank takes them', () => assert.equal(text('Review it.\n', 'src'), 'Review it.\n\nArguments: src\n'));

  it('never looks again at what an argument holds', () => {
    assert.equal(text('$1 | $ARGUMENTS', '$2 !`id`'), '$2 | $2 !`id`');
    assert.deepEqual(expandCommand('$ARGUMENTS', '!`rm -rf .`'), [{ type: 'text', text: '!`rm -rf .`' }]);
    assert.equal(text('Say $1', "$& $' $$"), 'Say $&');
  });

  it('finds command lines at the start of a word and outside of fences', () => {
    assert.equal(text('Status: !`git status $1`\nnot!`this`\n```\n!`nor this`\n```\n!`git log`', '-s'), 'Status: <git status -s>\nnot!`this`\n```\n!`nor this`\n```\n<git log>');
  });
});

describe('isAllowed', () => {
  const bash = (rule: string, command: string) => isAllowed([rule], 'Bash', { command });

  it('covers a command word for word, or plain arguments behind it', () => {
    assert.ok(bash('Bash(git status)', 'git status'));
    assert.ok(bash('Bash(gh pr view:*)', 'gh pr view 12 --json title'));
    assert.ok(bash('Bash(npm run *)', 'npm run test'));
  });

  it('covers nothing that chains, redirects, substitutes or merely begins alike', () => {
    for (const more of [' && rm x', '; rm x', ' | sh', ' > x', ' $(id)', ' `id`', '\nrm x', ' "$X"']) assert.equal(bash('Bash(git log:*)', `git log${more}`), false, more);
    assert.equal(bash('Bash(git log:*)', 'git logx'), false);
    assert.equal(bash('Bash(:*)', 'rm x'), false);
    assert.equal(bash('Bash', 'rm x'), false);
  });

  it('covers no edit', () => assert.equal(isAllowed(['Edit', 'Write', 'Edit(**)'], 'Edit', { file_path: 'a' }), false));
});
