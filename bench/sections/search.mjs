import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, ms, times } from '../lib/figures.mjs';
import { measure } from '../lib/processes.mjs';
import { writeSession } from '../lib/transcript.mjs';

const runs = 3;
const sessionCount = 40;
const sessionSize = 2_500_000;
/** In every so many of them, in the middle. */
const every = 8;
const words = 'quetzal feathers';

/** Looking for words in what was said: results come while the rest is read. */
export async function search({ folder }) {
  const place = join(folder, 'search');
  const sessions = join(place, 'sessions');
  mkdirSync(sessions, { recursive: true });
  try {
    await writeSession(join(place, 'sample.jsonl'), { size: sessionSize, shown: 0, cwd: place });
    const lines = readFileSync(join(place, 'sample.jsonl'), 'utf8').split('\n');
    const said = JSON.stringify({ parentUuid: null, uuid: 'u', sessionId: 's', timestamp: '2026-11-30T00:00:00.000Z', type: 'user', message: { role: 'user', content: 'Where are the quetzal feathers?' } });
    for (let index = 0; index < sessionCount; index++) {
      const middle = index % every === every - 1 ? [said] : [];
      writeFileSync(join(sessions, `${String(index).padStart(3, '0')}.jsonl`), [...lines.slice(0, lines.length / 2), ...middle, ...lines.slice(lines.length / 2)].join('\n'));
    }
    const seen = { stream: [], whole: [] };
    for (let run = 0; run < runs; run++) for (const how of ['stream', 'whole']) seen[how].push(await measure('searchSessions.mjs', [sessions, words, how]));
    const wrong = [...seen.stream, ...seen.whole].find(({ found }) => found !== sessionCount / every);
    if (wrong) throw new Error(`The search did not find what it was to find: ${JSON.stringify(wrong)}`);
    const of = (how, figure) => median(seen[how].map((each) => each[figure]));
    const beside = `each file read whole and parsed (${ms(of('whole', 'wallMs'))})`;
    return [
      [`search in ${sessionCount} sessions, ${(sessionCount * sessionSize) / 1e6} MB: first result`, ms(of('stream', 'firstMs')), `${times(of('stream', 'firstMs'), of('whole', 'wallMs'))} ${beside}`, 'under 0.2 ×'],
      ['all results', `${ms(of('stream', 'cpuMs'))} CPU`, `${times(of('stream', 'cpuMs'), of('whole', 'cpuMs'))} the same (${ms(of('whole', 'cpuMs'))}); ${ms(of('stream', 'wallMs'))} by the clock`, 'under 0.5 ×'],
    ];
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
