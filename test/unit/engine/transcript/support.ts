import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../src/base/abort.ts';
import { silentLog } from '../../../../src/base/log.ts';
import type { FileSystem } from '../../../../src/engine/ports.ts';
import { TranscriptStore, type TranscriptStoreOptions } from '../../../../src/engine/transcript/transcriptStore.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import type { SDKAssistantMessage, SDKUserMessage } from '../../../../src/protocol/messages.ts';

export const sessionId = '11111111-2222-4333-8444-555555555555';

/** A folder of its own for one piece of a test, gone afterwards. */
export async function inFolder<T>(action: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'turnstone-'));
  try {
    return await action(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function userMessage(uuid: string, text: string): SDKUserMessage {
  return { type: 'user', uuid, session_id: sessionId, message: { role: 'user', content: text }, parent_tool_use_id: null };
}

export function assistantMessage(uuid: string, text: string): SDKAssistantMessage {
  return {
    type: 'assistant',
    uuid,
    session_id: sessionId,
    message: {
      id: `msg_${uuid}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-5',
      content: [{ type: 'text', text }],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    parent_tool_use_id: null,
  };
}

export function storeIn(folder: string, options: Partial<TranscriptStoreOptions> = {}): TranscriptStore {
  return new TranscriptStore({
    files: nodeFileSystem,
    clock: systemClock,
    log: silentLog,
    path: join(folder, `${sessionId}.jsonl`),
    sessionId,
    cwd: folder,
    version: '0.0.0',
    leafUuid: null,
    endsWithNewline: true,
    ...options,
  });
}

/** The real file system, some of whose appends fail: after the given number of bytes were written. */
export function failingFiles(plan: { failAfterBytes: number | undefined; code?: string }): FileSystem {
  return {
    ...nodeFileSystem,
    async appendFile(path, text) {
      if (plan.failAfterBytes === undefined) return nodeFileSystem.appendFile(path, text);
      const bytes = new TextEncoder().encode(text).subarray(0, plan.failAfterBytes);
      const old = (await nodeFileSystem.stat(path)) ? await nodeFileSystem.readFile(path) : new Uint8Array();
      await nodeFileSystem.writeFile(path, Buffer.concat([old, bytes]));
      throw Object.assign(new Error('no space left on device'), { code: plan.code ?? 'ENOSPC' });
    },
  };
}
