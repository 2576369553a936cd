import { plural } from '../../base/text.ts';
import type { ChangeSetLine, FileState, RewindLine, SnapshotLine } from '../../protocol/transcript.ts';
import { historiesOf, sameState } from './rewindPlan.ts';
import type { FileEvent, PathHistory } from './rewindPlan.ts';

/** What has to be done about a set whose writing was cut short. */
export interface CutShortSet {
  readonly files: RewindLine['files'];
  /** For the user; none when all of it is there, or nothing. */
  readonly notices: readonly string[];
}

/** Where one file of such a set stands. */
interface Standing {
  readonly path: string;
  readonly present: FileState;
  readonly history: PathHistory | undefined;
  /** As after the last of its writes, or as before the first, or as after one of them. */
  readonly isWhole: boolean;
  readonly isUntouched: boolean;
  readonly isOurs: boolean;
}

/** Those without an end, after which no later message has changed a file. */
export function openSets(lines: readonly ChangeSetLine[], snapshots: readonly SnapshotLine[]): ChangeSetLine[] {
  const ended = new Set(lines.map(({ endOf }) => endOf));
  const isOvertaken = (line: ChangeSetLine): boolean => snapshots.some(({ messageId, files, sequence }) => files.length > 0 && messageId !== line.messageId && (sequence ?? 0) > (line.sequence ?? 0));
  return lines.filter((line) => line.endOf === undefined && !ended.has(line.uuid) && !isOvertaken(line));
}

/**
 * Decides about a set whose writing was cut short: all of it is there, or what is there has to go. Only files that are as
 * the set has left them are touched. Pure.
 */
export function decideCutShort(line: ChangeSetLine, present: ReadonlyMap<string, FileState>, events: readonly FileEvent[]): CutShortSet {
  const paths = new Set(line.files.map(({ path }) => path));
  const own = events.filter(({ path, sequence, isRewind }) => paths.has(path) && sequence > (line.sequence ?? 0) && !isRewind);
  const histories = new Map(historiesOf(own).map((history) => [history.path, history]));
  const standings = line.files.map((file) => standing(file, present.get(file.path) ?? { kind: 'absent' }, histories.get(file.path), own));
  const written = standings.filter(({ isUntouched }) => !isUntouched);
  if (written.length === 0 || standings.every(({ isWhole }) => isWhole)) return { files: [], notices: [] };
  const back = written.filter(({ history, isOurs }) => history && history.to.kind !== 'uncovered' && isOurs);
  const left = written.filter((each) => !back.includes(each));
  const begun = `Turnstone ended while it was writing changes to ${plural(line.files.length, 'file')} that belong together.`;
  return {
    files: back.map(({ path, present: from, history }) => ({ path, from, to: history!.to })),
    notices: [
      ...(back.length > 0 ? [`${begun} Those that were written already have been taken back, so that none is made without the others: ${back.map(({ path }) => path).join(', ')}. What was proposed is in the conversation.`] : []),
      ...left.map(({ path, isOurs }) => `${begun} ${path} ${isOurs ? 'was written, and what it held before was not kept, so it could not be taken back' : 'has been changed since, and was left as it is'}. Look at it before you go on.`),
    ],
  };
}

function standing({ path, hashes }: ChangeSetLine['files'][number], present: FileState, history: PathHistory | undefined, events: readonly FileEvent[]): Standing {
  const hash = present.kind === 'file' ? present.hash : undefined;
  const isAsLeft = history?.leftAs !== undefined && sameState(history.leftAs, present);
  // A formatter may have made something else of each write.
  const isLastLeft = isAsLeft && events.filter((event) => event.path === path).length === hashes.length;
  const isKnown = hash !== undefined && hashes.includes(hash);
  return { path, present, history, isWhole: (hash !== undefined && hash === hashes.at(-1)) || isLastLeft, isUntouched: history ? sameState(history.to, present) : !isKnown, isOurs: isKnown || isAsLeft };
}
