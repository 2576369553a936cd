import { systemClock } from '../base/abort.ts';
import type { Clock } from '../base/abort.ts';
import { TurnstoneError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import type { Log } from '../base/log.ts';
import type { MirrorParts } from '../engine/mirror/mirrorParts.ts';
import type { MirroredPlace } from '../engine/mirror/mirrorKeys.ts';
import { findMirrored, mirroredSessions, restoreMirrored } from '../engine/mirror/restoreSession.ts';
import type { MirroredSession } from '../engine/mirror/restoreSession.ts';
import { SessionMirror } from '../engine/mirror/sessionMirror.ts';
import type { SessionStore } from '../engine/ports.ts';
import { joinPath } from '../engine/transcript/transcriptPath.ts';
import { nodeDigest } from '../platform/nodeDigest.ts';
import { dataRootFrom } from '../platform/nodeEnvironment.ts';
import { nodeFileSystem } from '../platform/nodeFileSystem.ts';

/** Of one request. Milliseconds. */
const defaultTimeoutMs = 60_000;

export interface MirrorOptions {
  /** Of the bucket, on any S3-compatible server with conditional writes: `https://s3.eu-central-1.amazonaws.com/my-bucket`. */
  readonly url: string;
  /** Default: `auto`. */
  readonly region?: string | undefined;
  /** Folder within the bucket; default: none. */
  readonly prefix?: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Default: `TURNSTONE_HOME`, else `~/.turnstone`. */
  readonly dataRoot?: string | undefined;
  /** Called when the mirror begins to fail, once until it works again, with a text for the user. */
  readonly onTrouble: (text: string) => void;
  readonly log?: Log | undefined;
  readonly clock?: Clock | undefined;
  readonly timeoutMs?: number | undefined;
}

/**
 * A second place for the sessions of a data root. The local files are the truth and always first; the mirror follows in
 * the background. Give it to `createEngine`, call `catchUp` once, and `dispose` at the end.
 */
export class Mirror {
  readonly #parts: MirrorParts;
  readonly #sessions: SessionMirror;
  readonly #controller = new AbortController();

  /** Throws a `configuration` error when the address is none. Loads and asks nothing yet. */
  constructor(options: MirrorOptions) {
    const { dataRoot = dataRootFrom(), log = silentLog, clock = systemClock, onTrouble } = options;
    const prefix = (options.prefix ?? '').replace(/^\/+|\/+$/g, '');
    const url = bucketUrl(options.url);
    const store = lazyStore(async () => {
      const { S3Store } = await import('../platform/s3Store.ts');
      const { region = 'auto', accessKeyId, secretAccessKey, timeoutMs = defaultTimeoutMs } = options;
      return new S3Store({ url, region, prefix: prefix && `${prefix}/`, accessKeyId, secretAccessKey, timeoutMs, signal: this.#controller.signal });
    });
    const name = nodeDigest.sha256(new TextEncoder().encode(`${url}\n${prefix}`)).slice(0, 16);
    this.#parts = { files: nodeFileSystem, store, digest: nodeDigest, dataRoot, stateFolder: joinPath(joinPath(dataRoot, 'mirror'), name) };
    this.#sessions = new SessionMirror({ ...this.#parts, clock, log, onTrouble });
  }

  /** A transcript has grown. Returns at once. */
  touch(transcript: string): void {
    this.#sessions.touch(transcript);
  }

  /** Has everything sent that is not in the mirror yet, in the background. */
  catchUp(): Promise<void> {
    return this.#sessions.catchUp();
  }

  /** Sends now what waits, for at most so many milliseconds. Never rejects. */
  settle(ms: number): Promise<void> {
    return this.#sessions.settle(ms);
  }

  /** How many sessions have something that is not there yet. */
  get waiting(): number {
    return this.#sessions.waiting;
  }

  /** What the mirror has, of all machines, newest first. Rejects with a `network` error. */
  list(): Promise<readonly MirroredSession[]> {
    return mirroredSessions(this.#parts);
  }

  /** Fetches a session that is not here; returns the path of its transcript. */
  restore(place: MirroredPlace): Promise<string> {
    return restoreMirrored(this.#parts, place);
  }

  /** By its id; undefined when the mirror has none. */
  async fetch(sessionId: string): Promise<string | undefined> {
    const found = await findMirrored(this.#parts, sessionId);
    return found && this.restore(found);
  }

  dispose(): void {
    this.#sessions.dispose();
    this.#controller.abort();
  }
}

function bucketUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBucket = url && ['http:', 'https:'].includes(url.protocol) && url.search === '' && url.username === '';
  if (!isBucket) throw new TurnstoneError('configuration', `“${text}” is no address of a bucket. It looks like this: https://s3.eu-central-1.amazonaws.com/my-bucket. Nothing is mirrored; sessions are saved here as always.`);
  return url.href.replace(/\/+$/, '');
}

/** The client is loaded with the first request. */
function lazyStore(open: () => Promise<SessionStore>): SessionStore {
  let opened: Promise<SessionStore> | undefined;
  const store = (): Promise<SessionStore> => (opened ??= open());
  return {
    write: async (key, bytes, condition) => (await store()).write(key, bytes, condition),
    read: async (key) => (await store()).read(key),
    list: async (prefix) => (await store()).list(prefix),
  };
}
