#!/usr/bin/env node
// Installs what is missing and does nothing when all is there. Runs before anything is installed: no dependency, Node 20.
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { inProject, projectNode } from './lib/project.mjs';
import { nestedNpmEnvironment, runCommand } from './lib/runCommand.mjs';

/** Makes `node_modules` agree with package-lock.json. Throws with what to do when that is not possible. */
export async function ensureDependencies() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20) {
    throw new Error(`Node ${process.versions.node} is too old: please use Node 20 or later.`);
  }
  if (isInstalled()) {
    return;
  }
  console.log('Installing the dependencies (npm ci) …');
  // npm ci removes the folder first, so an interrupted installation is repeated, never used half done.
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const code = await runCommand(npm, ['ci', '--no-audit', '--no-fund'], { env: nestedNpmEnvironment() });
  if (code !== 0 || !isInstalled()) {
    throw new Error('The dependencies could not be installed. The output of npm above says why; nothing else was changed.');
  }
}

/**
 * npm writes node_modules/.package-lock.json last, and it lists what is really there: comparing the two also
 * recognises an `npm ci` or `npm install` that somebody ran by hand.
 */
function isInstalled() {
  const wanted = readPackages('package-lock.json');
  const present = readPackages('node_modules', '.package-lock.json');
  if (!wanted || !present || !fs.existsSync(projectNode)) {
    return false;
  }
  return Object.entries(wanted).every(([folder, { version, optional, peer, link }]) => {
    const found = present[folder];
    // Optional packages are mostly those of other platforms.
    return folder === '' || link || (found ? found.version === version : Boolean(optional || peer));
  });
}

function readPackages(...file) {
  try {
    return JSON.parse(fs.readFileSync(inProject(...file), 'utf8')).packages;
  } catch {
    return undefined; // missing or half written: the same as not installed
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensureDependencies();
}
