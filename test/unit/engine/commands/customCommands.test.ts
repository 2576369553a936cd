import assert from 'node:assert/strict';
import { cpSync, existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { customCommands } from '../../../../src/engine/commands/customCommands.ts';
import { expandCommand } from '../../../../src/engine/commands/expandCommand.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';

describe('customCommands', () => {
  let folder: string;
  const find = () => customCommands({ files: nodeFileSystem, cwd: join(folder, 'project'), homeFolder: join(folder, 'home') });

  beforeEach(async () => void (folder = await realpath(await mkdtemp(join(tmpdir(), 'turnstone-commands-')))));
  afterEach(() => rm(folder, { recursive: true }));

  async function write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }

  it('finds those of the project and of the user, in folders and behind links, by name', async () => {
    await write('project/.claude/commands/review.md', '---\ndescription: Review it\nargument-hint: [number]\nallowed-tools: Bash(gh pr view:*),Read\nmodel: opus\n---\n\nReview $1.');
    await write('project/.claude/commands/gsd/quick.md', '# Quick\nGo.');
    await write('home/.claude/commands/mine.md', 'Mine.');
    await symlink('review.md', join(folder, 'project/.claude/commands/again.md'));
    const commands = await find();
    assert.deepEqual(commands.map(({ name, source }) => [name, source]), [['again', 'project'], ['gsd:quick', 'project'], ['review', 'project'], ['mine', 'user']]);
    const review = commands[2]!;
    assert.deepEqual([review.description, review.argumentHint, review.model, review.allowedTools, review.body], ['Review it', '[number]', 'opus', ['Bash(gh pr view:*)', 'Read'], 'Review $1.']);
    assert.equal(commands[1]?.description, 'Quick');
  });

  it('lets a project go before the user and a built-in before both', async () => {
    await write('project/.claude/commands/a.md', 'p');
    await write('home/.claude/commands/a.md', 'u');
    await write('project/.claude/commands/clear.md', 'x');
    await write('project/.claude/commands/no name.md', 'x');
    await write('project/.claude/commands/notes.txt', 'x');
    assert.deepEqual((await find()).map(({ name, body }) => [name, body]), [['a', 'p']]);
  });

  it('reads what real projects have', async () => {
    const corpus = join(import.meta.dirname, '../../../../../shared/corpus/agent-config');
    if (!existsSync(corpus)) return console.log('      (the corpus folder agent-config is not here: its files were not tried)');
    for (const project of ['cipher-box', 'claude-code-action', 'claude-agent-acp/src/tests', 'claude-cookbooks', 'claude-cookbooks/claude_code_sdk/chief_of_staff_agent']) {
      cpSync(join(corpus, project, 'dot-claude/commands'), join(folder, 'project/.claude/commands'), { recursive: true });
    }
    const commands = await find();
    assert.deepEqual(
      commands.map(({ name }) => name),
      ['budget-impact', 'commit-and-pr', 'gsd:quick', 'gsd:resume-work', 'label-issue', 'link-review', 'model-check', 'quick-math', 'review-pr', 'say-hello', 'slash-command-test', 'strategic-brief'],
    );
    const expand = (name: string, args: string) => expandCommand(commands.find((each) => each.name === name)!.body, args);
    assert.deepEqual(expand('say-hello', 'Ann'), [{ type: 'text', text: 'Respond with "Hello Ann" and nothing else.\n' }]);
    assert.match(JSON.stringify(expand('slash-command-test', 'a b')), /word wise: a b/);
    assert.deepEqual(commands.find(({ name }) => name === 'gsd:quick')?.allowedTools.slice(-3), ['AskUserQuestion', 'mcp__pencil__*', 'mcp__playwright__*']);
    assert.deepEqual(commands.find(({ name }) => name === 'label-issue')?.allowedTools, ['Bash(./scripts/gh.sh:*)', 'Bash(./scripts/edit-issue-labels.sh:*)']);
    // Shell examples in fences and in running text are prose, and nothing of it is run.
    for (const { name } of commands) assert.ok(expand(name, 'x').every((piece) => piece.type === 'text'), name);
  });
});
