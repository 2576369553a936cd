import { TurnstoneError } from '../../base/errors.ts';
import { isJsonObject, tryParseJson } from '../../base/json.ts';
import { joinPath } from '../transcript/transcriptPath.ts';
import { aboutKey, blobKey, filesPrefix, hashesIn, partOffset, placeOf, sessionPrefix, sessionsPrefix } from './mirrorKeys.ts';
import type { MirroredPlace } from './mirrorKeys.ts';
import type { MirrorParts } from './mirrorParts.ts';
import type { MirroredAbout } from './mirrorSession.ts';

/** A session that the mirror has. */
export interface MirroredSession extends MirroredAbout, MirroredPlace {}

/** So many are asked about at the same time. */
const atOnce = 8;

/** Of all folders and machines, newest first. Rejects like the store. */
export async function mirroredSessions({ store }: Pick<MirrorParts, 'store'>): Promise<readonly MirroredSession[]> {
  const sessions: MirroredSession[] = [];
  const rest = [...(await placesIn(store))];
  const work = async (): Promise<void> => {
    for (let place = rest.pop(); place; place = rest.pop()) sessions.push({ ...place, ...(await aboutOf(store, place)) });
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return sessions.sort((one, other) => (one.modified < other.modified ? 1 : -1));
}

/**
 * Fetches a session that is not here, byte for byte, with the contents that it names: what it needs first, so that it is
 * whole or not there. Returns the path of its transcript. Rejects with `invalid_input` when it is here already, and with
 * `disk` when a part of it is missing in the mirror; nothing was changed then.
 */
export async function restoreMirrored(parts: MirrorParts, place: MirroredPlace): Promise<string> {
  const { files, store, dataRoot } = parts;
  const target = joinPath(joinPath(joinPath(dataRoot, 'projects'), place.project), `${place.sessionId}.jsonl`);
  if (await files.stat(target)) throw new TurnstoneError('invalid_input', `The session ${place.sessionId} is on this machine already. Nothing was changed.`);
  const keys = await store.list(sessionPrefix(place));
  const transcript = await joinedParts(store, keys);
  for (const hash of hashesIn(transcript)) await restoreBlob(parts, hash);
  for (const key of keys.filter((each) => each.startsWith(filesPrefix(place)))) {
    const name = key.slice(filesPrefix(place).length);
    const found = isPlainPath(name) ? await store.read(key) : undefined;
    if (found) await files.writeFile(joinPath(target.replace(/\.jsonl$/, ''), name), found.bytes, { mode: 0o600 });
  }
  await files.writeFile(target, transcript, { mode: 0o600 });
  return target;
}

/** undefined when the mirror has none of this id. Rejects like the store. */
export async function findMirrored({ store }: Pick<MirrorParts, 'store'>, sessionId: string): Promise<MirroredPlace | undefined> {
  return (await placesIn(store)).find((place) => place.sessionId === sessionId);
}

async function placesIn(store: MirrorParts['store']): Promise<readonly MirroredPlace[]> {
  const places = new Map<string, MirroredPlace>();
  for (const key of await store.list(sessionsPrefix)) {
    const place = placeOf(key);
    if (place) places.set(sessionPrefix(place), place);
  }
  return [...places.values()];
}

async function aboutOf(store: MirrorParts['store'], place: MirroredPlace): Promise<MirroredAbout> {
  const found = await store.read(aboutKey(place));
  const about = found && tryParseJson(new TextDecoder().decode(found.bytes));
  const text = (field: string): string | undefined => (isJsonObject(about) && typeof about[field] === 'string' ? about[field] : undefined);
  const size = isJsonObject(about) && typeof about['size'] === 'number' ? about['size'] : 0;
  return { sessionId: place.sessionId, title: text('title') ?? 'Untitled session', modified: text('modified') ?? '', folder: text('folder'), size };
}

async function joinedParts(store: MirrorParts['store'], keys: readonly string[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (const key of keys) {
    const offset = partOffset(key);
    if (offset === undefined) continue;
    const part = await store.read(key);
    if (!part || offset !== length) throw missing(`the part that begins at byte ${length} of the transcript`);
    pieces.push(part.bytes);
    length += part.bytes.length;
  }
  if (length === 0) throw missing('its transcript');
  const joined = new Uint8Array(length);
  let end = 0;
  for (const piece of pieces) {
    joined.set(piece, end);
    end += piece.length;
  }
  return joined;
}

/** A hash may stand in a transcript and be no content's. One that was changed on the way is refused. */
async function restoreBlob({ files, store, digest, dataRoot }: MirrorParts, hash: string): Promise<void> {
  const path = joinPath(dataRoot, blobKey(hash));
  if (await files.stat(path)) return;
  const found = await store.read(blobKey(hash));
  if (!found) return;
  if (digest.sha256(found.bytes) !== hash) throw new TurnstoneError('disk', `The mirror holds a damaged copy of the content ${hash}. Nothing was restored.`);
  await files.writeFile(path, found.bytes, { mode: 0o600 });
}

/** What a mirror says is not trusted to stay in its folder. */
function isPlainPath(name: string): boolean {
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\:]/.test(part));
}

function missing(what: string): TurnstoneError {
  return new TurnstoneError('disk', `The mirror does not have all of this session: ${what} is missing. Nothing was restored.`);
}
