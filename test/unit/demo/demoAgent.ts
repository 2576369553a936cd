import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DemoModel } from '../../../src/demo/startDemoModel.ts';
import type { WireBlock, WireMessage } from '../../support/apiTypes.ts';
import { foldEvents, parseEventStream } from '../../support/readEventStream.ts';
import { validateRequest } from '../../support/validateRequest.ts';

/** A result that a test puts in place of running a call. */
export interface FakeResult {
  readonly content: string;
  readonly isError: boolean;
}

/** The smallest agent that can work for the demo model: holds the conversation, runs its calls in a copy of the sample workspace. */
export class DemoAgent {
  readonly folder: string;
  readonly messages: WireMessage[] = [];
  /** The calls so far, as `Name argument`. */
  readonly calls: string[] = [];
  toolNames = ['Read', 'Write', 'Edit', 'Bash', 'Glob', 'Grep', 'TodoWrite'];
  /** Answers a call in place of the tool, where it gives a result. */
  intercept: (call: WireBlock) => FakeResult | undefined = () => undefined;
  private readonly model: DemoModel;

  constructor(model: DemoModel) {
    this.model = model;
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'demo-agent-')));
    cpSync(fileURLToPath(new URL('../../../samples/workspace', import.meta.url)), this.folder, { recursive: true });
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true });
  }

  file(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** Sends a prompt and works until the model has nothing more to call; hands back all its texts of this turn. */
  async ask(prompt: string): Promise<string> {
    this.messages.push({ role: 'user', content: [{ type: 'text', text: '<context name="date">\nMonday\n</context>' }, { type: 'text', text: prompt }] });
    const texts: string[] = [];
    for (let iteration = 0; iteration < 20; iteration++) {
      const { content, stopReason } = await this.request();
      texts.push(...content.filter(block => block.type === 'text').map(block => String(block['text'])));
      this.messages.push({ role: 'assistant', content });
      const calls = content.filter(block => block.type === 'tool_use');
      assert.equal(stopReason, calls.length > 0 ? 'tool_use' : 'end_turn');
      if (calls.length === 0) return texts.join('\n');
      this.messages.push({ role: 'user', content: calls.map(call => this.execute(call)) });
    }
    throw new Error('the demo model did not come to an end');
  }

  private async request(): Promise<ReturnType<typeof foldEvents>> {
    const body = {
      model: 'turnstone-demo',
      max_tokens: 8000,
      stream: true,
      system: `You are an agent.\nWorking directory: ${this.folder}\nBe brief.`,
      tools: this.toolNames.map(name => ({ name, input_schema: { type: 'object' } })),
      messages: this.messages,
    };
    assert.equal(validateRequest(body), undefined);
    const response = await fetch(`${this.model.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.model.apiKey}` },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 200);
    return foldEvents(parseEventStream(await response.text()));
  }

  private execute(call: WireBlock): WireBlock {
    const input = call['input'] as Record<string, string>;
    const path = input['file_path'] ?? '';
    this.calls.push(`${String(call['name'])} ${path === '' ? (input['command'] ?? input['pattern'] ?? '') : basename(path)}`.trim());
    const result = this.intercept(call) ?? this.run(String(call['name']), input, path);
    return { type: 'tool_result', tool_use_id: call['id'], content: result.content, ...(result.isError ? { is_error: true } : {}) };
  }

  private run(name: string, input: Record<string, unknown>, path: string): FakeResult {
    switch (name) {
      case 'Read':
        if (!existsSync(path)) return { content: `There is no file ${path}.`, isError: true };
        return ok(readFileSync(path, 'utf8').replace(/\n$/, '').split('\n').map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join('\n'));
      case 'Write':
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, String(input['content']));
        return ok(`Wrote ${path}.`);
      case 'Edit':
        return this.edit(path, input);
      case 'Bash': {
        const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}` };
        const { status, stdout, stderr } = spawnSync(String(input['command']), { cwd: this.folder, shell: true, encoding: 'utf8', env });
        return { content: `${stdout}${stderr}${status === 0 ? '' : `\nExit code ${status}`}`, isError: status !== 0 };
      }
      case 'Glob':
        return ok(this.allFiles().filter(file => basename(file) === basename(String(input['pattern']))).join('\n'));
      case 'Grep':
        return this.grep(String(input['pattern']), input['output_mode'] === 'content');
      default:
        return ok('Done.');
    }
  }

  private edit(path: string, input: Record<string, unknown>): FakeResult {
    const [oldText, newText] = [String(input['old_string']), String(input['new_string'])];
    const parts = readFileSync(path, 'utf8').split(oldText);
    if (parts.length < 2 || (parts.length > 2 && input['replace_all'] !== true)) return { content: `old_string occurs ${parts.length - 1} times.`, isError: true };
    writeFileSync(path, parts.join(newText));
    return ok(`Edited ${path}.`);
  }

  private grep(pattern: string, withContent: boolean): FakeResult {
    const hits = this.allFiles().flatMap(file => {
      const lines = readFileSync(file, 'utf8').split('\n').filter(line => new RegExp(pattern).test(line));
      return withContent ? lines.map(line => `${file}:${line}`) : lines.length > 0 ? [file] : [];
    });
    return ok(hits.join('\n'));
  }

  private allFiles(): string[] {
    return readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name));
  }
}

function ok(content: string): FakeResult {
  return { content, isError: false };
}
