import assert from 'node:assert/strict';
import { appendFile, stat, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { loadTranscript } from '../../../../src/engine/transcript/loadTranscript.ts';
import { readTranscript } from '../../../../src/engine/transcript/readTranscript.ts';
import type { ReadRequest, ReadTranscript } from '../../../../src/engine/transcript/readTranscript.ts';
import { afterCompaction } from '../../../../src/engine/transcript/transcriptTree.ts';
import type { TranscriptStore } from '../../../../src/engine/transcript/transcriptStore.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import type { SDKCompactBoundaryMessage, SDKUserMessage } from '../../../../src/protocol/messages.ts';
import { assistantMessage, inFolder, sessionId, storeIn, userMessage } from './support.ts';

type Step = { readonly kind: 'exchange' | 'answer' | 'todos' | 'restart' } | { readonly kind: 'compact'; readonly keep: number } | { readonly kind: 'rewind' | 'side'; readonly to: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<Step>({ kind: 'exchange' }, { kind: 'answer' }, { kind: 'todos' }, { kind: 'restart' }) },
  { weight: 2, arbitrary: fc.nat(4).map((keep): Step => ({ kind: 'compact', keep })) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom<'rewind' | 'side'>('rewind', 'side'), fc.nat(30)).map(([kind, to]): Step => ({ kind, to })) },
);

