import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { inProject } from './project.mjs';

/** Copies the sample workspace into `parent` and makes it a git repository where git is installed. Returns the copy. */
export function copySample(parent) {
  const copy = path.join(fs.realpathSync(parent), 'shopping-cart');
  fs.cpSync(inProject('samples', 'workspace'), copy, { recursive: true });
  const git = (...args) => spawnSync('git', args, { cwd: copy, stdio: 'ignore', env: withoutGitVariables() }).status === 0;
  if (git('init', '--quiet') && git('add', '--all')) {
    const author = ['-c', 'user.name=Turnstone sample', '-c', 'user.email=sample@localhost', '-c', 'commit.gpgsign=false'];
    git(...author, 'commit', '--quiet', '--no-verify', '--message', 'The sample as it came');
  }
  return copy;
}

/** A git hook that runs the tests sets GIT_DIR: the sample must not be committed into that repository. */
function withoutGitVariables() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
}
