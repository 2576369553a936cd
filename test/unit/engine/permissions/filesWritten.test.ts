import assert from 'node:assert/strict';
import { verdictOf } from './support.ts';

// These command lines are read, never run. Everything is allowed but what would be written where each edit is asked about.

const asked = [
  'wget https://x/.npmrc', 'wget -q https://x/a/.bashrc', 'wget x/.npmrc', 'wget https://x/.npmrc?y=1', 'wget -P sub/.git https://x/a', 'wget --directory-prefix=.vscode https://x/settings.json', 'wget -P ../elsewhere https://x/a', 'wget -O .npmrc https://x/a', 'sudo wget https://x/.npmrc', 'xargs wget https://x/.npmrc',
  'curl -O https://x/.npmrc', 'curl -sSLO https://x/.envrc', 'curl --remote-name https://x/.npmrc', 'curl --remote-name-all https://x/a https://x/.npmrc', 'curl -O --output-dir .git https://x/config', 'curl -o .npmrc https://x', 'curl -o.npmrc https://x', 'curl --output .npmrc https://x', 'curl --output=.npmrc https://x', 'curl -sSLo .bashrc https://x',
  'npm --cache /elsewhere install', 'npm install --cache=/elsewhere', 'npm install --prefix ../other', 'npm --userconfig ~/.npmrc2 ci', 'pip install --cache-dir /elsewhere x', 'pip install --target ../other x', 'yarn --cache-folder /elsewhere',
  'npm config set x y', 'npm set x y', 'npm config set x y --location=project', 'npm config delete x --location project',
  'git config user.name x', 'git config --global core.pager x', 'git config --system a.b c', 'git config -f .gitmodules a.b c', 'git config --file=../x a.b c', 'git config --unset a.b', 'git -C sub config a.b c',
  "sed -i '' s/a/b/ .npmrc", "sed -i '' -e s/a/b/ .npmrc", 'sed -i.bak s/a/b/ .npmrc', "sed -i '' s/a/b/ ../x",
];

const allowed = ['wget https://x/a.txt', 'wget https://x/', 'wget -O out.txt https://x/.npmrc', 'curl https://x/.npmrc', 'curl -O https://x/a.txt', 'curl -o out.txt https://x/.npmrc', 'npm --cache .cache install', 'npm config get x', 'npm test', 'git config --get a.b', 'git config --list', 'git config --global --get user.name', "sed -i '' s/a/b/ a.ts", "sed -n '' .npmrc"];

describe('What a command writes without saying so', () => {
  it('is asked about where every edit is', async () => {
    for (const line of asked) assert.equal(await verdictOf(line, { allow: ['Bash'] }), 'ask', line);
  });

  it('is no reason to ask elsewhere', async () => {
    for (const line of allowed) assert.equal(await verdictOf(line, { allow: ['Bash'] }), 'allow', line);
  });

  it('is denied where a rule forbids to edit it', async () => {
    for (const line of ['wget https://x/package.json', 'curl -O https://x/package.json', "sed -i '' s/a/b/ package.json", 'git config -f package.json a b']) assert.equal(await verdictOf(line, { allow: ['Bash'], deny: ['Edit(package.json)'] }), 'deny', line);
  });

  it('an empty ending for copies does not hide the script behind it', async () => {
    assert.equal(await verdictOf("sed -i '' s/a/b/ a.ts", { allow: ['Bash(sed:*)'] }), 'allow');
    for (const script of ["'s/a/b/e'", "'w .npmrc'", "'1e id'"]) assert.equal(await verdictOf(`sed -i '' ${script} a.ts`, { allow: ['Bash(sed:*)'] }), 'ask', script);
  });
});
