import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { DEMO_MODEL } from '../base/demoModel.ts';
import { answerRequest } from './answerRequest.ts';
import type { DemoRequest } from './conversation.ts';
import { errorJson, estimateTokens, eventFrames, messageJson, wireAnswer } from './wire.ts';

export interface DemoModelOptions {
  /** `calm` writes about as fast as a real model, `instant` without any pause. `calm` unless given. */
  readonly pace?: 'instant' | 'calm' | undefined;
}

/** A running demo model. `apiKey` is random and needed for every request, so that nobody else on the machine can use it. */
export interface DemoModel {
  readonly url: string;
  readonly apiKey: string;
  close(): Promise<void>;
}

/** Milliseconds between two events in calm pace: 14 characters each, so about 1,700 characters a second. */
const calmPauseMs = 8;

/**
 * Starts the built-in demo model: the Messages API on 127.0.0.1 at a free port, answered by a few rules. It does not
 * keep the process alive by itself once its connections are closed, and remembers nothing between requests.
 */
export async function startDemoModel({ pace = 'calm' }: DemoModelOptions = {}): Promise<DemoModel> {
  const apiKey = `demo-${randomBytes(24).toString('hex')}`;
  const pauseMs = pace === 'calm' ? calmPauseMs : 0;
  const server = createServer((request, response) => void serve(request, response, { apiKey, pauseMs }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Serving {
  readonly apiKey: string;
  readonly pauseMs: number;
}

async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  try {
    await answer(request, response, serving);
  } catch (error) {
    // The client has left: there is nobody to tell.
    if (request.destroyed || response.destroyed) return;
    if (response.headersSent) response.destroy();
    else sendError(response, 500, { type: 'api_error', message: `The demo model failed: ${String(error)}` });
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, { apiKey, pauseMs }: Serving): Promise<void> {
  if (!hasKey(request, apiKey)) return sendError(response, 401, { type: 'authentication_error', message: 'invalid x-api-key' });
  const path = request.url?.split('?')[0] ?? '';
  if (request.method !== 'POST' || !/^\/v1\/messages(\/count_tokens)?$/.test(path)) return sendError(response, 404, { type: 'not_found_error', message: 'Not found' });
  const requestText = await readAll(request);
  const body = parse(requestText);
  if (body === undefined) return sendError(response, 400, { type: 'invalid_request_error', message: 'The request body is not a JSON object' });
  if (path.endsWith('count_tokens')) return sendJson(response, 200, JSON.stringify({ input_tokens: estimateTokens(requestText) }));
  // Whatever model was asked for: there is no other one here, and the answer says which it is.
  const reply = wireAnswer(answerRequest(body), { model: DEMO_MODEL, requestText });
  if (body.stream !== true) return sendJson(response, 200, messageJson(reply));
  await stream(response, eventFrames(reply), pauseMs);
}

async function stream(response: ServerResponse, frames: readonly string[], pauseMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  for (const frame of frames) {
    if (response.destroyed) return;
    if (!response.write(frame)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    if (pauseMs > 0) await wait(pauseMs);
  }
  response.end();
}

/** `Authorization: Bearer …` or, from older clients, `x-api-key`. */
function hasKey(request: IncomingMessage, apiKey: string): boolean {
  const given = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? String(request.headers['x-api-key'] ?? '');
  const [a, b] = [Buffer.from(given), Buffer.from(apiKey)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): DemoRequest | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function sendError(response: ServerResponse, status: number, { type, message }: { readonly type: string; readonly message: string }): void {
  sendJson(response, status, errorJson(type, message));
}

function sendJson(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(json);
}
