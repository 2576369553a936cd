import assert from 'node:assert/strict';
import { compactionTrigger } from '../../../../src/engine/compaction/contextLimits.ts';
import { contextSize } from '../../../../src/engine/compaction/contextSize.ts';
import type { SessionMessage } from '../../../../src/protocol/messages.ts';
import type { CollapseLine } from '../../../../src/protocol/transcript.ts';
import { answered, boundary, said, text } from './support.ts';

const size = (messages: readonly SessionMessage[], collapses: readonly CollapseLine[] = []): number => contextSize({ messages, prepared: messages, collapses, overhead: 1_000 });

describe('contextSize', () => {
  it('takes what the server counted, and estimates what came after', () => {
    assert.equal(size([said('u', 'x'.repeat(9_999)), answered('a', [text('y')], { promptTokens: 500 }), said('v', 'z'.repeat(35))]), 500 + 10 + 14);
  });

  it('estimates all of it where nothing was counted, and an image not by its bytes', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(1_000_000) } };
    assert.equal(size([said('u', [text('x'.repeat(35)), image])]), 1_000 + 14 + 1_600);
  });

  it('does not believe a count from before a compaction, before something was left out, or before a cold cache', () => {
    const old = answered('a', [text('y')], { promptTokens: 90_000 });
    const preserved_segment = { head_uuid: 'a', anchor_uuid: 'k', tail_uuid: 'v' };
    assert.ok(size([boundary('k', { preserved_segment }), old, said('v', 'z')]) < 2_000);
    const collapse: CollapseLine = { type: 'context-collapse', sessionId: 's', timestamp: '', uuid: 'c', kind: 'outputs', headUuid: 'u', tailUuid: 'u', afterUuid: 'v' };
    assert.ok(size([said('u', 'x'), old, said('v', 'z')], [collapse]) < 2_000);
    assert.ok(size([said('u', 'x'), old, said('v', 'z', { at: 1_000 })]) < 2_000);
    const later = answered('b', [text('y')], { promptTokens: 700, at: 1_001 });
    assert.equal(size([said('u', 'x'), old, said('v', 'z', { at: 1_000 }), later]), 710);
  });
});

describe('compactionTrigger', () => {
  it('leaves room for the summary and for what a turn may still add', () => {
    assert.equal(compactionTrigger({ contextWindow: 200_000, maxOutput: 64_000 }), 167_000);
    assert.equal(compactionTrigger({ contextWindow: 200_000, maxOutput: 8_000 }), 179_000);
    assert.equal(compactionTrigger({ contextWindow: 8_000, maxOutput: 1_000 }), 4_000);
  });
});
