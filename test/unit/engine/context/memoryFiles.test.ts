import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { systemClock } from '../../../../src/base/abort.ts';
import { memoryFiles } from '../../../../src/engine/context/memoryFiles.ts';
import type { MemoryFacts } from '../../../../src/engine/context/memoryFiles.ts';
import { isAbout, readRules } from '../../../../src/engine/context/rules.ts';
import { noDocuments } from '../../../../src/platform/noDocuments.ts';
import { nodeDigest } from '../../../../src/platform/nodeDigest.ts';
import { nodeEnvironment } from '../../../../src/platform/nodeEnvironment.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';

describe('memoryFiles', () => {
  let folder: string;
  let facts: MemoryFacts;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnstone-memory-')));
    await mkdir(join(folder, 'work/project'), { recursive: true });
    const environment = { ...nodeEnvironment('1', join(folder, 'home/.turnstone')), homeFolder: join(folder, 'home') };
    facts = { files: nodeFileSystem, documents: noDocuments, digest: nodeDigest, clock: systemClock, environment, cwd: join(folder, 'work/project'), roots: [join(folder, 'work/project')], trusted: true };
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  }
  async function scan(changes: Partial<MemoryFacts> = {}): Promise<{ paths: string[]; problems: readonly string[] }> {
    const { files, problems } = await memoryFiles({ ...facts, ...changes });
    return { paths: files.map((file) => relative(folder, file.path)), problems };
  }

  it('tells the user’s file first, then those from the root down to the workspace', async () => {
    await write({ 'home/.claude/CLAUDE.md': 'u', 'work/CLAUDE.md': 'w', 'work/project/AGENTS.md': 'a', 'work/project/CLAUDE.md': 'c', 'work/project/CLAUDE.local.md': 'l', 'work/project/.claude/CLAUDE.md': 'd' });
    assert.deepEqual(await scan(), {
      paths: ['home/.claude/CLAUDE.md', 'work/CLAUDE.md', 'work/project/CLAUDE.md', 'work/project/.claude/CLAUDE.md', 'work/project/CLAUDE.local.md', 'work/project/AGENTS.md'],
      problems: [],
    });
  });

  it('follows imports from the folder of the importing file and from ~, right behind it', async () => {
    await write({ 'work/project/CLAUDE.md': 'See @docs/style.md and @~/mine.md.', 'work/project/docs/style.md': 'S @more/deep.md', 'work/project/docs/more/deep.md': 'D', 'home/mine.md': 'M', 'work/project/AGENTS.md': 'A' });
    assert.deepEqual(await scan(), { paths: ['work/project/CLAUDE.md', 'work/project/docs/style.md', 'work/project/docs/more/deep.md', 'home/mine.md', 'work/project/AGENTS.md'], problems: [] });
  });

  it('tells AGENTS.md once where CLAUDE.md merely imports it, and where CLAUDE.md is a link to it', async () => {
    await write({ 'work/project/CLAUDE.md': '@AGENTS.md\n', 'work/project/AGENTS.md': 'Use uv.' });
    assert.deepEqual((await scan()).paths, ['work/project/AGENTS.md']);
    await rm(join(folder, 'work/project/CLAUDE.md'));
    await symlink('AGENTS.md', join(folder, 'work/project/CLAUDE.md'));
    assert.deepEqual((await scan()).paths, ['work/project/CLAUDE.md']);
  });

  it('refuses a circle and names it, and tells each file of it once', async () => {
    await write({ 'work/project/CLAUDE.md': 'one @b.md', 'work/project/b.md': 'two @c.md', 'work/project/c.md': 'three @CLAUDE.md' });
    const { paths, problems } = await scan();
    assert.deepEqual(paths, ['work/project/CLAUDE.md', 'work/project/b.md', 'work/project/c.md']);
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, /c\.md.*imports @CLAUDE\.md.*circle: CLAUDE\.md → b\.md → c\.md → CLAUDE\.md/);
  });

  it('refuses a file that imports itself, and an import of an import of … beyond five', async () => {
    await write({ 'work/project/CLAUDE.md': 'me @CLAUDE.md @1.md', ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`work/project/${n}.md`, `${n} @${n + 1}.md`])), 'work/project/7.md': 'seven' });
    const { paths, problems } = await scan();
    assert.deepEqual(paths.slice(1), [1, 2, 3, 4, 5].map((n) => `work/project/${n}.md`));
    assert.match(problems.join('\n'), /CLAUDE\.md → CLAUDE\.md[\s\S]*5\.md.*imports @6\.md.*five|5\.md.*imports @6\.md.*5 files deep/);
  });

  it('names a missing file only where a file was meant', async () => {
    await write({ 'work/project/CLAUDE.md': 'Ask @someone about @media and @./gone.md' });
    const { problems } = await scan();
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, /@\.\/gone\.md.*no such file/);
  });

  it('lets no project import from outside, save what lies openly in the user’s folder, and that only after trust', async () => {
    await write({ 'secret.txt': 's', 'home/.ssh/key.md': 'k', 'home/open.md': 'o', 'home/.turnstone/x.md': 'x' });
    await write({ 'work/project/CLAUDE.md': `@${join(folder, 'secret.txt')} @~/.ssh/key.md @~/open.md @~/.turnstone/x.md` });
    assert.deepEqual((await scan()).paths, ['work/project/CLAUDE.md', 'home/open.md'].slice(1));
    assert.equal((await scan()).problems.length, 3);
    assert.deepEqual((await scan({ trusted: false })).paths, []);
    await symlink(join(folder, 'secret.txt'), join(folder, 'work/project/link.md'));
    await write({ 'work/project/CLAUDE.md': 'text @link.md' });
    assert.deepEqual((await scan()).paths, ['work/project/CLAUDE.md']);
  });

  it('lets the user’s own file import from anywhere', async () => {
    await write({ 'elsewhere/x.md': 'x', 'home/.claude/CLAUDE.md': `mine @${join(folder, 'elsewhere/x.md')}` });
    assert.deepEqual((await scan()).paths, ['home/.claude/CLAUDE.md', 'elsewhere/x.md']);
  });

  it('leaves out what is too large or no text, and says so', async () => {
    await write({ 'work/project/CLAUDE.md': 'x'.repeat(100_001), 'work/project/AGENTS.md': 'a\0b' });
    const { files, problems } = await memoryFiles(facts);
    assert.ok(files.every((file) => file.text.length < 300));
    assert.match(problems.join('\n'), /100001 bytes[\s\S]*no text/);
  });

  it('tells the text that the user sees in an open editor', async () => {
    await write({ 'work/project/CLAUDE.md': 'saved' });
    const { files } = await memoryFiles({ ...facts, documents: { ...noDocuments, unsavedText: (path) => (path.endsWith('project/CLAUDE.md') ? 'not saved yet' : undefined) } });
    assert.equal(files[0]?.text, 'not saved yet');
  });

  it('reads rules with and without the files that they are about', async () => {
    await write({ 'work/project/.claude/rules/all.md': 'Always.', 'work/project/.claude/rules/react.md': '---\nglobs: ["src/renderer/**/*.tsx"]\n---\n\n# React', 'work/project/.claude/rules/css.md': '---\npaths: "*.css"\n---\nC' });
    const { rules } = await readRules(facts);
    assert.deepEqual(rules.map((rule) => [rule.file.text, rule.globs]), [['Always.', []], ['C', ['*.css']], ['# React', ['src/renderer/**/*.tsx']]]);
    const about = (path: string) => rules.filter((rule) => isAbout(rule, join(facts.cwd, path), facts.cwd)).map((rule) => rule.file.text);
    assert.deepEqual(about('src/renderer/a/B.tsx'), ['# React']);
    assert.deepEqual(about('deep/x.css'), ['C']);
    assert.deepEqual(about('src/main/a.ts'), []);
  });

  it('reads what real projects have', async () => {
    const corpus = join(import.meta.dirname, '../../../../../shared/corpus/agent-config');
    if (!existsSync(corpus)) return console.log('      (the corpus folder agent-config is not here: its files were not tried)');
    for (const project of readdirSync(corpus)) {
      const cwd = join(folder, 'real', project);
      await restore(join(corpus, project), cwd);
      const { files, problems } = await memoryFiles({ ...facts, cwd, roots: [cwd] });
      const own = files.filter((file) => file.path.startsWith(cwd));
      assert.equal(new Set(own.map((file) => file.realPath)).size, own.length, `${project}: a file is told twice`);
      if (existsSync(join(cwd, 'AGENTS.md')) || existsSync(join(cwd, 'CLAUDE.md'))) assert.ok(own.length > 0, `${project}: nothing was found`);
      // What these projects import was not collected with them, and must be named; decorators and addresses must not be.
      for (const problem of problems) assert.match(problem, /imports @\.?[\w./-]+\.md, which was left out: there is no such file/);
    }
  });
});

/** Puts a project of the corpus back under its real names. */
async function restore(source: string, target: string): Promise<void> {
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const path = join(source, entry.name);
    const name = entry.name.replace(/^dot-/, '.').replace(/\.(fixture|symlink)$/, '');
    await mkdir(target, { recursive: true });
    if (entry.isDirectory()) await restore(path, join(target, name));
    else if (entry.name.endsWith('.symlink')) await symlink(readFileSync(path, 'utf8').trim(), join(target, name));
    else await writeFile(join(target, name), readFileSync(path));
  }
}