/** Writes what a session would that does these things. */
async function write(folder: string, steps: readonly Step[]): Promise<string> {
  let store: TranscriptStore = storeIn(folder);
  let branch: string[] = [];
  let count = 0;
  const say = (message: Parameters<TranscriptStore['recordMessage']>[0]): void => {
    store.recordMessage(message);
    branch.push(message.uuid);
  };
  for (const each of steps) {
    const id = `${each.kind}${++count}`;
    switch (each.kind) {
      case 'exchange':
      case 'todos': {
        const result: SDKUserMessage = { ...userMessage(`${id}-r`, ''), message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x'.repeat(200) }] } };
        say(userMessage(id, `Please do ${id}.`));
        say(assistantMessage(`${id}-a`, 'On it.'));
        store.record({ type: 'progress', toolUseID: id, data: { kind: 'status', text: id } });
        say(each.kind === 'exchange' ? result : { ...result, tool_use_result: { kind: 'todos', todos: [{ content: id, status: 'pending', activeForm: id }] } });
        store.record({ type: 'session-state', model: id, permissionMode: 'default', cost: { id } });
        break;
      }
      case 'answer':
        say(assistantMessage(id, 'Done.'));
        break;
      case 'compact': {
        const kept = branch.slice(branch.length - each.keep);
        const preserved_segment = kept.length > 0 ? { head_uuid: kept[0]!, tail_uuid: kept.at(-1)!, anchor_uuid: id } : undefined;
        const boundary: SDKCompactBoundaryMessage = { type: 'system', subtype: 'compact_boundary', uuid: id, session_id: sessionId, compact_metadata: { trigger: 'auto', pre_tokens: 1, preserved_segment, summary: id } };
        say(boundary);
        break;
      }
      case 'rewind': {
        const at = each.to % (branch.length + 1);
        branch = branch.slice(0, at);
        store.record({ type: 'rewind', uuid: id, messageId: id, scope: 'conversation', leafUuid: branch.at(-1) ?? null, previousLeafUuid: store.leafUuid, files: [] });
        store.moveTo(branch.at(-1) ?? null);
        break;
      }
      case 'side':
        store.record({ type: 'file-history-snapshot', messageId: id, isSnapshotUpdate: false, files: [], sequence: count });
        break;
      case 'restart':
        await store.dispose();
        store = storeIn(folder, { leafUuid: store.leafUuid });
    }
  }
  await store.dispose();
  return store.path;
}

async function read(path: string, request: Omit<ReadRequest, 'size'>): Promise<ReadTranscript> {
  return readTranscript(nodeFileSystem, path, { ...request, size: (await stat(path)).size });
}

const shown = ({ branch }: ReadTranscript): unknown => ({ leaf: branch.leafUuid, view: afterCompaction(branch.entries).map(({ value }) => value) });
const all = { need: 'branch' } as const;
const indexed = { need: 'view', sizes: { indexed: 0 } } as const;
const skipped = { need: 'view', sizes: { indexed: 0, skipped: 0 } } as const;

describe('readTranscript', function () {
  this.timeout(120_000);

  it('shows the same whether what compactions replaced is parsed, only indexed, or not read at all', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) =>
        inFolder(async (folder) => {
          const path = await write(folder, [{ kind: 'exchange' }, ...steps]);
          const whole = await read(path, all);
          const quick = await read(path, indexed);
          assert.deepEqual(shown(quick), shown(whole));
          const told = ({ branch }: ReadTranscript): unknown => branch.entries.filter(({ value }) => /^(exchange|todos)\d+$|todos\d+-r/.test(String(value['uuid']))).map(({ value }) => value);
          assert.deepEqual(told(quick), told(whole));
          const rest = ({ entries }: ReadTranscript): unknown => entries.filter(({ value }) => !['user', 'assistant', 'progress', 'session-state'].includes(String(value['type']))).map(({ value }) => value);
          assert.deepEqual(rest(quick), rest(whole));
          const state = ({ entries }: ReadTranscript): unknown => entries.findLast(({ value }) => value['type'] === 'session-state')?.value;
          assert.deepEqual(state(quick), state(whole));
          const tail = await read(path, skipped);
          assert.deepEqual(shown(tail), shown(whole));
          assert.deepEqual([quick.notices, tail.notices], [[], []]);
        }),
      ),
      { numRuns: process.env['TURNSTONE_LONG'] ? 2_000 : 60 },
    ));

  it('parses no more than it has to', () =>
    inFolder(async (folder) => {
      const path = await write(folder, [{ kind: 'exchange' }, { kind: 'exchange' }, { kind: 'compact', keep: 1 }, { kind: 'exchange' }]);
      const { entries } = await read(path, indexed);
      assert.deepEqual(entries.filter((entry) => entry.isIndexed).map(({ value }) => value['uuid']), ['exchange1-r', 'exchange2-a']);
      const tail = await read(path, skipped);
      assert.ok(tail.skippedBytes > 0);
      assert.equal(tail.entries[0]?.value['uuid'], 'exchange2-r');
    }));

  it('finds what was glued to a line that nobody sees, and what is torn there stays a joined gap', () =>
    inFolder(async (folder) => {
      const path = await write(folder, [{ kind: 'exchange' }, { kind: 'answer' }, { kind: 'compact', keep: 0 }, { kind: 'answer' }]);
      const lines = (await nodeFileSystem.readFile(path)).toString().split('\n');
      const at = lines.findIndex((line) => line.includes('"uuid":"answer2"'));
      const glued = JSON.stringify({ type: 'custom-title', sessionId, timestamp: '2026-11-30T00:00:00.000Z', customTitle: 'Glued' });
      lines[at] = lines[at]!.slice(0, -30) + glued;
      await writeFile(path, lines.join('\n'));
      const quick = await read(path, indexed);
      assert.deepEqual(quick.notices, [`Line ${at + 1} could not be read and was skipped.`]);
      assert.ok(quick.entries.some(({ value }) => value['customTitle'] === 'Glued'));
      assert.deepEqual(shown(quick), shown(await read(path, all)));
    }));

  it('goes back before a compaction also where that was not read, and on from there', () =>
    inFolder(async (folder) => {
      const path = await write(folder, [{ kind: 'exchange' }, { kind: 'exchange' }, { kind: 'compact', keep: 0 }, { kind: 'answer' }, { kind: 'rewind', to: 3 }]);
      for (const more of [[], [userMessage('next', 'Another way.')]]) {
        const store = storeIn(folder, { leafUuid: 'exchange1-r' });
        for (const message of more) store.recordMessage(message);
        await store.dispose();
        const { branch, skippedBytes } = await read(path, skipped);
        assert.deepEqual(branch.entries.map(({ value }) => value['uuid']), ['exchange1', 'exchange1-a', 'exchange1-r', ...more.map(({ uuid }) => uuid)]);
        assert.equal(skippedBytes, 0);
      }
    }));

  it('gives up looking for what is nowhere', () =>
    inFolder(async (folder) => {
      const path = await write(folder, [{ kind: 'exchange' }, { kind: 'compact', keep: 0 }, { kind: 'answer' }]);
      const lost = { type: 'user', uuid: 'u', parentUuid: 'nowhere', sessionId, timestamp: '2026-11-30T00:00:00.000Z', message: { role: 'user', content: 'And?' } };
      await appendFile(path, `${JSON.stringify(lost)}\n`);
      const tail = await read(path, skipped);
      assert.deepEqual(tail.branch.bridged.length, 1);
      assert.deepEqual(shown(tail), shown(await read(path, all)));
      assert.deepEqual((await loadTranscript(nodeFileSystem, path)).messages.map(({ uuid }) => uuid), ['compact2', 'answer3', 'u']);
    }));
});
