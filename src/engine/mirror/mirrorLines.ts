import type { FileSystem } from '../ports.ts';
import { joinBytes } from '../transcript/readLines.ts';
import { joinPath } from '../transcript/transcriptPath.ts';
import { blobKey, hashesIn, partKey } from './mirrorKeys.ts';
import type { MirrorOutcome, MirrorParts, SessionInMirror } from './mirrorParts.ts';

/** What is new in a transcript joins its last part until that is so large: few objects, and not much is sent again. Bytes. */
const fullPartBytes = 256 * 1024;
/** So much is added to a part at once, but always a whole line. Bytes. */
const stepBytes = 4 * 1024 * 1024;
const lineFeed = 0x0a;

/**
 * Sends what a transcript holds beyond what was sent. A part grows only from the very version that we know: whoever else
 * has written to it is noticed, and nothing of theirs is overwritten.
 */
export async function mirrorLines(parts: MirrorParts, transcript: string, { place, state }: SessionInMirror): Promise<MirrorOutcome> {
  const { files, store } = parts;
  for (;;) {
    if (state.sent - state.start >= fullPartBytes) state.beginPart();
    const fresh = await wholeLines(files, transcript, state.sent);
    if (fresh.length === 0) return 'mirrored';
    await mirrorBlobs(parts, hashesIn(fresh));
    const content = joinBytes([await files.readRange(transcript, state.start, state.sent - state.start), fresh]);
    const key = partKey(place, state.start);
    const condition = state.sent === state.start ? 'absent' : state.version && { version: state.version };
    const outcome = condition ? await store.write(key, content, condition) : 'refused';
    if (outcome !== 'refused') {
      await state.add(parts, transcript, { length: content.length, version: outcome.version });
      continue;
    }
    // Only the answer may have been lost, or another process of ours was quicker; or it was gone on with elsewhere.
    const there = await store.read(key);
    if (!there) {
      if (condition === 'absent') throw new Error(`the store says that ${key} is there, and that it is not`);
      // Somebody has emptied it.
      state.beginAnew();
      continue;
    }
    const local = await files.readRange(transcript, state.start, Math.max(content.length, there.bytes.length));
    const common = Math.min(there.bytes.length, local.length);
    if (!sameBytes(there.bytes.subarray(0, common), local.subarray(0, common))) return 'diverged';
    if (there.bytes.length > local.length) return 'behind';
    await state.add(parts, transcript, { length: there.bytes.length, version: there.version });
  }
}

/** From `offset`, up to the last line feed: a torn line is not sent before it is whole. */
async function wholeLines(files: FileSystem, path: string, offset: number): Promise<Uint8Array> {
  for (let length = stepBytes; ; length *= 2) {
    const bytes = await files.readRange(path, offset, length);
    const end = bytes.lastIndexOf(lineFeed);
    if (end !== -1 || bytes.length < length) return bytes.subarray(0, end + 1);
  }
}

async function mirrorBlobs({ files, store, dataRoot }: MirrorParts, hashes: ReadonlySet<string>): Promise<void> {
  for (const hash of hashes) {
    const path = joinPath(dataRoot, blobKey(hash));
    if ((await files.stat(path))?.kind === 'file') await store.write(blobKey(hash), await files.readFile(path), 'absent');
  }
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.every((byte, index) => byte === other[index]);
}
