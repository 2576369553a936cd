import { mkdtemp, readdir, readFile, realpath, rm, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createEngine } from '../../src/sdk/index.ts';
import type { EngineOptions, Session } from '../../src/sdk/index.ts';
import type { SDKMessage, SDKResultMessage } from '../../src/protocol/messages.ts';
import type { PermissionAnswer, PermissionRequest } from '../../src/protocol/permissions.ts';
import { startScriptedServer } from './scriptedServer.ts';
import type { ScriptedServer, ScriptedServerOptions } from './scriptedServer.ts';
import type { ScriptedTurn } from './scriptedTurn.ts';

/** A workspace, a data root and a scripted server of one test, with the real engine between them. */
export class EngineHarness {
  readonly cwd: string;
  readonly dataRoot: string;
  readonly server: ScriptedServer;
  readonly requests: PermissionRequest[] = [];
  /** Answers permission requests; allows by default. */
  answer: (request: PermissionRequest, signal: AbortSignal) => PermissionAnswer | Promise<PermissionAnswer> = () => ({ behavior: 'allow' });
  /** False: what still holds a session when it is resumed counts as the dead process of a crash. */
  respectsLocks = false;
  readonly #folder: string;
  readonly #sessions: Session[] = [];

  private constructor(folder: string, server: ScriptedServer) {
    this.#folder = folder;
    this.cwd = join(folder, 'workspace');
    this.dataRoot = join(folder, 'data');
    this.server = server;
  }

  static async start(turns: readonly ScriptedTurn[] = [], options: ScriptedServerOptions & { readonly files?: Readonly<Record<string, string>> } = {}): Promise<EngineHarness> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnstone-')));
    const harness = new EngineHarness(folder, await startScriptedServer(turns, options));
    await mkdir(harness.cwd, { recursive: true });
    for (const [name, content] of Object.entries(options.files ?? {})) await harness.write(name, content);
    return harness;
  }

  async open(options: Partial<EngineOptions> = {}): Promise<Session> {
    if (!this.respectsLocks) await this.#removeLocks();
    const session = await createEngine({
      cwd: this.cwd,
      dataRoot: this.dataRoot,
      endpoint: { baseUrl: this.server.url, apiKey: async () => 'test-key', apiKeySource: 'test' },
      canUseTool: async (request, signal) => {
        this.requests.push(request);
        return this.answer(request, signal);
      },
      ...options,
    });
    this.#sessions.push(session);
    return session;
  }

  async #removeLocks(): Promise<void> {
    const names = await readdir(this.dataRoot, { recursive: true }).catch(() => []);
    for (const name of names) if (name.endsWith('.lock')) await rm(join(this.dataRoot, name), { force: true });
  }

  path(name: string): string {
    return join(this.cwd, name);
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  async write(name: string, content: string | Uint8Array): Promise<void> {
    await mkdir(dirname(this.path(name)), { recursive: true });
    await writeFile(this.path(name), content);
  }

  async transcript(session: Session): Promise<Record<string, unknown>[]> {
    const text = await readFile(session.transcriptPath, 'utf8');
    return text.split('\n').filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) await session.dispose();
    await this.server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Drains one turn. */
export async function runTurn(session: Session, prompt: string): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of session.submitMessage(prompt)) messages.push(message);
  return messages;
}

export function resultOf(messages: readonly SDKMessage[]): SDKResultMessage {
  const last = messages.at(-1);
  if (last?.type !== 'result') throw new Error(`the turn ended with ${last?.type ?? 'nothing'}, not with a result`);
  return last;
}

/** The text results of tool calls in a request's messages, by call id. */
export function toolResults(body: { readonly messages: readonly { readonly content: unknown }[] }): Record<string, string> {
  const results: Record<string, string> = {};
  for (const { content } of body.messages) {
    if (!Array.isArray(content)) continue;
    for (const block of content as { type: string; tool_use_id?: string; content?: unknown }[]) {
      if (block.type === 'tool_result') results[block.tool_use_id!] = typeof block.content === 'string' ? block.content : JSON.stringify(block.content);
    }
  }
  return results;
}
