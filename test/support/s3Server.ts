import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Uint8Array, data: string): Buffer => createHmac('sha256', key).update(data).digest();

export interface S3Request {
  readonly method: string;
  /** Decoded, within the bucket. */
  readonly key: string;
  readonly status: number;
}

/** What goes wrong with the next requests that match, one after the other. */
export type S3Fault = { readonly kind: 'status'; readonly status: number } | { readonly kind: 'hang' } | { readonly kind: 'slow'; readonly ms: number } | { readonly kind: 'reset' } | { readonly kind: 'lostAnswer' };

/**
 * A bucket as S3 keeps it, in memory. Strict: each request must carry a Signature Version 4 that fits its method, path,
 * query and signed headers, made with the right secret, for this region and within 15 minutes; a checksum must fit the
 * body; `If-None-Match: *` and `If-Match` answer 412 where they do not hold; lists come in pages.
 */
export class S3Server {
  readonly objects = new Map<string, Buffer>();
  readonly requests: S3Request[] = [];
  /** Why requests were refused that a right client would not send. */
  readonly complaints: string[] = [];
  readonly accessKeyId = 'AKIDTEST';
  readonly secretAccessKey = 'the-secret/with+signs';
  readonly region = 'eu-test-1';
  pageSize = 3;
  readonly #faults: { readonly matches: RegExp; readonly fault: S3Fault }[] = [];
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  #port = 0;

  static async start(): Promise<S3Server> {
    const server = new S3Server();
    await server.listen();
    return server;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Of the bucket. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}/bucket`;
  }

  /** The next request whose "METHOD key" matches meets with this. */
  fail(matches: RegExp, ...faults: readonly S3Fault[]): void {
    for (const fault of faults) this.#faults.push({ matches, fault });
  }

  clearFaults(): void {
    this.#faults.length = 0;
  }

  text(key: string): string | undefined {
    return this.objects.get(key)?.toString('utf8');
  }

  /** Nobody answers at the address any more; `listen` brings it back. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const url = new URL(request.url!, 'http://server');
    const key = decodeURIComponent(url.pathname.replace(/^\/bucket\/?/, ''));
    const label = `${request.method} ${key || `?${url.searchParams.get('prefix') ?? ''}`}`;
    const at = this.#faults.findIndex(({ matches }) => matches.test(label));
    const fault = at < 0 ? undefined : this.#faults.splice(at, 1)[0]!.fault;
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'reset') return void request.socket.destroy();
    if (fault?.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    const answer = fault?.kind === 'status' ? { status: fault.status } : this.#answer(request, { url, key, body });
    this.requests.push({ method: request.method!, key, status: answer.status });
    if (fault?.kind === 'lostAnswer') return void request.socket.destroy();
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  }

  #answer(request: IncomingMessage, { url, key, body }: { readonly url: URL; readonly key: string; readonly body: Buffer }): Answer {
    const problem = this.#signatureProblem(request, url, body);
    if (problem !== undefined) return this.#refuse(403, 'SignatureDoesNotMatch', problem);
    if (!url.pathname.startsWith('/bucket')) return this.#refuse(404, 'NoSuchBucket', url.pathname);
    const known = this.objects.get(key);
    switch (request.method) {
      case 'PUT':
        return this.#put(request, { key, body, known });
      case 'GET':
        if (key === '') return this.#list(url.searchParams);
        return known ? { status: 200, headers: { etag: etagOf(known) }, body: known } : this.#refuse(404, 'NoSuchKey');
      default:
        return this.#refuse(405, 'MethodNotAllowed', `${request.method}`);
    }
  }

  #put({ headers }: IncomingMessage, { key, body, known }: { readonly key: string; readonly body: Buffer; readonly known: Buffer | undefined }): Answer {
    const checksum = headers['x-amz-checksum-sha256'];
    if (checksum !== createHash('sha256').update(body).digest('base64')) return this.#refuse(400, 'BadDigest', `the checksum of ${key} is ${String(checksum)}`);
    const [absent, match] = [headers['if-none-match'], headers['if-match']];
    if (absent !== undefined && absent !== '*') return this.#refuse(501, 'NotImplemented', `If-None-Match: ${absent}`);
    if (absent === '*' && known) return this.#refuse(412, 'PreconditionFailed');
    if (match !== undefined && (!known || match !== etagOf(known))) return this.#refuse(known ? 412 : 404, known ? 'PreconditionFailed' : 'NoSuchKey');
    this.objects.set(key, body);
    return { status: 200, headers: { etag: etagOf(body) } };
  }

  #list(query: URLSearchParams): Answer {
    if (query.get('list-type') !== '2') return this.#refuse(400, 'InvalidArgument', 'only ListObjectsV2 is known');
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, this.pageSize);
    const isTruncated = keys.length > page.length;
    const contents = page.map((key) => `<Contents><Key>${escaped(key)}</Key><Size>${this.objects.get(key)!.length}</Size><ETag>${escaped(etagOf(this.objects.get(key)!))}</ETag></Contents>`);
    const next = isTruncated ? `<NextContinuationToken>${escaped(page.at(-1)!)}</NextContinuationToken>` : '';
    return { status: 200, headers: { 'content-type': 'application/xml' }, body: `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents.join('')}${next}</ListBucketResult>` };
  }

  #refuse(status: number, code: string, complaint?: string): Answer {
    if (complaint !== undefined) this.complaints.push(`${code}: ${complaint}`);
    return { status, headers: { 'content-type': 'application/xml' }, body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>` };
  }

  /** By the steps of "Authenticating Requests (AWS Signature Version 4)" in the documentation of S3. */
  #signatureProblem({ method, headers }: IncomingMessage, url: URL, body: Buffer): string | undefined {
    const match = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? '');
    if (!match) return `no signature: ${headers.authorization}`;
    const [, keyId, day, region, signedHeaders, signature] = match as unknown as [string, string, string, string, string, string];
    const time = String(headers['x-amz-date']);
    const [, year, month, date, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? [];
    if (Math.abs(Date.now() - Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`)) > 15 * 60_000 || !time.startsWith(day)) return `signed at ${time}, for ${day}`;
    if (keyId !== this.accessKeyId || region !== this.region) return `signed by ${keyId} for ${region}`;
    const names = signedHeaders.split(';');
    const mustBeSigned = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
    const unsigned = mustBeSigned.filter((name) => !names.includes(name));
    if (unsigned.length > 0) return `not signed: ${unsigned.join()}`;
    const payload = String(headers['x-amz-content-sha256']);
    if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) return 'the body is not the one that was signed';
    const query = [...url.searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort().join('&');
    const canonical = [method, url.pathname, query, ...names.map((name) => `${name}:${String(headers[name]).trim()}`), '', signedHeaders, payload].join('\n');
    const toSign = ['AWS4-HMAC-SHA256', time, `${day}/${region}/s3/aws4_request`, sha256(canonical)].join('\n');
    const signingKey = [region, 's3', 'aws4_request'].reduce<Buffer>((key, part) => hmac(key, part), hmac(`AWS4${this.secretAccessKey}`, day));
    return timingSafeEqual(hmac(signingKey, toSign), Buffer.from(signature, 'hex')) ? undefined : 'the signature does not fit';
  }
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
