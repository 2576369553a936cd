import { lookup } from 'node:dns/promises';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { childController, throwIfAborted } from '../base/abort.ts';
import { errorText, isTurnstoneError, systemErrorCode, TurnstoneError } from '../base/errors.ts';
import type { WebAnswer, WebFetcher } from '../engine/ports.ts';
import { htmlToMarkdown } from './htmlToMarkdown.ts';
import { loadHttp } from './nodeFetch.ts';
import { isPublicAddress } from './publicAddress.ts';
import { decodeWebText, readWebBody } from './webBody.ts';

const maxRedirects = 10;

export interface WebFetcherOptions {
  /** Also fetch from this machine and the local network. Default: false. */
  readonly allowPrivateAddresses?: boolean | undefined;
  /** Of one page with all its redirects. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Of one page, unpacked. Default: 5 MB. */
  readonly maxBytes?: number | undefined;
  /** Said to servers. */
  readonly userAgent: string;
  /** Addresses of a name; the system's unless given. */
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined;
}

/**
 * Fetches pages for the model. Each address is looked up once, checked, and then connected to as it was checked, so that
 * a name cannot point elsewhere a moment later; redirects are checked in the same way.
 */
export function createWebFetcher(options: WebFetcherOptions): WebFetcher {
  return {
    async fetch(address, signal) {
      const controller = childController(signal);
      const timeoutMs = options.timeoutMs ?? 30_000;
      const timer = setTimeout(() => controller.abort('timeout'), timeoutMs);
      try {
        return await follow(webUrl(address), options, controller.signal);
      } catch (thrown) {
        throwIfAborted(signal);
        if (isTurnstoneError(thrown)) throw thrown;
        throw controller.signal.aborted ? failed(address, `it did not answer in full within ${timeoutMs / 1000} s`) : failed(address, reasonOf(thrown), thrown);
      } finally {
        clearTimeout(timer);
        controller.dispose();
      }
    },
  };
}

async function follow(first: URL, options: WebFetcherOptions, signal: AbortSignal): Promise<WebAnswer> {
  let url = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const message = await request(url, options, signal);
    const target = redirectOf(message, url);
    if (target === undefined) return readPage(message, url, options);
    message.destroy();
    const next = webUrl(target);
    if (siteOf(next) !== siteOf(first)) return { kind: 'redirect', url: url.href, target: next.href, status: message.statusCode ?? 0 };
    url = next;
  }
  throw failed(first.href, `it leads from one address to the next, more than ${maxRedirects} times`);
}

/** Plain http goes over https, unless a port says that something special is meant. */
function webUrl(address: string): URL {
  if (!URL.canParse(address)) throw new TurnstoneError('invalid_input', `${address} is not an address. Give all of it, beginning with https://.`);
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TurnstoneError('invalid_input', `${address} cannot be fetched: only https and http can. Use Read for files.`);
  if (url.username || url.password) throw new TurnstoneError('invalid_input', `${url.host} was not asked: an address with a name and password in it is not fetched.`);
  if (url.protocol === 'http:' && url.port === '') url.protocol = 'https:';
  url.hash = '';
  return url;
}

function siteOf(url: URL): string {
  return url.host.replace(/^www\./, '');
}

function redirectOf(message: IncomingMessage, url: URL): string | undefined {
  const { location } = message.headers;
  if (!location || ![301, 302, 303, 307, 308].includes(message.statusCode ?? 0)) return undefined;
  return URL.canParse(location, url.href) ? new URL(location, url.href).href : location;
}

async function request(url: URL, options: WebFetcherOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const address = await checkedAddress(url, options);
  throwIfAborted(signal);
  const pinned: LookupFunction = (_host, { all }, callback) => {
    const family = isIP(address);
    if (all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
  const requestOptions: RequestOptions = {
    agent: false,
    lookup: pinned,
    signal,
    headers: { 'user-agent': options.userAgent, accept: 'text/markdown, text/html;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.1', 'accept-encoding': 'gzip, deflate, br', 'accept-language': 'en, *;q=0.5' },
  };
  return new Promise((resolve, reject) => {
    const sent = loadHttp(url.protocol).get(url, requestOptions, resolve);
    sent.on('error', reject);
  });
}

/** The address to connect to. Throws when one of the host's addresses is not of the open internet. */
async function checkedAddress(url: URL, options: WebFetcherOptions): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await (options.resolve ?? systemResolve)(host);
  const [first] = addresses;
  if (first === undefined) throw failed(url.href, `there is no address for ${host}`);
  const hidden = options.allowPrivateAddresses ? undefined : addresses.find((address) => !isPublicAddress(address));
  if (hidden === undefined) return first;
  throw new TurnstoneError('invalid_input', `${url.host} was not asked: its address ${hidden} belongs to this machine or a local network, which are not fetched from. The user can look at it with a command, curl for example.`);
}

async function systemResolve(host: string): Promise<string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}

async function readPage(message: IncomingMessage, url: URL, options: WebFetcherOptions): Promise<WebAnswer> {
  const contentType = message.headers['content-type'] ?? 'text/plain';
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  if (!isText(type)) {
    message.destroy();
    throw new TurnstoneError('invalid_input', `${url.href} is not text but ${type}. Nothing was loaded. A command can download it, curl for example.`);
  }
  const maxBytes = options.maxBytes ?? 5 * 1024 * 1024;
  const bytes = await readWebBody(message, maxBytes);
  if (!bytes) throw failed(url.href, `it is larger than ${Math.floor(maxBytes / (1024 * 1024))} MB`);
  const text = decodeWebText(bytes, contentType);
  const page = { kind: 'page', url: url.href, status: message.statusCode ?? 0, contentType: type } as const;
  if (!/html/.test(type)) return { ...page, text, title: undefined };
  const { title, markdown } = await htmlToMarkdown(text, url.href);
  return { ...page, text: markdown, title };
}

function isText(type: string): boolean {
  return /^text\/|[/+](json|xml|html)\b|\/(javascript|ecmascript|yaml|x-yaml|toml|x-sh|x-ndjson|graphql|sql)\b/.test(type);
}

function failed(address: string, reason: string, cause?: unknown): TurnstoneError {
  return new TurnstoneError('network', `${address} could not be fetched: ${reason}.`, { cause });
}

function reasonOf(thrown: unknown): string {
  const code = systemErrorCode(thrown);
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'its name is not known, or there is no connection to the internet';
    case 'ECONNREFUSED':
      return 'nothing answers there';
    case 'ECONNRESET':
      return 'the connection was closed';
    default:
      return errorText(thrown).replace(/\.$/, '');
  }
}
