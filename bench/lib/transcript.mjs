import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { TranscriptStore } from '../../src/engine/transcript/transcriptStore.ts';

const sessionId = '11111111-2222-4333-8444-555555555555';
/** Steps of one turn: there is a prompt in sixty kilobytes, as in real transcripts. */
const stepsPerPrompt = 8;
/** What one step of the made-up session reads, in characters: a file of some size. */
const resultSize = 6_000;

/**
 * A long session as it stands on disk, made by the real writer: prompts, and after each some thoughts, calls,
 * their results and what is said about them. Compacted so that `shown` bytes of `size` are left. Returns the length of what stands behind the compaction.
 */
export async function writeSession(path, { size, shown, cwd }) {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, 'w');
  let written = 0;
  let boundaryAt = 0;
  const files = {
    stat: async () => ({ kind: 'file', size: written, mode: 0o600, mtimeMs: 0 }),
    hold: () => Promise.reject(new Error('Nobody takes this file away.')),
    appendFile: async (_path, text) => void (written += writeSync(file, text)),
  };
  const clock = { now: () => 1.8e12 + written, setTimeout: () => ({ dispose() {} }) };
  const store = new TranscriptStore({ files, clock, log: { debug() {}, info() {}, warn() {}, error() {} }, path, sessionId, cwd, version: '1.0.0', leafUuid: null, endsWithNewline: true });
  for (let turn = 0; written < size; turn++) {
    if (boundaryAt === 0 && written > size - shown && turn > 0) {
      boundaryAt = written;
      store.recordMessage({ type: 'system', subtype: 'compact_boundary', uuid: uuid(`boundary ${turn}`), session_id: sessionId, compact_metadata: { trigger: 'auto', pre_tokens: 100_000, summary: 'What was done so far. '.repeat(200) } });
    }
    for (const message of messagesOf(turn)) store.recordMessage(message);
    store.record({ type: 'session-state', model: 'claude-haiku-4-5', permissionMode: 'default', cost: { apiDurationMs: turn, apiDurationWithoutRetriesMs: turn, toolDurationMs: turn, linesAdded: 0, linesRemoved: 0, models: {} } });
    await store.flush();
  }
  closeSync(file);
  return { shownBytes: written - boundaryAt, size: written };
}

export function messagesOf(turn) {
  const id = (what) => uuid(`${what} ${turn}`);
  const base = { session_id: sessionId, parent_tool_use_id: null, timestamp: new Date(1.8e12 + turn * 1000).toISOString() };
  const call = `toolu_${id('call').slice(0, 20)}`;
  const answer = (what, content) => ({
    ...base,
    type: 'assistant',
    uuid: id(what),
    message: { id: `msg_${turn}_${what}`, type: 'message', role: 'assistant', model: 'claude-haiku-4-5', content: [content], stop_reason: 'tool_use', stop_sequence: null, usage: { input_tokens: 900, output_tokens: 120, cache_read_input_tokens: 30_000, cache_creation_input_tokens: 700 } },
  });
  const user = (what, content, rest = {}) => ({ ...base, type: 'user', uuid: id(what), message: { role: 'user', content }, ...rest });
  return [
    ...(turn % stepsPerPrompt === 0 ? [user('prompt', `Please look at file ${turn} and say what is wrong with it.`)] : []),
    answer('thought', { type: 'thinking', thinking: 'The user wants to know what is wrong with it. '.repeat(20), signature: id('signature').repeat(8) }),
    answer('call', { type: 'tool_use', id: call, name: 'Read', input: { file_path: `/home/ann/shop/src/file${turn}.ts` } }),
    user('result', [{ type: 'tool_result', tool_use_id: call, content: '     1\tconst total = items.reduce((sum, item) => sum + item.price, 0);\n'.repeat(resultSize / 68) }], { tool_use_result: { kind: 'read', path: `/home/ann/shop/src/file${turn}.ts`, lineCount: 90 } }),
    answer('answer', { type: 'text', text: `The total of file ${turn} leaves the quantity out. `.repeat(12) }),
  ];
}

function uuid(name) {
  const hash = createHash('sha256').update(name).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
