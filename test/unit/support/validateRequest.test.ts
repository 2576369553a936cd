import assert from 'node:assert/strict';
import { SentMessages } from '../../support/sentMessages.ts';
import { validateRequest } from '../../support/validateRequest.ts';
import type { ValidationContext } from '../../support/validateRequest.ts';

type Body = Record<string, unknown>;

const tool = { name: 'Read', description: 'Reads a file', input_schema: { type: 'object', properties: {} } };
const user = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };
const valid: Body = { model: 'claude-sonnet-5-5', max_tokens: 1000, stream: true, tools: [tool], messages: [user] };
const call = (id: string, name = 'Read'): Body => ({ type: 'tool_use', id, name, input: {} });
const result = (id: string, rest: Body = {}): Body => ({ type: 'tool_result', tool_use_id: id, content: 'done', ...rest });
const assistant = (...content: Body[]): Body => ({ role: 'assistant', content });
const answer = (...content: Body[]): Body => ({ role: 'user', content });
const said = (text: string): Body => ({ type: 'text', text });
const conversation = (...messages: unknown[]): Body => ({ ...valid, messages: [user, ...messages] });
const mark = { cache_control: { type: 'ephemeral' } };

describe('validateRequest', () => {
  const accepted: Record<string, [Body, ValidationContext?]> = {
    'a plain prompt': [valid],
    'a text in place of blocks': [{ ...valid, messages: [{ role: 'user', content: 'Hello' }] }],
    'answered calls, with a note after the results': [conversation(assistant(said('Wait.'), call('a'), call('b')), answer(result('b'), result('a'), said('Note')))],
    'a result without content, and a failed one': [conversation(assistant(call('a'), call('b')), answer({ type: 'tool_result', tool_use_id: 'a' }, result('b', { is_error: true })))],
    'a picture in a result': [conversation(assistant(call('a')), answer(result('a', { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }] })))],
    'four cache marks': [{ ...valid, system: [{ ...said('You'), ...mark }], tools: [{ ...tool, ...mark }], messages: [answer({ ...said('1'), ...mark }, { ...said('2'), ...mark })] }],
    'thinking with a budget': [{ ...valid, max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } }],
    'temperature for an old version': [{ ...valid, temperature: 1 }, { apiVersion: '2023-06-01' }],
    'a beta field under its header': [{ ...valid, context_management: { edits: [] } }, { beta: 'context-management-2025-06-27' }],
    'cache_control as a field of a tool input': [conversation(assistant({ ...call('a'), input: { content: [mark, mark, mark, mark, mark] } }), answer(result('a')))],
    'words put into the mouth of the model': [conversation(assistant(said('So')))],
  };
  for (const [name, [body, context]] of Object.entries(accepted)) {
    it(`accepts ${name}`, () => assert.equal(validateRequest(body, context), undefined));
  }

  const refused: Record<string, [unknown, RegExp]> = {
    'what is no object': ['Hello', /not a JSON object/],
    'no model': [{ ...valid, model: undefined }, /^model: Field required/],
    'no max_tokens': [{ ...valid, max_tokens: undefined }, /^max_tokens: Field required/],
    'max_tokens of zero': [{ ...valid, max_tokens: 0 }, /^max_tokens: .*greater than or equal to 1/],
    'max_tokens above the maximum': [{ ...valid, model: 'claude-haiku-4-5', max_tokens: 64_001 }, /^max_tokens: 64001 > 64000, which is the maximum/],
    'an unknown field': [{ ...valid, prompt: 'x' }, /^prompt: Extra inputs are not permitted/],
    'temperature for the current version': [{ ...valid, temperature: 1 }, /^temperature: Extra inputs/],
    'a beta field without its header': [{ ...valid, context_management: {} }, /^context_management: Extra inputs/],
    'a thinking budget as large as the answer': [{ ...valid, max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 2000 } }, /`max_tokens` must be greater than `thinking.budget_tokens`/],
    'an unknown kind of thinking': [{ ...valid, thinking: { type: 'hard' } }, /^thinking: Input tag 'hard'/],
    'no messages': [{ ...valid, messages: [] }, /at least one message is required/],
    'an assistant first': [{ ...valid, messages: [assistant(said('Hi'))] }, /first message must use the "user" role/],
    'a role system': [conversation({ role: 'system', content: 'x' }), /^messages\.1\.role: Input should be/],
    'two prompts in a row': [conversation(user), /roles must alternate .* multiple "user" .*messages\.1/],
    'an empty message': [{ ...valid, messages: [answer()] }, /non-empty content/],
    'an empty text': [{ ...valid, messages: [answer(said(''))] }, /^messages\.0\.content\.0: text content blocks must contain non-whitespace/],
    'a blank text': [{ ...valid, messages: [answer(said(' \n\t'))] }, /non-whitespace/],
    'a blank text in place of blocks': [{ ...valid, messages: [{ role: 'user', content: ' ' }] }, /non-whitespace/],
    'a blank text in a result': [conversation(assistant(call('a')), answer(result('a', { content: [said('')] }))), /^messages\.2\.content\.0\.content\.0: .*non-whitespace/],
    'a blank system block': [{ ...valid, system: [said(' ')] }, /^system: text content blocks must be non-empty/],
    'an unknown field of a message': [{ ...valid, messages: [{ ...user, id: 'm' }] }, /^messages\.0\.id: Extra inputs/],
    'an unknown field of a block': [{ ...valid, messages: [answer({ ...said('x'), uuid: '1' })] }, /^messages\.0\.content\.0\.text\.uuid: Extra inputs/],
    'an unknown field of a call': [conversation(assistant({ ...call('a'), partial: '' }), answer(result('a'))), /tool_use\.partial: Extra inputs/],
    'an unknown kind of block': [{ ...valid, messages: [answer({ type: 'note' })] }, /Input tag 'note'/],
    'a text that is none': [{ ...valid, messages: [answer({ type: 'text', text: 3 })] }, /text\.text: Input should be a valid string/],
    'an input that is no object': [conversation(assistant({ ...call('a'), input: '{}' }), answer(result('a'))), /tool_use\.input: Input should be a valid dictionary/],
    'a result from the model': [conversation(assistant(result('a'))), /`tool_result` blocks are not allowed in `assistant`/],
    'a call from the user': [{ ...valid, messages: [answer(call('a'))] }, /`tool_use` blocks are not allowed in `user`/],
    'an unanswered call at the end': [conversation(assistant(call('a'))), /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: a\./],
    'an unanswered call among others': [conversation(assistant(call('a'), call('b')), answer(result('a'))), /immediately after: b\./],
    'a call answered too late': [conversation(assistant(call('a')), answer(said('x')), assistant(said('y')), answer(result('a'))), /^messages\.1: .*immediately after: a/],
    'a result nobody asked for': [{ ...valid, messages: [answer(result('a'))] }, /unexpected `tool_use_id` found in `tool_result` blocks: a/],
    'a result given twice': [conversation(assistant(call('a')), answer(result('a'), result('a'))), /single result/],
    'a text before the results': [conversation(assistant(call('a')), answer(said('x'), result('a'))), /must come first/],
    'an id used twice': [conversation(assistant(call('a')), answer(result('a')), assistant(call('a')), answer(result('a'))), /ids must be unique/],
    'calls without tools': [{ ...conversation(assistant(call('a')), answer(result('a'))), tools: undefined }, /must define tools/],
    'blanks after words put into the mouth': [conversation(assistant(said('So '))), /cannot end with trailing whitespace/],
    'thinking at the end of a message': [conversation(assistant(said('x'), { type: 'thinking', thinking: 'y', signature: 'z' }), user), /final block in an assistant message cannot be `thinking`/],
    'a fifth cache mark': [{ ...valid, system: [{ ...said('You'), ...mark }], tools: [{ ...tool, ...mark }], messages: [answer(...['1', '2', '3'].map(text => ({ ...said(text), ...mark })))] }, /maximum of 4 blocks with cache_control may be provided\. Found 5/],
    'a mark of an unknown kind': [{ ...valid, messages: [answer({ ...said('x'), cache_control: { type: 'eternal' } })] }, /cache_control: Input tag 'eternal'/],
    'a tool name with a blank': [{ ...valid, tools: [{ ...tool, name: 'read file' }] }, /^tools\.0\.custom\.name: String should match pattern/],
    'a tool name that is too long': [{ ...valid, tools: [{ ...tool, name: 'x'.repeat(129) }] }, /should match pattern/],
    'one tool name twice': [{ ...valid, tools: [tool, tool] }, /Tool names must be unique/],
    'a tool without a schema': [{ ...valid, tools: [{ name: 'Read' }] }, /input_schema: Field required/],
    'a schema that is no object': [{ ...valid, tools: [{ ...tool, input_schema: { type: 'string' } }] }, /input_schema\.type: Input should be 'object'/],
    'a schema of alternatives': [{ ...valid, tools: [{ ...tool, input_schema: { type: 'object', anyOf: [] } }] }, /does not support oneOf, allOf, or anyOf/],
    'an unknown field of a tool': [{ ...valid, tools: [{ ...tool, run: 1 }] }, /tools\.0\.custom\.run: Extra inputs/],
    'a choice of a tool that is not there': [{ ...valid, tool_choice: { type: 'tool', name: 'Write' } }, /Tool 'Write' not found/],
  };
  for (const [name, [body, expected]] of Object.entries(refused)) {
    it(`refuses ${name}`, () => assert.match(validateRequest(body) ?? 'nothing', expected));
  }
});

