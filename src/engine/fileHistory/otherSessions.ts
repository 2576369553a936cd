import type { JsonObject } from '../../base/json.ts';
import { fileStateSchema, type FileState } from '../../protocol/transcript.ts';
import type { FileSystem } from '../ports.ts';
import { objectsIn } from '../transcript/readLines.ts';
import { transcriptsOf } from '../transcript/transcriptPath.ts';

/** Read back from the end of a transcript, at first and at most. Bytes. */
const firstRead = 64 * 1024;
const mostRead = 16 * 1024 * 1024;
/** Clocks of file systems tick a little behind. Milliseconds. */
const tickMs = 250;

/** What one line of another session says about a file. */
export interface RecordedWrite {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
  /** A command is said to have done it: what else ran at that time may have, too. */
  readonly isByCommand: boolean;
}

export interface OthersRecords {
  readonly writes: readonly RecordedWrite[];
  /** Commands that were started in this time. */
  readonly commands: readonly string[];
}

/** What other sessions, of this process or another, wrote down since `since` (milliseconds since 1970), whichever folder they belong to. */
export async function recordsOfOthers(files: FileSystem, { dataRoot, own }: { readonly dataRoot: string; readonly own: string }, since: number): Promise<OthersRecords> {
  const paths = (await transcriptsOf(files, dataRoot)).filter((path) => path !== own);
  const lines = (await Promise.all(paths.map((path) => linesSince(files, path, since)))).flat();
  lines.sort((one, other) => timeOf(one) - timeOf(other));
  return {
    writes: lines.flatMap(writesIn),
    commands: lines.flatMap(({ shellCommand }) => (typeof shellCommand === 'string' ? [shellCommand] : [])),
  };
}

async function linesSince(files: FileSystem, path: string, since: number): Promise<JsonObject[]> {
  const stat = await files.stat(path);
  if (!stat || stat.mtimeMs < since - tickMs) return [];
  for (let size = firstRead; ; size *= 4) {
    const from = Math.max(0, stat.size - size);
    const lines = objectsIn(await files.readRange(path, from, stat.size - from));
    const isEnough = from === 0 || size >= mostRead || lines.some((line) => timeOf(line) < since);
    if (isEnough) return lines.filter((line) => timeOf(line) >= since && (line['type'] === 'file-history-snapshot' || line['type'] === 'rewind'));
  }
}

function writesIn(line: JsonObject): RecordedWrite[] {
  const { files } = line;
  if (!Array.isArray(files)) return [];
  return files.flatMap((file: JsonObject) => {
    if (typeof file['path'] !== 'string') return [];
    const [before, after] = line['type'] === 'rewind' ? [file['from'], file['to']] : [file['before'], file['after']];
    return [{ path: file['path'], at: timeOf(line), before: stateIn(before), after: stateIn(after), isByCommand: line['shellRun'] !== undefined }];
  });
}

function stateIn(value: unknown): FileState | undefined {
  const parsed = fileStateSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** NaN where the line does not tell: then it is in no span of time. */
function timeOf(line: JsonObject): number {
  return typeof line['timestamp'] === 'string' ? Date.parse(line['timestamp']) : Number.NaN;
}
