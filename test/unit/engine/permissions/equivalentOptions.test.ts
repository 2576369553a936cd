import assert from 'node:assert/strict';
import { verdictOf } from './support.ts';

// These command lines are read, never run.

/** A rule that forbids, what it forbids in other words, and what it has nothing to do with. */
const table: readonly { readonly rule: string; readonly same: readonly string[]; readonly other: readonly string[] }[] = [
  {
    rule: 'Bash(rm -rf:*)',
    same: ['rm -rf x', 'rm -fr x', 'rm -r -f x', 'rm -f -r x', 'rm -Rf x', 'rm --recursive --force x', 'rm --force -r x', 'rm -rfv x', 'rm -v -rf x', 'rm x -rf', 'rm -r x -f', 'rm --recurs --forc x', '/bin/rm -fr x', 'sudo rm -fr x', "bash -c 'rm -f -r x'", 'find . -exec rm -fr {} +', 'npm test && rm -r -f x', 'xargs rm -r --force', 'RM.EXE -fr x'],
    other: ['rm -r x', 'rm -f x', 'rm x', 'rm --force x', 'echo -fr', 'ls -rf'],
  },
  { rule: 'Bash(rm -r -f *)', same: ['rm -rf x', 'rm -fr x'], other: ['rm -r x'] },
  { rule: 'Bash(rm --recursive --force:*)', same: ['rm -rf x', 'rm -fr x'], other: ['rm -r x'] },
  {
    rule: 'Bash(git push --force:*)',
    same: ['git push --force', 'git push -f', 'git push origin main --force', 'git push -f origin main', 'git push origin -f', 'git -C sub push origin main -f', 'git push -uf origin main'],
    other: ['git push', 'git push origin main', 'git pull --force', 'git push --force-with-lease', "git commit -m 'f' -- push"],
  },
  { rule: 'Bash(git commit --no-verify:*)', same: ['git commit -n', "git commit -m 'x' --no-verify", 'git commit -an -m x'], other: ['git commit -m n', 'git commit -mnew'] },
  { rule: 'Bash(git branch -D:*)', same: ['git branch -D x', 'git branch -d -f x', 'git branch --delete --force x', 'git branch -df x'], other: ['git branch -d x'] },
  { rule: 'Bash(git reset --hard:*)', same: ['git reset --hard', 'git reset HEAD~1 --hard'], other: ['git reset --soft HEAD~1'] },
  { rule: 'Bash(chmod -R 777:*)', same: ['chmod -R 777 .', 'chmod --recursive 777 .', 'chmod 777 -R .', 'chmod -fR 777 .'], other: ['chmod 777 x', 'chmod -R 755 .'] },
  { rule: 'Bash(npm install -g:*)', same: ['npm install -g x', 'npm install x -g', 'npm install --global x'], other: ['npm install x'] },
  { rule: 'Bash(kill -9:*)', same: ['kill -9 1', 'kill -KILL 1', 'kill -SIGKILL 1'], other: ['kill 9', 'kill -TERM 1'] },
  { rule: 'Bash(curl -o:*)', same: ['curl -o x https://a', 'curl --output x https://a', 'curl -sSo x https://a', 'curl https://a -ox'], other: ['curl -s https://a', 'curl -H o:1 https://a'] },
  { rule: 'Bash(rm -rf build)', same: ['rm -fr build', 'rm -r -f build'], other: ['rm -rf dist', 'rm -rf build dist', 'rm -rfv build'] },
];

describe('Rules that forbid options', () => {
  for (const { rule, same, other } of table) {
    it(`${rule} forbids other spellings of the same`, async () => {
      for (const line of same) assert.equal(await verdictOf(line, { deny: [rule], allow: ['Bash'] }), 'deny', line);
      for (const line of same) assert.equal(await verdictOf(line, { ask: [rule], allow: ['Bash'] }), 'ask', line);
      for (const line of other) assert.notEqual(await verdictOf(line, { deny: [rule], allow: ['Bash'] }), 'deny', line);
    });
  }

  it('rules that allow are taken word for word', async () => {
    assert.equal(await verdictOf('ls -la', { allow: ['Bash(ls -la)'] }), 'allow');
    for (const line of ['ls -al', 'ls -l -a', 'ls -l --all']) assert.equal(await verdictOf(line, { allow: ['Bash(ls -la)', 'Bash(ls -la:*)'] }), 'ask', line);
  });
});
