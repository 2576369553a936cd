import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ms } from '../lib/figures.mjs';
import { measure } from '../lib/processes.mjs';

/** 50,000 files of 10 kB unless TURNSTONE_BENCH_FILES says how many. */
const files = Number(process.env.TURNSTONE_BENCH_FILES ?? 50_000);
const bytes = 10_000;

/** What keeping files before a shell command costs, beside a shadow repository (`git add -A` and a commit with a git folder of its own). */
export async function snapshots({ folder }) {
  const place = join(folder, 'snapshots');
  mkdirSync(place);
  try {
    const figures = await measure('snapshots.mjs', [files, bytes], { cwd: place });
    const beside = (shadow, own) => `${ms(shadow)} shadow repository, ${(shadow / own).toFixed(1)} × as long`;
    return [
      [`first command in ${files.toLocaleString('en')} files, ${megabytes(files * bytes)}`, ms(figures.first), beside(figures.firstShadow, figures.first), 'at least 20 ×'],
      ['before a command, one file changed', ms(figures.oneBefore), beside(figures.oneShadow, figures.oneBefore), 'at least 2 ×'],
      ['before a command, ten files changed', ms(figures.tenBefore), beside(figures.tenShadow, figures.tenBefore), 'at least 2 ×'],
      ['the same where watchers tell of them', ms(figures.watchedBefore), beside(figures.watchedShadow, figures.watchedBefore), 'at least 10 ×'],
      ['after it, its ten changes written down', ms(figures.tenAfter), '', ''],
      ['an edit by a tool', ms(figures.edit), '', 'under 2 ms'],
      ['kept on disk', megabytes(figures.kept), `${megabytes(figures.keptShadow)} shadow repository`, 'what changed'],
    ];
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function megabytes(size) {
  return `${(size / 1e6).toFixed(1)} MB`;
}
