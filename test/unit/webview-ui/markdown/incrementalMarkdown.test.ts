import assert from 'node:assert/strict';
import fc from 'fast-check';
import { appendMarkdown, blocksOf, emptyMarkdown, lexMarkdown } from '../../../../webview-ui/markdown/incrementalMarkdown.ts';
import type { GrowingMarkdown } from '../../../../webview-ui/markdown/incrementalMarkdown.ts';

const document = [
  '# Title',
  '',
  'A paragraph with `code`, **bold** and',
  'a second line.',
  'Setext',
  '===',
  '- one',
  '',
  '  still one',
  '- two',
  '   - nested',
  '',
  '1. a',
  '2. b',
  '',
  '> quote',
  'lazy',
  '',
  '| a | b |',
  '|---|--:|',
  '| 1 | 2 |',
  '',
  '```ts',
  'const a = 1;',
  '',
  '# not a heading',
  '```',
  '<details>',
  'text',
  '</details>',
  '',
  '    indented',
  '',
  '---',
  '* [ ] task',
  '~~~',
  'open fence',
].join('\n');

describe('appendMarkdown', () => {
  for (const step of [1, 2, 7, 20, 333]) {
    it(`gives at every step of ${step} characters what a full lex gives`, () => {
      assertSameAtEverySplit(chunksOf(document, step));
    });
  }

  it('treats CRLF and lone CR as line ends, also when cut in two', () => {
    assertSameAtEverySplit(chunksOf(document.replaceAll('\n', '\r\n'), 1));
    assertSameAtEverySplit(chunksOf(document.replaceAll('\n', '\r'), 3));
  });

  it('keeps together what the lexer reads together', () => {
    assertSameAtEverySplit(chunksOf('|---|---|\n</b>\n---\n\nafter\n', 1));
  });

  it('gives what a full lex gives for any lines in any pieces', () => {
    const line = fc.constantFrom('', '', '- a', '  b', '* c', '1. d', '> e', '```', '~~~', '# f', 'g', '===', '---', '    h', '| a | b |', '|---|---|', '| 1 | 2 |', '<b>', '</b>', '<!-- i', '-->', '\tj', '- [x] k', '-', '+ l');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), fc.integer({ min: 1, max: 12 }), (lines, step) => {
        assertSameAtEverySplit(chunksOf(lines.join('\n'), step));
      }),
      { numRuns: 1500 },
    );
  });

  it('keeps the identity of blocks that are closed', () => {
    let state = emptyMarkdown;
    for (let index = 0; index < 60; index++) state = appendMarkdown(state, `Paragraph ${index}\n\n`);
    const [first] = state.groups;
    state = appendMarkdown(state, 'More\n\nand more\n\n');
    assert.equal(state.groups[0], first);
    assert.ok(state.tail.length < 100, `the tail stays short, it is ${state.tail.length} characters`);
  });
});

function assertSameAtEverySplit(chunks: readonly string[]): void {
  let state: GrowingMarkdown = emptyMarkdown;
  let text = '';
  for (const chunk of chunks) {
    state = appendMarkdown(state, chunk);
    text += chunk;
    assert.deepEqual(blocksOf(state), lexMarkdown(text), `differs after ${JSON.stringify(text)}`);
  }
}

function chunksOf(text: string, size: number): string[] {
  const chunks: string[] = [];
  for (let index = 0; index < text.length; index += size) chunks.push(text.slice(index, index + size));
  return chunks;
}
