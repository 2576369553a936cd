import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import { makeFolder } from './makeFolder.ts';

const manifestName = 'deleted.json';

/** A session in the trash. */
export interface TrashedSession {
  /** Of this place in the trash. */
  readonly id: string;
  /** There; its first line tells where it worked. */
  readonly transcript: string;
  readonly sessionId: string;
  readonly title: string;
  /** Name of the folder in `projects` that it came from. */
  readonly project: string;
  /** ISO 8601. */
  readonly deleted: string;
  /** Bytes of all its files. */
  readonly size: number;
}

/**
 * Turnstone's own trash, `<root>/trash`: each session in a folder of its own, with a note where it came from. The system's
 * trash would not do, because what the file history keeps for a session must stay for as long as the session can come back.
 * Nothing leaves it by itself.
 */
export class SessionTrash {
  readonly #root: string;

  constructor(dataRoot: string) {
    this.#root = dataRoot;
  }

  /** `transcript` and the folder beside it. The note comes first, the transcript second: from then on the session is in the trash. */
  async put(transcript: string, title: string): Promise<string> {
    const sessionId = basename(transcript, '.jsonl');
    const id = `${sessionId}.${randomUUID().slice(0, 8)}`;
    const place = this.#place(id);
    await makeFolder(place, 0o700);
    const note = { sessionId, title, project: basename(dirname(transcript)), deleted: new Date().toISOString() };
    await writeFile(join(place, manifestName), `${JSON.stringify(note)}\n`, { mode: 0o600 });
    await rename(transcript, join(place, basename(transcript)));
    await this.#moveRest(id, note);
    return id;
  }

  /** Newest first. */
  async list(): Promise<readonly TrashedSession[]> {
    const ids = await readdir(join(this.#root, 'trash')).catch(() => []);
    const found = await Promise.all(ids.map((id) => this.#read(id)));
    return found.filter((each) => each !== undefined).sort((one, other) => (one.deleted < other.deleted ? 1 : -1));
  }

  /** Back to where it was; returns the path of the transcript. Rejects when something of that name is there. */
  async restore(trashed: TrashedSession): Promise<string> {
    const place = this.#place(trashed.id);
    const folder = join(this.#root, 'projects', trashed.project);
    const transcript = join(folder, `${trashed.sessionId}.jsonl`);
    if (await exists(transcript)) throw Object.assign(new Error(`${transcript} is there already`), { code: 'EEXIST' });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const beside = join(place, trashed.sessionId);
    if (await exists(beside)) await rename(beside, join(folder, trashed.sessionId));
    await rename(join(place, `${trashed.sessionId}.jsonl`), transcript);
    await rm(join(place, manifestName));
    await rmdir(place);
    return transcript;
  }

  /** For good. */
  async remove({ id }: TrashedSession): Promise<void> {
    await rm(this.#place(id), { recursive: true });
  }

  async #read(id: string): Promise<TrashedSession | undefined> {
    const note = tryParseJson(await readFile(join(this.#place(id), manifestName), 'utf8').catch(() => ''));
    if (!isJsonObject(note) || !(await exists(join(this.#place(id), `${String(note['sessionId'])}.jsonl`)))) return undefined;
    const place = { sessionId: String(note['sessionId']), project: basename(String(note['project'])) };
    await this.#moveRest(id, place);
    return { id, transcript: join(this.#place(id), `${place.sessionId}.jsonl`), ...place, title: String(note['title']), deleted: String(note['deleted']), size: await sizeOf(this.#place(id)) };
  }

  /** Also what a process that ended in between has left behind. */
  async #moveRest(id: string, { sessionId, project }: Pick<TrashedSession, 'sessionId' | 'project'>): Promise<void> {
    const beside = join(this.#root, 'projects', project, sessionId);
    const isBack = await exists(`${beside}.jsonl`);
    if (!isBack && (await exists(beside))) await rename(beside, join(this.#place(id), sessionId));
  }

  #place(id: string): string {
    return join(this.#root, 'trash', basename(id));
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(() => true, () => false);
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.filter((entry) => entry.isFile()).map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
