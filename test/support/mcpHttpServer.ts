import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { McpFixture } from './mcpTools.ts';
import type { McpMessage } from './mcpTools.ts';

export interface McpHttpServer {
  readonly url: string;
  /** Of each message that came, oldest first. */
  readonly headers: IncomingHttpHeaders[];
  /** Forgets every session, as a server does that was started anew. */
  forget(): void;
  close(): Promise<void>;
}

/** A real MCP server over HTTP, which knows its sessions. With `token` it wants to be shown that. */
export async function startMcpHttpServer(options: { readonly token?: string } = {}): Promise<McpHttpServer> {
  const fixture = new McpFixture({ notify: () => {}, ask: async () => undefined });
  const headers: IncomingHttpHeaders[] = [];
  const sessions = new Set<string>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`) return response.writeHead(401).end();
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message = JSON.parse(await text(request)) as McpMessage;
    headers.push(request.headers);
    const session = message.method === 'initialize' ? crypto.randomUUID() : String(request.headers['mcp-session-id']);
    if (message.method === 'initialize') sessions.add(session);
    if (!sessions.has(session)) return response.writeHead(404).end();
    const said = await fixture.answer(message);
    if (said === undefined) return message.id === undefined ? response.writeHead(202).end() : undefined;
    if (message.method !== 'tools/call') return response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session }).end(JSON.stringify(said));
    // As servers do that tell of progress: a stream, here cut in the middle of a letter.
    const stream = Buffer.from(`event: message\ndata: ${JSON.stringify(said)}\n\n`);
    const cut = stream.indexOf('ü') + 1 || 20;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': session }).write(stream.subarray(0, cut));
    return setImmediate(() => response.end(stream.subarray(cut)));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    headers,
    forget: () => sessions.clear(),
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}
