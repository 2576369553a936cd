import assert from 'node:assert/strict';
import { lastColdPoint } from '../../../../src/engine/compaction/coldPoint.ts';
import { LEFT_OUT_RESULT, clearAllResults, microcompact } from '../../../../src/engine/compaction/microcompact.ts';
import { snip } from '../../../../src/engine/compaction/snip.ts';
import { toolCallsOf } from '../../../../src/engine/compaction/toolCalls.ts';
import { normalizeMessagesForAPI } from '../../../../src/engine/normalizeMessages.ts';
import type { SessionMessage } from '../../../../src/protocol/messages.ts';
import { answered, call, exchange, result, resultsIn, said, text } from './support.ts';

describe('lastColdPoint', () => {
  const minutes = 60;
  it('finds the message that came more than five minutes after the last answer', () => {
    const messages = [said('u1', 'a', { at: 0 }), answered('a1', [text('x')], { at: 1 }), said('u2', 'b', { at: 5 * minutes }), answered('a2', [text('y')], { at: 5 * minutes + 2 }), said('u3', 'c', { at: 11 * minutes })];
    assert.equal(lastColdPoint(messages), 4);
    assert.equal(lastColdPoint(messages.slice(0, 4)), -1);
  });

  it('sees a tool that ran for long, and does not take a failure of ours for an answer', () => {
    const slow = [said('u', 'a'), answered('c', [call('t', 'Bash')], { at: 1 }), said('r', [result('t', 'ok')], { at: 400 })];
    assert.equal(lastColdPoint(slow), 2);
    const failure: SessionMessage = { ...answered('f', [text('failed')], { at: 1_000 }), isApiErrorMessage: true };
    assert.equal(lastColdPoint([said('u', 'a'), answered('a', [text('x')], { at: 1 }), said('v', 'b', { at: 2 }), failure, said('w', 'c', { at: 1_010 })]), 4);
  });

  it('says nothing about messages without a time', () => {
    assert.equal(lastColdPoint([answered('a', [text('x')]), said('u', 'b', { at: 9_999, timestamp: undefined })]), -1);
  });
});

describe('snip', () => {
  const snipped = (messages: readonly SessionMessage[], coldPoint: number): string => {
    const wire = normalizeMessagesForAPI(snip(messages, toolCallsOf(messages), coldPoint), 'm');
    return wire.map(({ role, content }) => `${role[0]}:${content.map((block) => String(block['id'] ?? block['tool_use_id'] ?? block.type)).join('+')}`).join(' ');
  };
  const conversation = [
    said('u1', 'look'),
    ...exchange('g1', 'Grep', 'No matches found.'),
    ...exchange('g2', 'Grep', 'src/a.ts:1:x'),
    ...exchange('r1', 'Read', 'old text', { input: { file_path: 'a.ts' } }),
    ...exchange('e1', 'Edit', 'The user rejected this. Nothing was changed. Ask what they want instead, or go on without it.', { isError: true }),
    ...exchange('e2', 'Edit', 'The user rejected this. Nothing was changed. They say: keep the name', { isError: true }),
    ...exchange('r2', 'Read', 'new text', { input: { file_path: 'a.ts' } }),
    ...exchange('r3', 'Read', 'a part', { input: { file_path: 'a.ts', offset: 5 } }),
    answered('a1', [text('done')]),
    said('u2', 'next'),
    ...exchange('g3', 'Grep', 'No matches found.'),
  ];

  it('leaves out what carries nothing: empty searches, refusals without a reason, reads that were done again', () => {
    assert.equal(snipped(conversation, conversation.length - 3), 'u:text a:g2 u:g2 a:e2 u:e2 a:r2 u:r2 a:r3 u:r3 a:text u:text a:g3 u:g3');
  });

  it('touches nothing while the cache is warm, nor in the turn that is going on', () => {
    assert.equal(snip(conversation, toolCallsOf(conversation), -1), conversation);
    const slow = conversation.slice(0, -4);
    assert.equal(snip(slow, toolCallsOf(slow), slow.length - 1), slow);
  });

  it('keeps a partial read that a later whole read covers out, but no whole read that only a part follows', () => {
    const whole = { input: { file_path: 'b.ts' } };
    const part = { input: { file_path: 'b.ts', offset: 3, limit: 2 } };
    const after = [answered('a', [text('ok')]), said('u2', 'next')];
    const covered = [said('u1', 'x'), ...exchange('p', 'Read', 'part', part), ...exchange('w', 'Read', 'all', whole), ...after];
    assert.equal(snipped(covered, covered.length - 1), 'u:text a:w u:w a:text u:text');
    const notCovered = [said('u1', 'x'), ...exchange('w', 'Read', 'all', whole), ...exchange('p', 'Read', 'part', part), ...after];
    assert.equal(snipped(notCovered, notCovered.length - 1), 'u:text a:w u:w a:p u:p a:text u:text');
  });

  it('takes the thinking along where all the calls it led to are gone; else it leaves the answer as it is', () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
    const messages = (second: string) => [
      said('u1', 'x'),
      answered('t', [thinking], { id: 'm1' }),
      answered('s', [text('Searching.')], { id: 'm1' }),
      answered('c', [call('g1', 'Grep')], { id: 'm1' }),
      answered('d', [call('g2', 'Glob')], { id: 'm1' }),
      said('r1', [result('g1', 'No matches found.')]),
      said('r2', [result('g2', second)]),
      answered('a', [text('ok')]),
      said('u2', 'next'),
    ];
    assert.equal(snipped(messages('No files found.'), 8), 'u:text a:text+text u:text');
    assert.equal(snipped(messages('a.ts'), 8), 'u:text a:thinking+text+g1+g2 u:g1+g2 a:text u:text');
  });

  it('gives the same objects again', () => {
    const calls = toolCallsOf(conversation);
    const once = snip(conversation, calls, conversation.length - 3);
    const again = snip(conversation, calls, conversation.length - 3);
    assert.ok(once.every((message, index) => message === again[index]));
  });
});

describe('microcompact', () => {
  const long = 'x'.repeat(1_000);
  const reads = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7'];
  const messages = [said('u1', 'x'), ...reads.flatMap((id) => exchange(id, 'Read', long)), ...exchange('e1', 'Edit', long), ...exchange('b1', 'Bash', 'short'), said('u2', 'next'), ...exchange('r8', 'Read', long)];
  const cold = messages.findIndex((message) => message.uuid === 'u2');
  const cleared = (at: number) => Object.entries(resultsIn(microcompact(messages, toolCallsOf(messages), at))).filter(([, content]) => content === LEFT_OUT_RESULT).map(([id]) => id);

  it('leaves out old results beyond the newest five before the cold point, and only such that can be had again', () => {
    assert.deepEqual(cleared(cold), ['r1', 'r2', 'r3']);
    assert.deepEqual(cleared(-1), []);
  });

  it('clears no less when the cache is cold again later', () => {
    assert.deepEqual(cleared(messages.length - 1).slice(0, 3), ['r1', 'r2', 'r3']);
  });

  it('can leave out results of every tool, for a conversation that no longer fits', () => {
    const all = clearAllResults(messages, toolCallsOf(messages), cold);
    assert.deepEqual(Object.entries(resultsIn(all)).filter(([, content]) => content !== LEFT_OUT_RESULT).map(([id]) => id), ['b1', 'r8']);
  });
});
