import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readPrompt } from '../../../src/protocol/toldPrompt.ts';

describe('readPrompt', () => {
  const cases: readonly (readonly [string, 'said' | 'output', string])[] = [
    ['<command-message>init is running…</command-message>\n<command-name>/init</command-name>\n<command-args>all of it</command-args>', 'said', '/init all of it'],
    ['<command-name>/clear</command-name>\n   <command-message>clear</command-message>\n   <command-args></command-args>', 'said', '/clear'],
    ['<bash-input>npm test</bash-input>', 'said', '! npm test'],
    ['<bash-stdout>ok\n</bash-stdout><bash-stderr>but</bash-stderr>', 'output', 'ok\nbut'],
    ['<local-command-stdout></local-command-stdout>', 'output', ''],
    ['[Request interrupted by user for tool use]', 'output', 'Interrupted.'],
    ['What does <command-name>/x</command-name> mean?', 'said', 'What does <command-name>/x</command-name> mean?'],
    ['<command-name>never closed', 'said', '<command-name>never closed'],
    ['<system-reminder>stays</system-reminder>', 'said', '<system-reminder>stays</system-reminder>'],
  ];
  for (const [text, kind, read] of cases) it(`reads ${JSON.stringify(text.slice(0, 40))}`, () => assert.deepEqual(readPrompt(text), { kind, text: read }));

  it('leaves every other text as it is', () => {
    fc.assert(fc.property(fc.string(), (text) => {
      fc.pre(!/^\s*<|^\s*\[/.test(text));
      assert.deepEqual(readPrompt(text), { kind: 'said', text });
    }));
  });
});
