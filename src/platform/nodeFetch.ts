import type * as Http from 'node:http';
import { createRequire } from 'node:module';
import { text as readText } from 'node:stream/consumers';
import { onAbort } from '../base/abort.ts';

/**
 * As much of `fetch` as the model SDK needs, on Node's own HTTP client: Node's `fetch` costs more to load than the rest
 * of us, web streams cost more to read, and editors patch `http`, not `fetch`, for proxies and certificates. Redirects
 * are not followed: they come back as what they are. Rejects with Node's system errors, and with an AbortError.
 */
export async function nodeFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(typeof input === 'string' || input instanceof URL ? input : input.url);
  const http = loadHttp(url.protocol);
  const headers = Object.fromEntries(new Headers(init.headers));
  const body = typeof init.body === 'string' ? Buffer.from(init.body) : init.body instanceof Uint8Array ? init.body : undefined;
  if (body) headers['content-length'] = String(body.length);
  // A connection that is not kept must not be one that was kept: that one may be broken.
  const options: Http.RequestOptions = { method: init.method ?? 'GET', headers, ...(headers['connection'] === 'close' ? { agent: false } : {}) };
  const signal = init.signal ?? new AbortController().signal;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortError());
    let answer: Http.IncomingMessage | undefined;
    const request: Http.ClientRequest = http.request(url, options, (message) => {
      answer = message;
      message.once('close', () => listener.dispose());
      resolve(asResponse(message, url.href));
    });
    const listener = onAbort(signal, () => (answer ?? request).destroy(abortError()));
    request.on('error', (error) => {
      listener.dispose();
      reject(error);
    });
    request.end(body);
  });
}

/**
 * Not by `import`, which reads every export of the module, and one of them loads all of Node's `fetch`; and by a
 * `require` of this place, which is what editors watch to put in their own.
 */
export function loadHttp(protocol: string): typeof Http {
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${protocol} is no address of a model: it has to begin with https: or http:`);
  return createRequire(import.meta.url)(protocol === 'http:' ? 'node:http' : 'node:https') as typeof Http;
}

function abortError(): DOMException {
  return new DOMException('The request was interrupted.', 'AbortError');
}

/** `body` is the Node stream itself: the SDK reads whatever can be iterated. */
function asResponse(message: Http.IncomingMessage, url: string): Response {
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    for (const each of Array.isArray(value) ? value : [value ?? '']) headers.append(name, each);
  }
  const text = (): Promise<string> => readText(message);
  const response = {
    ok: status >= 200 && status < 300,
    status,
    statusText: message.statusMessage ?? '',
    url,
    headers,
    body: message,
    text,
    json: async (): Promise<unknown> => JSON.parse(await text()),
  };
  return response as unknown as Response;
}
