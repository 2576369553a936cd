import { spawn } from 'node:child_process';
import { rename, rm, writeFile } from 'node:fs/promises';

/** How a server of the tests talks to its client beside answering. */
export interface McpPeer {
  notify(method: string, params?: unknown): void;
  /** Asks the client something. */
  ask(method: string): Promise<unknown>;
}

export interface McpMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly [field: string]: unknown };
  readonly result?: unknown;
}

type Input = { readonly [field: string]: string };

interface FixtureTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
}

const object = { type: 'object' };
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const plainTools: readonly FixtureTool[] = [
  { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
  { name: 'look', description: 'Only looks.', inputSchema: object, annotations: { readOnlyHint: true } },
  ...['write', 'delete', 'rename', 'image', 'mixed', 'huge', 'fail', 'structured', 'crash', 'grow', 'hang', 'roots', 'child', 'progress'].map((name) => ({ name, inputSchema: object })),
];

/** What a careless server has. */
const oddTools: readonly unknown[] = [
  { name: 'with spaces/and ünïcode', inputSchema: object },
  { name: 'with spaces.and_ünïcode', inputSchema: object },
  { name: `${'long_'.repeat(20)}end`, inputSchema: object },
  { name: `${'long_'.repeat(20)}other`, inputSchema: object },
  { name: 'no_schema' },
  { name: 'no_type', inputSchema: { properties: { a: { type: 'string' } } } },
  { name: 'either', inputSchema: { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }], properties: { a: {}, 'b c': { type: 'number' } }, required: ['b c'] } },
  { name: 'twice', inputSchema: object, description: 'the first' },
  { name: 'twice', inputSchema: object, description: 'the second' },
  { name: 'list', inputSchema: ['no', 'object'] },
  { description: 'has no name' },
  'no tool at all',
];

/** A server for the tests: what it can do, and what it answers. */
export class McpFixture {
  readonly #isOdd: boolean;
  #hasGrown = false;
  readonly #peer: McpPeer;
  /** Ids of calls that the client has cancelled. */
  readonly cancelled: unknown[] = [];

  constructor(peer: McpPeer, options: { readonly odd?: boolean } = {}) {
    this.#peer = peer;
    this.#isOdd = options.odd === true;
  }

  /** The answer to a request; undefined for a notification, or where none will ever come. */
  async answer({ id, method, params = {} }: McpMessage): Promise<unknown> {
    if (method === 'notifications/cancelled') this.cancelled.push(params['requestId']);
    if (id === undefined) return undefined;
    const result = await this.#result(method ?? '', params);
    return result === undefined ? undefined : { jsonrpc: '2.0', id, ...(result as object) };
  }

  async #result(method: string, params: { readonly [field: string]: unknown }): Promise<unknown> {
    if (method === 'initialize') return { result: { protocolVersion: params['protocolVersion'], capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'fixture', version: '1' } } };
    if (method === 'tools/list') return { result: { tools: this.#isOdd ? oddTools : [...plainTools, ...(this.#hasGrown ? [{ name: 'grown', inputSchema: object }] : [])] } };
    if (method === 'tools/call') return this.#call(String(params['name']), (params['arguments'] ?? {}) as Input, (params['_meta'] as { readonly progressToken?: unknown } | undefined)?.progressToken);
    return method === 'ping' ? { result: {} } : { error: { code: -32601, message: `no ${method} here` } };
  }

  async #call(name: string, input: Input, progressToken: unknown): Promise<unknown> {
    const say = (...content: unknown[]): unknown => ({ result: { content } });
    const text = (value: string): unknown => ({ type: 'text', text: value });
    switch (name) {
      case 'echo':
        return say(text(input['text'] ?? ''));
      case 'look':
        return say(text('looked'));
      case 'write':
        await writeFile(input['path']!, input['content'] ?? '');
        return say(text('written'));
      case 'delete':
        await rm(input['path']!);
        return say(text('deleted'));
      case 'rename':
        await rename(input['from']!, input['to']!);
        return say(text('renamed'));
      case 'image':
        return say({ type: 'image', mimeType: 'image/png', data: pixel });
      case 'mixed':
        return say(text('first'), { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt' }, { type: 'resource', resource: { uri: 'note://1', text: 'a note' } }, { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }, { type: 'image', mimeType: 'image/png', data: '?' }, { type: 'hologram', depth: 3 });
      case 'huge':
        return say(text('0123456789'.repeat(Number(input['size']) / 10)));
      case 'fail':
        return { result: { content: [text('no such table')], isError: true } };
      case 'structured':
        return { result: { content: [], structuredContent: { rows: 3 } } };
      case 'crash':
        process.stderr.write('out of luck\n');
        process.exit(3);
      // oxlint-disable-next-line no-fallthrough -- it ended
      case 'grow':
        this.#hasGrown = true;
        this.#peer.notify('notifications/tools/list_changed');
        return say(text('grown'));
      case 'hang':
        return undefined;
      case 'roots':
        return say(text(JSON.stringify(await this.#peer.ask('roots/list'))));
      case 'child':
        return say(text(String(spawn('sleep', ['1000'], { stdio: 'ignore' }).pid)));
      case 'progress':
        this.#peer.notify('notifications/progress', { progressToken, progress: 1, total: 2, message: 'half way' });
        // The client has read it when it answers this.
        await this.#peer.ask('ping');
        return say(text('there'));
      default:
        return { result: { content: [text(`called ${name} with ${JSON.stringify(input)}`)] } };
    }
  }
}
