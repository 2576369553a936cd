import { kilobytes, median, ms } from '../lib/figures.mjs';
import { measure } from '../lib/processes.mjs';

const runs = 7;

/** How long the extension takes to be there, with an editor that does nothing. */
export async function activation({ folder }) {
  const reports = [];
  for (let run = 0; run < runs; run++) reports.push(await measure('activate.mjs', [folder], { env: { TURNSTONE_HOME: `${folder}/activation` } }));
  const { loaded } = reports[0];
  const bytes = loaded.reduce((sum, file) => sum + file.bytes, 0);
  const figure = (name) => ms(median(reports.map((report) => report[name])));
  return [
    ['activate() until it returns', figure('returnMs'), `${figure('settleMs')} until it is done`, 'under 30 ms'],
    ['reading the extension before', figure('importMs'), `${loaded.length} files, ${kilobytes(bytes)}`, ''],
  ];
}
