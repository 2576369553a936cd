import { shownText } from '../text/byteEscapes.ts';
import { unifiedDiff } from '../text/unifiedDiff.ts';
import { readCurrentContent, seenFrom } from './currentContent.ts';
import type { FileStat } from '../ports.ts';
import type { ContentPorts, CurrentContent, KnownOfFile } from './currentContent.ts';
import { isProvenUnchanged } from './readFileState.ts';
import type { ReadFileState, SeenFile } from './readFileState.ts';

/** A file that others changed since the model read it. */
export interface ChangedFileNote {
  readonly path: string;
  /** For the model: what happened, with the changed lines. */
  readonly text: string;
}

const maxDiffLength = 8_000;

/**
 * Looks at all files that the model has read and tells of each change once. A change that is shown whole counts as
 * read; after one that had to be cut, the model must read the file again before it may edit.
 */
export async function collectChangedFiles(state: ReadFileState, ports: ContentPorts): Promise<ChangedFileNote[]> {
  const notes: ChangedFileNote[] = [];
  for (const { path, seen, stat } of await doubtful(state, ports)) {
    const text = await lookAt(path, { seen, stat }, state, ports);
    if (text !== undefined) notes.push({ path, text: shownText(text) });
  }
  return notes;
}

interface DoubtfulFile {
  readonly path: string;
  readonly seen: SeenFile;
  /** Undefined where it could not be had, or was not asked for: what the editor holds counts. */
  readonly stat: FileStat | undefined;
}

/**
 * The files whose size and time do not prove that they are as they were seen. All are looked at side by side: this stands
 * before every request, and a session may have read a thousand.
 */
async function doubtful(state: ReadFileState, { documents, files }: ContentPorts): Promise<DoubtfulFile[]> {
  const looks = state.list().map(async ({ path, seen }): Promise<DoubtfulFile | undefined> => {
    if (documents.unsavedText(path) !== undefined) return { path, seen, stat: undefined };
    const stat = await files.stat(path).catch(() => undefined);
    return stat?.kind === 'file' && isProvenUnchanged(seen, stat) ? undefined : { path, seen, stat };
  });
  return (await Promise.all(looks)).filter((file) => file !== undefined);
}

async function lookAt(path: string, { seen, stat }: Pick<DoubtfulFile, 'seen' | 'stat'>, state: ReadFileState, ports: ContentPorts): Promise<string | undefined> {
  const content = await currentContentOf(path, { encoding: seen.encoding, stat }, ports);
  // A record that changed while we looked was made by a read or a write of this very session.
  if (state.get(path)?.hash !== seen.hash) return undefined;
  if (content === 'unreadable' || content.kind === 'absent' || content.kind === 'folder' || content.kind === 'other') {
    state.forget(path);
    return content !== 'unreadable' && content.kind === 'absent'
      ? `${path} was deleted or moved since you read it.`
      : `${path} is no longer a file that can be read.`;
  }
  const now = seenFrom(content, ports);
  if (content.hash === seen.hash) {
    state.record(path, { ...seen, onDisk: now.onDisk, verifiedAtMs: now.verifiedAtMs, announcedHash: undefined });
    return undefined;
  }
  if (content.hash === seen.announcedHash) return undefined;
  return announce(path, { seen, now }, state);
}

async function currentContentOf(path: string, known: KnownOfFile, ports: ContentPorts): Promise<CurrentContent | 'unreadable'> {
  try {
    return await readCurrentContent(path, ports, known);
  } catch {
    // Told to the model by the caller: the file was readable before.
    return 'unreadable';
  }
}

function announce(path: string, change: { readonly seen: SeenFile; readonly now: SeenFile }, state: ReadFileState): string {
  const { seen, now } = change;
  const start = `${path} was changed since you read it, by the user, a command or another program. Keep that change unless you are asked to undo it.`;
  if (seen.text === undefined || now.text === undefined) {
    state.record(path, { ...seen, announcedHash: now.hash });
    return `${start} Read it again before you edit it.`;
  }
  const diff = unifiedDiff(seen.text, now.text, { maxLength: maxDiffLength });
  if (diff.isCut) {
    state.record(path, { ...seen, announcedHash: now.hash });
    return `${start} Read it again before you edit it. The changed lines begin so:\n${diff.text}`;
  }
  state.record(path, { ...now, whole: seen.whole, range: seen.range });
  return `${start} The changed lines:\n${diff.text}`;
}
