// How long the event loop is busy with each message that a session writes down while answers stream.
//   appendMessages.mjs <folder>
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/base/abort.ts';
import { TranscriptStore } from '../../src/engine/transcript/transcriptStore.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import { messagesOf } from '../lib/transcript.mjs';

const turns = 400;
const log = { debug() {}, info() {}, warn() {}, error() {} };
const store = new TranscriptStore({ files: nodeFileSystem, clock: systemClock, log, path: `${process.argv[2]}/append.jsonl`, sessionId: 's', cwd: process.cwd(), version: '1.0.0', leafUuid: null, endsWithNewline: true, size: 0 });
const busy = [];
for (let turn = 0; turn < turns; turn++) {
  for (const message of messagesOf(turn)) {
    const before = performance.eventLoopUtilization();
    store.recordMessage(message);
    store.recordAhead({ type: 'partial', messageId: 'm', blockIndex: 0, text: 'Some text that was shown. '.repeat(10) });
    // As fast as no model streams; what is written meanwhile counts for the message that it meets.
    await wait(2);
    busy.push(performance.eventLoopUtilization(before).active);
  }
}
await store.dispose();
busy.sort((a, b) => a - b);
console.log(JSON.stringify({ median: busy[busy.length >> 1], p99: busy[Math.floor(busy.length * 0.99)], most: busy.at(-1), messages: busy.length }));
