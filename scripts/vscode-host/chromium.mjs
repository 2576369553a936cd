// Finding and, where that is possible without asking anybody, installing a Chromium.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

/** The path of a browser, or undefined. The variable CHROMIUM wins over the usual places. */
export function findChromium() {
  const chosen = process.env.CHROMIUM;
  if (chosen && !fs.existsSync(chosen)) {
    throw new Error(`The variable CHROMIUM names ${chosen}, but there is no such file.`);
  }
  return chosen || usualPlaces.find((file) => fs.existsSync(file));
}

/** The path of a browser; on a Debian-like machine it is installed if the user may do that. */
export function ensureChromium() {
  const found = findChromium() ?? (installWithApt() ? findChromium() : undefined);
  if (!found) {
    throw new Error(
      'The tests need Chromium or Chrome and found none.\n' +
        '  Debian, Ubuntu: sudo apt-get install chromium\n' +
        '  elsewhere: install Chrome, or set CHROMIUM to the path of a browser that is built on Chromium',
    );
  }
  return found;
}

function installWithApt() {
  if (process.platform !== 'linux' || process.getuid() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
    return false;
  }
  console.log('Installing Chromium (apt-get install chromium) …');
  const apt = (...args) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return spawnSync('apt-get', args, { env, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
  };
  return apt('update') && apt('install', '-y', '--no-install-recommends', 'chromium');
}
