import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tryParseJson } from '../../../../src/base/json.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { CostTracker } from '../../../../src/engine/cost/costTracker.ts';
import { costEntries } from '../../../../src/engine/cost/transcriptCost.ts';
import { ModelAttempt } from '../../../../src/engine/model/modelAttempt.ts';
import { readLines, parseObjects } from '../../../../src/engine/transcript/readLines.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import type { RawStreamEvent } from '../../../../src/protocol/messages.ts';
import { TestClock } from '../../../support/testClock.ts';
import { streamCosts } from './streamCosts.ts';
import { transcriptCosts } from './transcriptCosts.ts';

const corpus = join(import.meta.dirname, '../../../../../shared/corpus');
const isHere = existsSync(corpus);
const filesOf = (kind: string): string[] => (isHere ? readdirSync(join(corpus, kind), { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/')) : []);

describe('what real answers and sessions have cost', function () {
  this.timeout(60_000);

  if (!isHere) console.log('      (did NOT run on real answers and transcripts: ../shared/corpus is not here)');

  for (const [name, usd] of isHere ? streamCosts : []) {
    it(`${name}: $${usd}`, () => {
      const cost = new CostTracker(() => undefined);
      const attempt = new ModelAttempt({ model: 'asked for' }, { sessionId: 's', clock: new TestClock(), cost });
      for (const event of eventsOf(readFileSync(join(corpus, 'streams', name), 'utf8'))) {
        // As a gateway's second beginning within one stream is taken: what was paid before stays paid.
        if (event.type === 'message_start' && attempt.hasStarted) {
          attempt.settle();
          attempt.withdraw();
        }
        attempt.push(event);
      }
      attempt.settle();
      assert.equal(cost.summary().totalCostUsd, usd);
    });
  }

  for (const [name, usd] of isHere ? transcriptCosts : []) {
    it(`${name}: $${usd}`, async () => {
      const lines: JsonObject[] = [];
      for await (const { text } of readLines(nodeFileSystem, join(corpus, 'transcripts', name), 0)) lines.push(...parseObjects(text).objects);
      const cost = new CostTracker(() => undefined);
      for (const entry of costEntries(lines)) cost.add(entry);
      assert.equal(cost.summary().totalCostUsd, usd);
    });
  }

  it('leaves none of them out', () => {
    const isAnswer = (name: string): boolean => !/^error-\d|\.headers\.json$|\.request\.json$/.test(name);
    if (isHere) assert.deepEqual(filesOf('streams').filter(isAnswer).sort(), streamCosts.map(([name]) => name).sort());
    if (isHere) assert.deepEqual(filesOf('transcripts').filter((name) => name.endsWith('.jsonl')).sort(), transcriptCosts.map(([name]) => name).sort());
    assert.ok(streamCosts.length > 30 && transcriptCosts.length > 60);
  });
});

/** Event streams, one event a line, or one whole message. */
function eventsOf(text: string): RawStreamEvent[] {
  const whole = tryParseJson(text) as JsonObject | undefined;
  if (whole?.['type'] === 'message') return [{ type: 'message_start', message: whole }];
  return text.split('\n').flatMap((line) => (tryParseJson(line.trim().replace(/^data:/, '')) as RawStreamEvent | undefined) ?? []);
}
