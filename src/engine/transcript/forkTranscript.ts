import { TurnstoneError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { textOf } from '../../protocol/contentBlocks.ts';
import { snapshotLineSchema, type RewindLine } from '../../protocol/transcript.ts';
import type { FileSystem } from '../ports.ts';
import { contentOf, isPrompt } from './loadTranscript.ts';
import { readTranscript } from './readTranscript.ts';
import { labelsOf } from './sessionLabels.ts';
import { tombstonedUuids } from './transcriptTree.ts';

export interface ForkRequest {
  /** Transcript to copy from; it is only read. */
  readonly source: string;
  /** Transcript to make; must not exist. */
  readonly target: string;
  readonly sessionId: string;
  /** Where the fork works; what is copied may come from elsewhere. */
  readonly cwd: string;
  /** The fork ends before this prompt; left out: all of the conversation is copied. */
  readonly messageId?: string | undefined;
  /** ISO 8601. */
  readonly timestamp: string;
}

/**
 * Copies a conversation, as it stands now, into a transcript of its own. Messages stay as they are, so that the prefix of
 * the next request does. What is known of the files goes along, since they have one past whoever asks: only that a
 * rewind is a change of files there, and no place to return to. Returns what the cut prompt said.
 */
export async function forkTranscript(files: FileSystem, request: ForkRequest): Promise<{ readonly prompt: string }> {
  const { source, target, sessionId, cwd, messageId, timestamp } = request;
  const size = (await files.stat(source))?.size;
  if (size === undefined) throw new TurnstoneError('not_found', `There is no session at ${source}.`);
  const { entries, branch: { entries: branch } } = await readTranscript(files, source, { size, need: 'branch' });
  const at = messageId === undefined ? branch.length : branch.findIndex(({ value }) => value['uuid'] === messageId && isPrompt(value));
  if (at < 0) throw new TurnstoneError('not_found', 'That message is not part of the conversation as it stands now. No fork was made.');
  const tombstoned = tombstonedUuids(entries);
  const kept = new Set(branch.slice(0, at).filter(({ value }) => !tombstoned.has(value['uuid'] as string)));
  const uuids = new Set([...kept].map(({ value }) => value['uuid'] as string));
  const state = entries.findLast(({ value }) => value['type'] === 'session-state');
  const { customTitle, aiTitle } = labelsOf(entries.map(({ value }) => value));
  const lines = entries.flatMap((entry) => {
    if (kept.has(entry)) return [entry.value];
    if (entry === state) return [stateOfFork(entry.value)];
    return besideLines(entry.value, uuids);
  });
  const origin: JsonObject = { type: 'fork-origin', sessionId, timestamp, cwd, source, leafUuid: branch[at - 1]?.value['uuid'] ?? null, ...(messageId !== undefined && { messageId }) };
  const title: JsonObject[] = customTitle ? [{ type: 'custom-title', customTitle: forkTitle(customTitle) }] : aiTitle ? [{ type: 'ai-title', aiTitle: forkTitle(aiTitle) }] : [];
  const text = [origin, ...lines, ...title].map((line) => `${JSON.stringify({ ...line, sessionId })}\n`).join('');
  await files.writeFile(target, new TextEncoder().encode(text), { mode: 0o600 });
  const cut = branch[at]?.value;
  return { prompt: cut ? textOf(contentOf(cut)!) : '' };
}

/** Of the lines beside the conversation, those that the fork needs too. */
function besideLines(line: JsonObject, uuids: ReadonlySet<string>): JsonObject[] {
  switch (line['type']) {
    case 'file-history-snapshot':
      // Claude Code's are of another kind.
      return snapshotLineSchema.safeParse(line).success ? [line] : [];
    case 'permission-request':
    case 'permission-decision':
      return [line];
    case 'rewind':
      return [asSnapshot(line)];
    case 'told':
      return line['afterUuid'] === null || uuids.has(line['afterUuid'] as string) ? [line] : [];
    case 'context-collapse':
      return [line['headUuid'], line['tailUuid'], line['afterUuid']].every((uuid) => uuids.has(uuid as string)) ? [line] : [];
    default:
      return [];
  }
}

/** What a rewind did to files, without its place in the conversation. */
function asSnapshot(line: JsonObject): JsonObject {
  const { sessionId, timestamp, messageId, uuid, sequence, files } = line as unknown as RewindLine;
  const changes = files.map(({ path, from, to }) => ({ path, before: from, after: to }));
  return { type: 'file-history-snapshot', sessionId, timestamp, messageId, isSnapshotUpdate: true, files: changes, sequence, rewindId: uuid };
}

/** What was spent was spent by the session that was forked, and its name and place in lists are its own. */
function stateOfFork({ customTitle: _title, aiTitle: _own, pinned: _place, ...line }: JsonObject): JsonObject {
  return { ...line, cost: null, cache: undefined };
}

function forkTitle(title: string): string {
  return `${title} (fork)`;
}
