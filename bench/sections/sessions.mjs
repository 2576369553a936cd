import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median, ms, times } from '../lib/figures.mjs';
import { measure } from '../lib/processes.mjs';
import { writeSession } from '../lib/transcript.mjs';
import { projectFolder } from '../../src/engine/transcript/transcriptPath.ts';

const runs = 3;
const megabyte = 1024 * 1024;
const sessionCount = 2_000;
const sessionSize = 10 * megabyte;

/** Sessions on disk: writing, going on with long ones, listing many. */
export async function sessions({ folder }) {
  const place = join(folder, 'sessions');
  mkdirSync(place);
  try {
    return [...(await appending(place)), ...(await resuming(place)), ...(await listing(place))];
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function appending(place) {
  const { median: usual, p99, most, messages } = await measure('appendMessages.mjs', [place]);
  return [[`event loop busy per message written down, p99`, ms(p99), `${messages} messages, half of them ${ms(usual)}, at most ${ms(most)}`, 'under 2 ms']];
}

async function resuming(place) {
  const path = join(place, 'long.jsonl');
  const { shownBytes } = await writeSession(path, { size: 49 * megabyte, shown: 2 * megabyte, cwd: place });
  const seen = { load: [], parse: [] };
  for (let run = 0; run < runs; run++) {
    for (const how of ['load', 'parse']) seen[how].push(await measure('resumeSession.mjs', [path, how]));
  }
  const of = (how, figure) => median(seen[how].map((each) => each[figure]));
  const huge = join(place, 'huge.jsonl');
  const made = await writeSession(huge, { size: 500 * megabyte, shown: 2 * megabyte, cwd: place });
  const { wallMs, bytesRead, notices } = await measure('resumeSession.mjs', [huge, 'load']);
  if (notices.length !== 1) throw new Error(`The long session is not as it was to be: ${notices.join(' ')}`);
  rmSync(huge);
  return [
    ['resume of 49 MB, 2 MB behind the last compaction', `${ms(of('load', 'cpuMs'))} CPU`, `${times(of('load', 'cpuMs'), of('parse', 'cpuMs'))} JSON.parse of each line (${ms(of('parse', 'cpuMs'))})`, 'under 0.6 ×'],
    ['held of it', megabytes(of('load', 'heap')), `${times(of('load', 'heap'), shownBytes)} what is shown (${megabytes(shownBytes)})`, 'under 3 ×'],
    ['resume of 500 MB', ms(wallMs), `${megabytes(bytesRead)} of ${megabytes(made.size)} read`, 'not read whole'],
  ];
}

async function listing(place) {
  const cwd = '/home/ann/shop';
  const folder = projectFolder(place, cwd);
  mkdirSync(folder, { recursive: true });
  const sample = join(place, 'sample.jsonl');
  await writeSession(sample, { size: 200_000, shown: 0, cwd });
  const bytes = readFileSync(sample);
  for (let index = 0; index < sessionCount; index++) makeSparse(join(folder, `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000.jsonl`), bytes, index);
  const lists = [];
  for (let run = 0; run < runs; run++) lists.push(await measure('listSessions.mjs', [place, cwd]));
  const wrong = lists.find(({ count, titled }) => count !== sessionCount || titled !== sessionCount);
  if (wrong) throw new Error(`The list is not as it was to be: ${JSON.stringify(wrong)}`);
  const bare = await measure('statFiles.mjs', [folder]);
  const wall = median(lists.map(({ wallMs }) => wallMs));
  return [[`list of ${sessionCount.toLocaleString('en')} sessions, ${(sessionCount * sessionSize) / 1024 ** 3} GB`, ms(wall), `${ms(bare.wallMs)} only to look at each file's size and open it once`, 'under 500 ms']];
}

/** Of the size of a long session, but only its ends take room on the disk. */
function makeSparse(path, bytes, index) {
  const file = openSync(path, 'w');
  const half = bytes.length / 2;
  const lineEnd = bytes.indexOf(0x0a, half);
  writeSync(file, bytes, 0, lineEnd, 0);
  const title = Buffer.from(`${JSON.stringify({ type: 'session-state', sessionId: 's', timestamp: '2026-11-30T00:00:00.000Z', model: 'claude-haiku-4-5', permissionMode: 'default', cost: {}, aiTitle: `Session ${index}` })}\n`);
  ftruncateSync(file, sessionSize);
  writeSync(file, bytes, lineEnd, bytes.length - lineEnd, sessionSize - title.length - (bytes.length - lineEnd));
  writeSync(file, title, 0, title.length, sessionSize - title.length);
  closeSync(file);
}

function megabytes(size) {
  return `${(size / 1e6).toFixed(1)} MB`;
}
