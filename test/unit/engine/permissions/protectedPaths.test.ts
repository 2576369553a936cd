import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { whyWriteAsks } from '../../../../src/engine/permissions/protectedPaths.ts';
import { EngineHarness, runTurn } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

const places = { roots: ['/w'], dataRoot: '/home/u/own' };

describe('files that are always asked about', () => {
  const protectedOnes: readonly string[] = [
    '/etc/hosts', '/w2/a', '/home/u/.bashrc', '/home/u/own/settings.json', '/home/u/OWN/settings.json',
    '/w/.git/config', '/w/.GIT/config', '/w/sub/.git/hooks/pre-commit', '/w/.git', '/w/.git./config', '/w/.git /config', '/w/.git::$INDEX_ALLOCATION/config', '/w/GIT~1/config', '/w/.g\u200cit/config', '/w/.gi\u200dt/x', '/w/.\u202egit/x', '/w/.ｇｉｔ/x', '/w/.gıt/x', '/w/.gіt/x', '/w/.\u212Ausky/../.git/x',
    '/w/.vscode/tasks.json', '/w/.VSCode/settings.json', '/w/.vſcode/x', '/w/.claude/settings.local.json', '/w/CLAUDE~1/settings.json', '/w/.turnstone/x', '/w/.husky/pre-push', '/w/.hg/hgrc', '/w/.zed/tasks.json', '/w/.cursor/mcp.json', '/w/.yarn/releases/yarn.cjs', '/w/.nvim.lua', '/w/.dir-locals.el', '/w/.tmux.conf', '/w/.inputrc', '/w/.netrc', '/w/bunfig.toml', '/w/.idea/x', '/w/.devcontainer/devcontainer.json', '/w/.ssh/config', '/w/my.code-workspace',
    '/w/.bashrc', '/w/.BASHRC', '/w/.zshenv', '/w/.profile', '/w/.npmrc', '/w/.gitmodules', '/w/.gitconfig', '/w/.envrc', '/w/.mcp.json', '/w/config.fish',
    '/w/a\u200b.ts', '/w/a\u202ets.exe', '/w/a\u00ad.ts', '/w/\ufeffa.ts', '/w/a.ts ', '/w/ a.ts', '/w/a\n.ts', '/w/x\u0007',
  ];
  const plain: readonly string[] = ['/w/a.ts', '/w/src/git/config', '/w/gitignore', '/w/.gitignore', '/w/.github/workflows/ci.yml', '/w/vscode/x', '/w/été/ñ.ts', '/w/отчёт.md', '/w/日本語/ファイル.md', '/w/a b.ts', '/w/.env', '/w/a~1.txt', '/w/bashrc', '/w/😀.md', '/w/a:b'];

  it('are told by every name that some file system takes for theirs', () => {
    assert.deepEqual(protectedOnes.filter((path) => whyWriteAsks(path, places) === undefined), []);
    assert.deepEqual(plain.filter((path) => whyWriteAsks(path, places) !== undefined), []);
  });

  it('are named so that what cannot be seen is seen', () => {
    assert.match(whyWriteAsks('/w/a\u200bb.ts', places)!, /"a\\u\{200b\}b\.ts" holds characters that cannot be seen/);
  });

  describe('in a session', () => {
    let harness: EngineHarness;

    afterEach(() => harness.close());

    const everything = JSON.stringify({ permissions: { allow: ['Edit', 'Edit(//**)', 'Edit(**)', 'Bash', 'Bash(cp:*)', 'Bash(touch:*)'] } });

    /** What was asked of these calls, each in a message of its own, where edits are accepted and rules allow everything. */
    async function askedOf(calls: readonly ReturnType<typeof toolUse>[]): Promise<string[]> {
      harness = await EngineHarness.start([...calls.map((call) => turn({ reply: message([call]) })), turn({ reply: message('ok') })], { files: { 'a.txt': 'a', 'sub/b.txt': 'b', '.claude/settings.json': everything, '../outside/x.txt': 'x' } });
      await symlink('../outside', harness.path('folder'));
      await symlink('../outside/x.txt', harness.path('link.txt'));
      await symlink('../outside/not-yet.txt', harness.path('dangling.txt'));
      await symlink('link.txt', harness.path('second.txt'));
      await symlink('.git', harness.path('plain'));
      await mkdir(harness.path('.git'));
      harness.answer = () => ({ behavior: 'deny' });
      await runTurn(await harness.open({ permissionMode: 'acceptEdits' }), 'go');
      // A suggestion would promise what no rule can keep.
      assert.deepEqual(harness.requests.filter(({ suggestedRule }) => suggestedRule !== undefined), []);
      return harness.requests.map(({ toolUseId }) => toolUseId);
    }

    it('are asked about however an edit reaches them, in spite of every rule', async () => {
      const write = (path: string) => toolUse('Write', { file_path: path, content: 'new\n' }, { id: path });
      const asked = ['folder/new.txt', 'folder/deep/new.txt', 'dangling.txt', 'sub/../../outside/y.txt', 'plain/hooks/pre-commit', '.git/config', './sub/.././.git/x', '.vscode/tasks.json', '.claude/settings.local.json', 'x/.turnstone/y', '.bashrc', 'a\u200b.txt'];
      assert.deepEqual(await askedOf([...asked, 'sub/c.txt'].map(write)), asked);
      assert.equal(await harness.read('sub/c.txt'), 'new\n');
    });

    it('are asked about where a command writes them, as far as its words tell', async () => {
      const run = (command: string) => toolUse('Bash', { command }, { id: command });
      const asked = ['cp a.txt .git/hooks/pre-commit', 'touch ../outside/y', 'touch folder/y', 'touch ~/.bashrc', 'touch dangling.txt', 'echo 1 > .vscode/tasks.json', 'echo 1 >> plain/config', 'tee .claude/settings.json < a.txt', 'cd .git && touch config', 'cp a.txt .g*t/config', 'bash -c "touch .git/x"', 'ls | xargs touch .vscode/x', 'sed -i s/a/b/ link.txt', 'dd if=a.txt of=.npmrc', 'ln -s ../a.txt .git/x', 'curl -o .envrc http://127.0.0.1:9', 'sort -o .profile a.txt', 'find . -name a.txt -exec cp {} .vscode/x ";"', 'rm -rf ..', 'mv a.txt second.txt', 'git config core.pager x', 'npm config set script-shell x', 'npm set x=1', 'mkdir ../outside/d', 'git worktree add ../other', 'wget -O .bashrc http://127.0.0.1:9', 'gcc a.c --output=.vscode/x'];
      assert.deepEqual(await askedOf([...asked, 'touch sub/c.txt', 'cp a.txt sub/d.txt', 'cat .git/config || true', 'ls > /dev/null', 'grep -o /etc/x a.txt || true', 'git config --get user.name || true'].map(run)), asked);
      assert.equal(await harness.read('sub/d.txt'), 'a');
    });
  });
});
