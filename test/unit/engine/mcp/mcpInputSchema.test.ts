import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { usableSchema } from '../../../../src/engine/mcp/mcpInputSchema.ts';
import { validateTools } from '../../../support/validateTools.ts';

const problemOf = (schema: unknown): string | undefined => validateTools([{ name: 'x', description: 'x', input_schema: usableSchema(schema).schema }], undefined);

describe('input schemas of MCP tools', () => {
  it('stay as they are where the API takes them', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false, $defs: { b: {} } };
    assert.deepEqual(usableSchema(schema), { schema, note: '' });
  });

  it('lose what the API refuses, and tell it in words', () => {
    const { schema, note } = usableSchema({ anyOf: [{ required: ['a'] }], properties: { a: {}, 'b c': { type: 'number' } }, required: ['a', 'b c', 7] });
    assert.deepEqual(schema, { type: 'object', properties: { a: {} }, required: ['a'] });
    assert.equal(note, 'Its input also has to fit this JSON Schema: {"anyOf":[{"required":["a"]}],"properties":{"b c":{"type":"number"}}}');
  });

  it('can be anything, and always become one that the API takes', () => {
    const odd = fc.oneof(fc.jsonValue(), fc.record({ type: fc.jsonValue(), properties: fc.jsonValue(), required: fc.jsonValue(), oneOf: fc.jsonValue() }, { requiredKeys: [] }));
    fc.assert(fc.property(odd, (schema) => assert.equal(problemOf(schema), undefined)), { numRuns: 500 });
    let deep: object = {};
    for (let level = 0; level < 10_000; level++) deep = { properties: { a: deep } };
    assert.equal(problemOf(deep), undefined);
  });
});
