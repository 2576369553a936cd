import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SDKMessage } from '../../src/protocol/messages.ts';
import type { EngineOptions, Session } from '../../src/sdk/index.ts';
import type { EngineHarness } from './engineHarness.ts';
import { message, toolUse } from './scriptedMessage.ts';
import { turn } from './scriptedTurn.ts';
import type { ScriptedTurn } from './scriptedTurn.ts';

/** The server of the tests as an entry of a configuration. */
export function fixtureServer(...flags: string[]): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: ['--no-warnings', join(import.meta.dirname, 'mcpServerMain.ts'), ...flags] };
}

/** An answer that calls one tool of the server `fix`; the call goes by the tool's name, or by `id`. */
export function mcpCall(tool: string, input: object = {}, id = tool): ScriptedTurn {
  return turn({ reply: message([toolUse(`mcp__fix__${tool}`, input, { id })]) });
}

export const done = turn({ reply: message('done') });

/** A session with the server `fix`, or with others. */
export function openWithServers(harness: EngineHarness, servers: object = { fix: fixtureServer() }, options: Partial<EngineOptions> = {}): Promise<Session> {
  return harness.open({ mcp: { servers: () => servers }, ...options });
}

/** Names of the MCP tools in the request of that number, from 0. */
export function offeredTools(harness: EngineHarness, request: number): readonly string[] {
  return (harness.server.requests[request]!.body.tools ?? []).map((tool) => String(tool['name'])).filter((name) => name.startsWith('mcp__'));
}

/** What servers that were started with `--pids` wrote there. */
export async function linesOf(path: string): Promise<readonly string[]> {
  return (await readFile(path, 'utf8').catch(() => '')).split('\n').filter(Boolean);
}

/** A process that has ended and waits to be noticed by its parent does not run. */
export function isRunning(pid: string | number): boolean {
  try {
    process.kill(Number(pid), 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Waits until it holds; the test's own time limit ends it. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

export function noticesOf(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.text] : []));
}

/** What the turn said at its beginning about the servers. */
export function statusesOf(messages: readonly SDKMessage[]): readonly { readonly name: string; readonly status: string }[] {
  return messages.flatMap((each) => (each.type === 'system' && each.subtype === 'init' ? each.mcp_servers : []));
}
