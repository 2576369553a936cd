import assert from 'node:assert/strict';
import { hostileLines } from '../../../support/hostileLines.ts';
import { verdictOf } from './support.ts';

// These command lines are read, never run.

const rules = { deny: ['Bash(rm:*)', 'Bash(git push:*)', 'Read(.env)', 'Read(secrets/**)'], ask: ['Bash(npm publish)'], allow: ['Bash'] };

describe('Command lines that are made to take long', () => {
  it('are judged without an error, whatever their size', async () => {
    for (const length of [500, 9_900]) for (const [name, line] of Object.entries(hostileLines(length))) assert.match(await verdictOf(line, rules), /^(allow|ask|deny)$/, name);
  });

  it('are asked about beyond what can be looked through, also where everything is allowed', async () => {
    const tooMuch = {
      commands: 'a;'.repeat(101), words: `a ${'b '.repeat(500)}`, paths: `a ${'b:'.repeat(301)}`, substitutions: 'echo $(a) '.repeat(61), expansions: 'echo $a '.repeat(301), groups: '('.repeat(501), length: `a ${'b'.repeat(10_000)}`,
      'paths from braces': `cat file:///${'{a,b}'.repeat(12)} ${'x=y:z@'.repeat(90)}`,
    };
    for (const [name, line] of Object.entries(tooMuch)) assert.equal(await verdictOf(line, { allow: ['Bash'] }), 'ask', name);
  });

  it('are denied all the same where their first words say what is forbidden', async () => {
    for (const line of [`rm -rf ${'a '.repeat(6_000)}`, `sudo rm ${'a '.repeat(6_000)}`, `git push; ${'a;'.repeat(6_000)}`]) assert.equal(await verdictOf(line, rules), 'deny', line.slice(0, 20));
  });

  it('what people write is looked through: long here-documents, lists of files, loops', async () => {
    const lines = [`cat <<'EOF' | wc -l\n${'const x = call(a, { b: 1 });\n'.repeat(100)}EOF`, `npx tsc ${'src/some/folder/file.ts '.repeat(200)}`, 'for i in 1 2 3; do echo "$i: $(date)"; done; '.repeat(10)];
    for (const line of lines) assert.equal(await verdictOf(line, { allow: ['Bash'] }), 'allow', line.slice(0, 30));
  });
});
