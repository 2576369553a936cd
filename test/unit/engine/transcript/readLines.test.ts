import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readLines } from '../../../../src/engine/transcript/readLines.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';

describe('readLines', function () {
  this.timeout(60_000);

  it('gives the same lines however the bytes are cut into chunks', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '北', '🙂', '\r', '\u2028', '"') })), fc.boolean(), fc.integer({ min: 1, max: 9 }), async (texts, isEnded, chunk) => {
        const whole = texts.join('\n') + (isEnded ? '\n' : '');
        const bytes = new TextEncoder().encode(whole);
        const files = { ...nodeFileSystem, readRange: (_path: string, offset: number) => Promise.resolve(bytes.subarray(offset, offset + chunk)) };
        const found: string[] = [];
        const lines = readLines(files, 'x');
        let step = await lines.next();
        for (; !step.done; step = await lines.next()) {
          assert.equal(step.value.number, found.length + 1);
          assert.equal(step.value.hasBadBytes, false);
          found.push(step.value.text);
        }
        const endsWithNewline = whole === '' || whole.endsWith('\n');
        assert.deepEqual(found, endsWithNewline ? whole.split('\n').slice(0, -1) : whole.split('\n'));
        assert.deepEqual(step.value, { endsWithNewline });
      }),
    ));
});
