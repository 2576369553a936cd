import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import { projectFolder } from '../../src/engine/transcript/transcriptPath.ts';

/** A configuration folder of Claude Code with sessions of one folder in it, which this process takes for the user's. */
export class ClaudeProject {
  readonly root: string;
  readonly #cwd: string;
  readonly #before = process.env['CLAUDE_CONFIG_DIR'];

  private constructor(root: string, cwd: string) {
    this.root = root;
    this.#cwd = cwd;
    process.env['CLAUDE_CONFIG_DIR'] = root;
  }

  static async make(cwd: string): Promise<ClaudeProject> {
    return new ClaudeProject(await mkdtemp(join(tmpdir(), 'turnstone-claude-')), cwd);
  }

  get folder(): string {
    return projectFolder(this.root, this.#cwd);
  }

  async add(name: string, content: string | Uint8Array | readonly object[]): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(dirname(path), { recursive: true });
    const isLines = Array.isArray(content);
    await writeFile(path, isLines ? content.map((line) => `${JSON.stringify(line)}\n`).join('') : (content as string | Uint8Array));
    return path;
  }

  /** Everything that writing would change: names, bytes, times, inodes. */
  async state(): Promise<string> {
    const names = (await readdir(this.root, { recursive: true })).sort();
    const states = names.map(async (name) => {
      const path = join(this.root, name);
      const { ino, mtimeMs, ctimeMs, size, mode } = await stat(path);
      const hash = (await stat(path)).isFile() ? Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(await nodeFileSystem.readFile(path)))).toString('hex') : '';
      return [name, ino, mtimeMs, ctimeMs, size, mode, hash].join(' ');
    });
    return (await Promise.all(states)).join('\n');
  }

  async remove(): Promise<void> {
    if (this.#before === undefined) delete process.env['CLAUDE_CONFIG_DIR'];
    else process.env['CLAUDE_CONFIG_DIR'] = this.#before;
    await rm(this.root, { recursive: true, force: true });
  }
}

/** Lines as Claude Code writes them, chained one after the other. */
export function claudeLines(cwd: string, said: readonly object[]): object[] {
  let parentUuid: string | null = null;
  return said.map((line, index) => {
    const uuid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const whole = { parentUuid, isSidechain: false, userType: 'external', cwd, sessionId: 'claude', version: '2.1.62', gitBranch: 'main', uuid, timestamp: `2026-01-01T00:00:${String(index % 60).padStart(2, '0')}.000Z`, ...line };
    parentUuid = uuid;
    return whole;
  });
}

export function claudePrompt(content: unknown, more: object = {}): object {
  return { type: 'user', message: { role: 'user', content }, ...more };
}

export function claudeAnswer(id: string, block: object, stopReason: string | null = 'end_turn'): object {
  const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5, service_tier: 'standard' };
  return { type: 'assistant', requestId: `req_${id}`, message: { id, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5-20250929', content: [block], stop_reason: stopReason, stop_sequence: null, usage } };
}
