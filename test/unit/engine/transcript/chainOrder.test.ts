import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { deferred, type Deferred } from '../../../../src/base/deferred.ts';
import { loadTranscript } from '../../../../src/engine/transcript/loadTranscript.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import { assistantMessage, failingFiles, inFolder, storeIn, userMessage } from './support.ts';

type Step =
  | { readonly kind: 'user' | 'beside' | 'ahead' | 'settle' | 'wait' | 'restart' }
  /** Blocks of one answer, whose usage comes later. */
  | { readonly kind: 'answer'; readonly blocks: number }
  /** The disk takes so many bytes of the next append. */
  | { readonly kind: 'fault'; readonly bytes: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom<Step>({ kind: 'user' }, { kind: 'beside' }, { kind: 'ahead' }, { kind: 'settle' }, { kind: 'wait' }, { kind: 'restart' }),
  fc.integer({ min: 1, max: 3 }).map((blocks): Step => ({ kind: 'answer', blocks })),
  fc.nat(400).map((bytes): Step => ({ kind: 'fault', bytes })),
);

type Line = { readonly type: string; readonly uuid: string; readonly parentUuid: string | null; readonly message: { readonly stop_reason?: string; readonly usage?: { readonly output_tokens: number } } };

describe('The lines of a conversation', function () {
  this.timeout(120_000);

  it('stand in the order in which they were said, each after the one before, with the final usage, whenever they are written and whatever fails', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) =>
        inFolder(async (folder) => {
          const plan: { failAfterBytes: number | undefined } = { failAfterBytes: undefined };
          let store = storeIn(folder, { files: failingFiles(plan) });
          const said: string[] = [];
          let open: { readonly messages: ReturnType<typeof assistantMessage>[]; readonly settled: Deferred<void> } | undefined;
          const settle = (): void => {
            for (const { message } of open?.messages ?? []) Object.assign(message, { stop_reason: 'end_turn', usage: { input_tokens: 5, output_tokens: 77 } });
            open?.settled.resolve();
            open = undefined;
          };
          for (const [index, each] of steps.entries()) {
            switch (each.kind) {
              case 'user':
                // What answers an answer comes when that is complete.
                settle();
                store.recordMessage(userMessage(`u${index}`, 'text'));
                said.push(`u${index}`);
                break;
              case 'answer': {
                settle();
                const messages = Array.from({ length: each.blocks }, (_, block) => assistantMessage(`a${index}-${block}`, 'text'));
                open = { messages, settled: deferred() };
                for (const message of messages) store.recordMessage(message, { holdUntil: open.settled.promise });
                said.push(...messages.map(({ uuid }) => uuid));
                break;
              }
              case 'beside':
                store.record({ type: 'ai-title', aiTitle: `t${index}` });
                break;
              case 'ahead':
                store.recordAhead({ type: 'partial', messageId: `p${index}`, withdrawn: true });
                break;
              case 'settle':
                settle();
                break;
              case 'wait':
                if (!open) await store.flush().catch(() => {});
                break;
              case 'fault':
                plan.failAfterBytes = each.bytes;
                if (!open) await store.flush().catch(() => {});
                plan.failAfterBytes = undefined;
                break;
              case 'restart': {
                settle();
                await store.dispose();
                const loaded = await nodeFileSystem.stat(store.path).then((found) => (found ? loadTranscript(nodeFileSystem, store.path) : undefined));
                store = storeIn(folder, { files: failingFiles(plan), leafUuid: loaded?.leafUuid ?? null, endsWithNewline: loaded?.endsWithNewline ?? true });
              }
            }
          }
          settle();
          store.record({ type: 'ai-title', aiTitle: 'last' });
          await store.dispose();
          const lines = (await readFile(store.path, 'utf8')).split('\n').flatMap((text) => parsed(text)).filter(({ type }) => type === 'user' || type === 'assistant');
          assert.deepEqual(lines.map(({ uuid }) => uuid), said);
          assert.deepEqual(lines.map(({ parentUuid }) => parentUuid), [null, ...said].slice(0, said.length));
          for (const { type, message } of lines) if (type === 'assistant') assert.deepEqual([message.stop_reason, message.usage?.output_tokens], ['end_turn', 77]);
          assert.deepEqual((await loadTranscript(nodeFileSystem, store.path)).messages.map(({ uuid }) => uuid), said);
        }),
      ),
      { numRuns: process.env['TURNSTONE_LONG'] ? 2_000 : 80 },
    ));
});

/** Nothing for the piece of a line that a failing disk left. */
function parsed(text: string): Line[] {
  try {
    return [JSON.parse(text) as Line];
  } catch {
    return [];
  }
}