describe('validateRequest, thinking blocks that were sent', () => {
  const model = 'claude-sonnet-5-5';
  const first = { type: 'thinking', thinking: 'Hm.', signature: 'sig-1' };
  const secret = { type: 'redacted_thinking', data: 'c2VjcmV0' };
  const second = { type: 'thinking', thinking: 'Aha.', signature: 'sig-2' };
  const sent = new SentMessages();
  sent.remember({ model, content: [first, secret, call('a') as never, second, call('b') as never] });
  const trace = (...content: Body[]): Body => conversation(assistant(...content), answer(result('a'), result('b')));
  const check = (body: Body): string => validateRequest(body, { sent }) ?? 'nothing';

  it('accepts them as they were', () => assert.equal(check(trace(first, secret, call('a'), second, call('b'))), 'nothing'));

  const refused: Record<string, [Body, RegExp]> = {
    'an altered text': [trace({ ...first, thinking: 'Hm!' }, secret, call('a'), second, call('b')), /cannot be modified/],
    'an altered signature': [trace({ ...first, signature: 'sig-x' }, secret, call('a'), second, call('b')), /Invalid `signature` in `thinking` block/],
    'altered redacted data': [trace(first, { ...secret, data: 'x' }, call('a'), second, call('b')), /Invalid `data` in `redacted_thinking` block/],
    'a missing first block': [trace(secret, call('a'), second, call('b')), /^messages\.1\.content: Expected `thinking` or `redacted_thinking`, but found `redacted_thinking`/],
    'a missing redacted block': [trace(first, call('a'), second, call('b')), /but found `tool_use`/],
    'all of them missing': [trace(call('a'), call('b')), /but found `tool_use`/],
    'another order': [trace(secret, first, call('a'), second, call('b')), /cannot be modified/],
    'a block behind its call': [trace(first, secret, second, call('a'), call('b')), /cannot be modified/],
    'a block twice': [trace(first, first, secret, call('a'), second, call('b')), /cannot be modified/],
    'a block of another model': [{ ...trace(first, secret, call('a'), second, call('b')), model: 'claude-opus-5-5' }, /Invalid `signature`/],
  };
  for (const [name, [body, expected]] of Object.entries(refused)) {
    it(`refuses ${name}`, () => assert.match(check(body), expected));
  }

  it('accepts that another model does not get them', () => {
    assert.equal(check({ ...trace(call('a'), call('b')), model: 'claude-opus-5-5' }), 'nothing');
  });

  it('accepts that a finished trace does without them, but not altered', () => {
    const later = (content: Body[]): Body => conversation(assistant(...content), answer(result('a'), result('b')), assistant(said('Done.')), user);
    assert.equal(check(later([call('a'), call('b')])), 'nothing');
    assert.match(check(later([{ ...first, thinking: 'x' }, call('a'), call('b')])), /cannot be modified/);
  });
});
