import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { requestBytes } from '../../../src/platform/requestBytes.ts';

describe('requestBytes', () => {
  it('gives the bytes of JSON.stringify, the first time and every other', () => {
    const list = fc.array(fc.oneof(fc.object({ withUnicodeString: true } as fc.ObjectConstraints), fc.string({ unit: 'grapheme' }), fc.constant(undefined)), { maxLength: 5 });
    const request = fc.dictionary(fc.string(), fc.oneof(list, fc.object(), fc.double(), fc.string({ unit: 'binary' }), fc.constant(undefined)), { maxKeys: 5 });
    fc.assert(
      fc.property(request, (body) => {
        const expected = JSON.stringify(body);
        for (let time = 0; time < 2; time++) assert.equal(Buffer.from(requestBytes(body)).toString(), expected.toWellFormed());
      }),
    );
  });

  it('of a conversation that grows, each message once', () => {
    let made = 0;
    const message = { role: 'user', toJSON: () => ({ role: 'user', content: `said ${++made}` }) };
    const text = (messages: readonly object[]): string => Buffer.from(requestBytes({ messages })).toString();
    assert.equal(text([message]), '{"messages":[{"role":"user","content":"said 1"}]}');
    assert.equal(text([message, { role: 'assistant' }]), '{"messages":[{"role":"user","content":"said 1"},{"role":"assistant"}]}');
  });
});
