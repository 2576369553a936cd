import assert from 'node:assert/strict';
import { applyBoundary, afterLastBoundary } from '../../../../src/engine/compaction/compactBoundary.ts';
import { applyCollapses } from '../../../../src/engine/compaction/contextCollapse.ts';
import { LEFT_OUT_RESULT } from '../../../../src/engine/compaction/microcompact.ts';
import { choosePreserved, safeCuts } from '../../../../src/engine/compaction/preservedSegment.ts';
import { toolCallsOf } from '../../../../src/engine/compaction/toolCalls.ts';
import { textOf } from '../../../../src/protocol/contentBlocks.ts';
import type { SessionMessage } from '../../../../src/protocol/messages.ts';
import type { CollapseLine } from '../../../../src/protocol/transcript.ts';
import { answered, boundary, call, exchange, note, result, resultsIn, said, text, uuids } from './support.ts';

function entry(uuid: string, kind: CollapseLine['kind'], head: string, tail: string): CollapseLine {
  return { type: 'context-collapse', sessionId: 's', timestamp: '', uuid, kind, headUuid: head, tailUuid: tail, afterUuid: tail, summary: `summary ${uuid}` };
}

describe('applyCollapses', () => {
  const messages = [said('u1', 'a'), note('n1', '<context name="instructions /x">\nbe brief\n</context>'), ...exchange('t1', 'Edit', 'y'.repeat(900)), answered('a1', [text('b')]), said('u2', 'c'), answered('a2', [text('d')])];
  const shown = (log: readonly CollapseLine[]) => applyCollapses(messages, log, toolCallsOf(messages));

  it('tells a range as its summary; instructions in it stay word for word', () => {
    const log = [entry('k1', 'summary', 'u1', 'a1')];
    const collapsed = shown(log);
    assert.equal(uuids(collapsed), 'k1 n1 u2 a2');
    assert.match(textOf((collapsed[0] as ReturnType<typeof said>).message.content), /<summary>\nsummary k1\n<\/summary>/);
    assert.equal(shown(log)[0], collapsed[0]);
  });

  it('lets the newest entry about a message count, and ignores what is not there', () => {
    assert.equal(uuids(shown([entry('k1', 'summary', 'u1', 't1'), entry('k2', 'summary', 'u1', 'a1'), entry('k3', 'summary', 'gone', 'a2')])), 'k2 n1 u2 a2');
  });

  it('leaves out results up to a message', () => {
    assert.deepEqual(resultsIn(shown([entry('k1', 'outputs', 'u1', 't1-result')])), { t1: LEFT_OUT_RESULT });
    assert.equal(shown([]), messages);
  });
});

describe('safeCuts', () => {
  it('parts no call from its result and no answer in two', () => {
    const messages = [
      said('u1', 'a'), answered('c1', [call('t1', 'Read')], { id: 'm' }), answered('c2', [call('t2', 'Read')], { id: 'm' }),
      said('r1', [result('t1', 'x')]), said('r2', [result('t2', 'y')]), note('n', 'files changed'), answered('a1', [text('b')]), said('u2', 'c'),
    ];
    assert.deepEqual(safeCuts(messages, 0).map((index) => messages[index]!.uuid), ['c1', 'n', 'a1', 'u2']);
  });
});

describe('choosePreserved', () => {
  const turn = (name: string, size: number): SessionMessage[] => [said(`u-${name}`, 'x'.repeat(size)), answered(`a-${name}`, [text('ok')])];

  it('keeps the last exchanges that fit, and the request being worked on wherever it is', () => {
    const messages = [...turn('1', 4_000), ...turn('2', 4_000), said('request', 'please'), ...exchange('t1', 'Read', 'z'.repeat(7_000)), ...exchange('t2', 'Read', 'z'.repeat(2_000))];
    const segment = choosePreserved(messages, 1_000)!;
    assert.equal(messages[segment.head]!.uuid, 't2');
    assert.equal(messages[segment.request!]!.uuid, 'request');
    const wide = choosePreserved(messages, 3_000)!;
    assert.ok(wide.head <= messages.findIndex((message) => message.uuid === 'request'));
    assert.equal(wide.request, undefined);
  });

  it('keeps the last exchange however large it is, and finds nothing before a single message', () => {
    const messages = [...turn('1', 10), ...exchange('t1', 'Read', 'z'.repeat(50_000))];
    assert.equal(messages[choosePreserved(messages, 10)!.head]!.uuid, 't1');
    assert.equal(choosePreserved([said('u', 'x')], 10), undefined);
  });

  it('does not reach back beyond what an earlier compaction kept', () => {
    const segment = { head_uuid: 'a-1', anchor_uuid: 'k', tail_uuid: 'a-1', request_uuid: 'request' };
    const messages = applyBoundary([...turn('0', 10), said('request', 'please'), ...turn('1', 10)], boundary('k', { preserved_segment: segment, summary: 's' }));
    assert.equal(uuids(messages), 'k request a-1');
    const longer = [...messages, ...turn('2', 10)];
    const chosen = choosePreserved(longer, 100_000)!;
    assert.equal(longer[chosen.head]!.uuid, 'a-1');
  });
});

describe('afterLastBoundary', () => {
  it('tells the summary in place of what it replaced, always as the same message', () => {
    const kept = boundary('k', { summary: 'what was' });
    const messages = [said('old', 'x'), kept, said('u', 'y')];
    const current = afterLastBoundary(messages);
    assert.equal(uuids(current), 'k k u');
    assert.match(textOf((current[1] as ReturnType<typeof said>).message.content), /what was/);
    assert.equal(afterLastBoundary(messages)[1], current[1]);
    assert.equal(uuids(afterLastBoundary([said('old', 'x'), boundary('k'), said('u', 'y')])), 'k u');
  });
});
