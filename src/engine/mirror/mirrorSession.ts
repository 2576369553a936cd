import { isJsonObject, tryParseJson } from '../../base/json.ts';
import { folderOf, readSession } from '../transcript/sessionList.ts';
import type { FileSystem } from '../ports.ts';
import { joinPath } from '../transcript/transcriptPath.ts';
import { aboutKey, filesPrefix } from './mirrorKeys.ts';
import type { MirroredPlace } from './mirrorKeys.ts';
import { mirrorLines } from './mirrorLines.ts';
import type { MirrorOutcome, MirrorParts, SessionInMirror } from './mirrorParts.ts';
import { MirrorState } from './mirrorState.ts';

/** What a list on another machine shows. */
export interface MirroredAbout {
  readonly sessionId: string;
  readonly title: string;
  /** ISO 8601. */
  readonly modified: string;
  /** Where it worked, on its machine; undefined where an older version described it. */
  readonly folder: string | undefined;
  /** Bytes of the transcript. */
  readonly size: number;
}

/**
 * Brings the mirror of one session up to date: what a line names goes before the line, so that a session that is fetched
 * from there finds what it needs. What the local file holds beyond what was sent is all that there is to send: nothing
 * else is remembered, and nothing is lost by a failure. Rejects like the store.
 */
export async function mirrorSession(parts: MirrorParts, transcript: string): Promise<MirrorOutcome> {
  const { files } = parts;
  if (!(await files.stat(transcript))) return 'mirrored';
  const place = placeOfTranscript(transcript);
  const state = await MirrorState.read(parts, place);
  await state.check(parts, transcript);
  await mirrorFiles(parts, transcript, { place, state });
  const outcome = await mirrorLines(parts, transcript, { place, state });
  if (outcome !== 'mirrored') return outcome;
  if (state.sent > state.described) await describe(parts, transcript, { place, state });
  return 'mirrored';
}

export function placeOfTranscript(transcript: string): MirroredPlace {
  const [project, name] = transcript.split(/[\\/]/).slice(-2) as [string, string];
  return { project, sessionId: name.replace(/\.jsonl$/, '') };
}

/** Large results and the transcripts of sub-agents. They may grow, so they are sent whole whenever they have changed. */
async function mirrorFiles({ files, store }: MirrorParts, transcript: string, { place, state }: SessionInMirror): Promise<void> {
  const folder = transcript.replace(/\.jsonl$/, '');
  for await (const { path, name } of filesUnder(files, folder, '')) {
    const stat = await files.stat(path);
    const mark = `${stat?.size} ${stat?.mtimeMs}`;
    if (!stat || state.files[name] === mark) continue;
    await store.write(`${filesPrefix(place)}${name}`, await files.readFile(path), 'any');
    await state.noteFile(name, mark);
  }
}

async function* filesUnder(files: FileSystem, folder: string, prefix: string): AsyncGenerator<{ readonly path: string; readonly name: string }> {
  if ((await files.stat(folder))?.kind !== 'folder') return;
  for (const { name, kind } of await files.readFolder(folder)) {
    const path = joinPath(folder, name);
    if (kind === 'folder') yield* filesUnder(files, path, `${prefix}${name}/`);
    else if (kind === 'file') yield { path, name: prefix + name };
  }
}

/** Whoever has seen more of the session says what it is called. */
async function describe({ files, store }: MirrorParts, transcript: string, { place, state }: SessionInMirror): Promise<void> {
  const session = await readSession(files, transcript);
  if (!session) return;
  const { title, modified } = session.summary;
  const about: MirroredAbout = { sessionId: place.sessionId, title, modified, folder: folderOf(session), size: state.sent };
  const bytes = new TextEncoder().encode(JSON.stringify(about));
  const key = aboutKey(place);
  for (let attempt = 0; attempt < 5; attempt++) {
    const there = await store.read(key);
    const known = there && tryParseJson(new TextDecoder().decode(there.bytes));
    if (isJsonObject(known) && typeof known['size'] === 'number' && known['size'] > about.size) break;
    if ((await store.write(key, bytes, there ? { version: there.version } : 'absent')) !== 'refused') break;
  }
  await state.noteDescribed();
}
