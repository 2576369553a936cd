import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Headers as LeanHeaders } from '../../../src/platform/leanHeaders.ts';

const name = fc.constantFrom('Accept', 'accept', 'X-Api-Key', 'x-api-key', 'Authorization', 'content-type');
const value = fc.constantFrom('', 'one', ' two ', 'three, four');
const step = fc.oneof(
  fc.record({ what: fc.constantFrom('set' as const, 'append' as const), name, value }),
  fc.record({ what: fc.constant('delete' as const), name, value: fc.constant('') }),
);

describe('LeanHeaders', () => {
  it('does what the standard’s Headers do', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), fc.array(step), (pairs, steps) => {
        const standard = new Headers(pairs);
        const lean = new LeanHeaders(pairs);
        for (const { what, name: header, value: text } of steps) for (const headers of [standard, lean]) headers[what](header, text);
        const seen = (headers: Headers | LeanHeaders): unknown => {
          const each: string[] = [];
          headers.forEach((text, header) => each.push(header, text));
          return [[...headers], [...headers.entries()], [...headers.keys()], [...headers.values()], each, headers.get('ACCEPT'), headers.has('x-API-key'), headers.get('absent')];
        };
        assert.deepEqual(seen(lean), seen(standard));
        assert.deepEqual(seen(new LeanHeaders(lean)), seen(new Headers(standard)));
      }),
    );
  });

  it('is made of an object too', () => {
    assert.deepEqual([...new LeanHeaders({ B: '2', A: '1' })], [['a', '1'], ['b', '2']]);
  });
});
