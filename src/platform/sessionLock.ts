import { unlinkSync } from 'node:fs';
import { link, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import { errorText, systemErrorCode } from '../base/errors.ts';
import { makeFolder } from './makeFolder.ts';
import { isAlive, ownIdentity } from './processIdentity.ts';
import type { ProcessIdentity } from './processIdentity.ts';

/** How often the holder shows that it lives. Milliseconds. */
const heartbeatMs = 10_000;
/** A holder that has not shown itself for so long is gone, or hangs for good. Milliseconds. */
const staleAfterMs = 30_000;
const attempts = 20;
/** Between two attempts while another process takes or gives back the lock. Milliseconds. */
const retryMs = 25;

interface Holder extends ProcessIdentity {
  readonly id: string;
  /** ISO 8601. */
  readonly since: string;
}

export type LockOutcome =
  | { readonly kind: 'locked'; readonly lock: SessionLock }
  | { readonly kind: 'in-use'; readonly holder: { readonly pid: number; readonly host: string; readonly isThisMachine: boolean; readonly since: string } | undefined }
  /** The disk does not let us: the session goes on without. */
  | { readonly kind: 'impossible'; readonly why: string };

export interface SessionLock {
  /** Never rejects. */
  release(): Promise<void>;
}

/**
 * Takes `path` (`<session>.lock`), so that only one process at a time writes a session. A lock whose holder has died, or
 * has given no sign of life for 30 s, is taken over. `onLost`: another process did that to us, for example while this
 * machine slept.
 */
export async function lockSession(path: string, onLost: () => void): Promise<LockOutcome> {
  const holder: Holder = { ...ownIdentity(), id: crypto.randomUUID(), since: new Date().toISOString() };
  try {
    await makeFolder(dirname(path), 0o700);
    for (let attempt = 1; ; attempt++) {
      if (await create(path, holder)) return { kind: 'locked', lock: hold(path, holder, onLost) };
      const found = await look(path);
      if (found === 'gone') continue;
      if (found.isStale) await takeAway(path, found.holder?.id);
      // One that can't be read yet is just being written.
      else if (found.holder || attempt >= attempts) return { kind: 'in-use', holder: found.holder && { ...found.holder, isThisMachine: found.holder.host === holder.host } };
      if (attempt >= attempts) return { kind: 'impossible', why: `the lock ${path} could not be taken over` };
      await wait(retryMs);
    }
  } catch (thrown) {
    return { kind: 'impossible', why: errorText(thrown) };
  }
}

async function create(path: string, holder: Holder): Promise<boolean> {
  try {
    await writeFile(path, `${JSON.stringify(holder)}\n`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function look(path: string): Promise<'gone' | { readonly holder: Holder | undefined; readonly isStale: boolean }> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    const value = tryParseJson(text);
    const holder = isHolder(value) ? value : undefined;
    const isOld = Date.now() - mtimeMs > staleAfterMs;
    return { holder, isStale: isOld || (holder !== undefined && isAlive(holder) === false) };
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 'gone';
    throw error;
  }
}

/** Moved aside first: if another process has taken it over meanwhile, its lock is put back. */
async function takeAway(path: string, id: string | undefined): Promise<void> {
  const aside = `${path}-${crypto.randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  const moved = tryParseJson(await readFile(aside, 'utf8'));
  if (isHolder(moved) && moved.id !== id) await link(aside, path).catch(() => {});
  await unlink(aside);
}

function hold(path: string, holder: Holder, onLost: () => void): SessionLock {
  const isOurs = async (): Promise<boolean | undefined> => {
    const found = await look(path);
    return found === 'gone' ? undefined : found.holder?.id === holder.id;
  };
  const beat = async (): Promise<void> => {
    const ours = await isOurs();
    if (ours === false) {
      stop();
      onLost();
    } else if (ours) {
      const now = new Date();
      await utimes(path, now, now);
    } else {
      // Somebody tidied up.
      await create(path, holder);
    }
  };
  const timer = setInterval(() => void beat().catch(() => {}), heartbeatMs).unref();
  const stop = (): void => {
    clearInterval(timer);
    heldPaths.delete(path);
    if (heldPaths.size === 0) process.off('exit', removeAtExit);
  };
  if (heldPaths.size === 0) process.once('exit', removeAtExit);
  heldPaths.add(path);
  return {
    async release() {
      stop();
      // Without it the lock is stale as soon as this process ends.
      if (await isOurs().catch(() => false)) await unlink(path).catch(() => {});
    },
  };
}

const heldPaths = new Set<string>();

function removeAtExit(): void {
  for (const path of heldPaths) {
    try {
      unlinkSync(path);
    } catch {
      // Gone already, and a lock without its process is stale anyway.
    }
  }
}

function isHolder(value: unknown): value is Holder {
  return isJsonObject(value) && typeof value['id'] === 'string' && typeof value['pid'] === 'number' && typeof value['startTime'] === 'string' && typeof value['host'] === 'string' && typeof value['since'] === 'string';
}
