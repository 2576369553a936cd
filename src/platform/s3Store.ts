import { createHash } from 'node:crypto';
import { S3mini } from 's3mini';
import { errorText, systemErrorCode, TurnstoneError } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';
import type { SessionStore, WriteCondition } from '../engine/ports.ts';

export interface S3StoreOptions {
  /** Of the bucket: `https://s3.eu-central-1.amazonaws.com/my-bucket`. */
  readonly url: string;
  readonly region: string;
  /** Before each key: `turnstone/`; '' for none. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of one request. Milliseconds. */
  readonly timeoutMs: number;
  /** Ends every request. */
  readonly signal: AbortSignal;
}

/** What servers answer when the condition of a write does not hold: 409 where two came at the same time. */
const refusedStatus: ReadonlySet<unknown> = new Set([409, 412]);

/** A bucket of any S3-compatible server that knows conditional writes. The checksum makes it refuse what was changed on the way. */
export class S3Store implements SessionStore {
  readonly #client: S3mini;
  readonly #prefix: string;

  constructor({ url, region, prefix, accessKeyId, secretAccessKey, timeoutMs, signal }: S3StoreOptions) {
    this.#prefix = prefix;
    this.#client = new S3mini({
      endpoint: url,
      region,
      accessKeyId,
      secretAccessKey,
      fetch: (input, init) => fetch(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) }),
    });
  }

  async write(key: string, bytes: Uint8Array, condition: WriteCondition): Promise<{ readonly version: string } | 'refused'> {
    const headers = { 'x-amz-checksum-sha256': createHash('sha256').update(bytes).digest('base64'), ...conditionHeaders(condition) };
    try {
      const response = await this.#client.putObject(this.#prefix + key, Buffer.from(bytes), 'application/octet-stream', undefined, headers);
      return { version: response.headers.get('etag') ?? '' };
    } catch (thrown) {
      const status = statusOf(thrown);
      // The version that was read may be gone altogether.
      if (refusedStatus.has(status) || (status === 404 && typeof condition === 'object')) return 'refused';
      throw storeError(thrown);
    }
  }

  async read(key: string): Promise<{ readonly bytes: Uint8Array; readonly version: string } | undefined> {
    return this.#told(async () => {
      const response = await this.#client.getObjectResponse(this.#prefix + key);
      if (!response) return undefined;
      return { bytes: new Uint8Array(await response.arrayBuffer()), version: response.headers.get('etag') ?? '' };
    });
  }

  async list(prefix: string): Promise<readonly string[]> {
    return this.#told(async () => {
      const objects = await this.#client.listObjects('/', this.#prefix + prefix);
      if (!objects) throw Object.assign(new Error('there is no such bucket'), { status: 404 });
      return objects.map(({ Key }) => Key.slice(this.#prefix.length)).sort();
    });
  }

  async #told<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (thrown) {
      throw storeError(thrown);
    }
  }
}

function conditionHeaders(condition: WriteCondition): Record<string, string> {
  if (condition === 'any') return {};
  return condition === 'absent' ? { 'if-none-match': '*' } : { 'if-match': condition.version };
}

function statusOf(thrown: unknown): unknown {
  return isJsonObject(thrown) || thrown instanceof Error ? (thrown as { status?: unknown }).status : undefined;
}

function storeError(thrown: unknown): TurnstoneError {
  return new TurnstoneError('network', `${reasonFor(thrown)}.`, { cause: thrown });
}

/** Without what the server says word for word: it may name keys. */
function reasonFor(thrown: unknown): string {
  const status = statusOf(thrown);
  if (status === 401 || status === 403) return 'The server refuses the access key';
  if (status === 404) return 'The server knows no such bucket';
  if (typeof status === 'number') return `The server answers with status ${status}`;
  if (thrown instanceof Error && thrown.name === 'TimeoutError') return 'The server does not answer in time';
  if (thrown instanceof Error && thrown.name === 'AbortError') return 'It was interrupted';
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const code = systemErrorCode(thrown) ?? systemErrorCode(cause);
  return code ? `The server can’t be reached (${code})` : errorText(cause ?? thrown).replace(/\.$/, '');
}
