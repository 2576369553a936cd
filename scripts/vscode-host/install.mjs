#!/usr/bin/env node
// Installs a real VS Code workbench with its extension host from npm packages, once, into the cache folder.
//   node scripts/vscode-host/install.mjs [version]
import { spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheFolder, projectNode } from '../lib/project.mjs';
import { nestedNpmEnvironment } from '../lib/runCommand.mjs';
import { applyPatches } from './patches.mjs';
import { addStubs } from './stubs.mjs';
import { defaultHostVersion, droppedExtensions, hostVersions, keptDependencies, publishedRipgrep, publishedWatcher } from './versions.mjs';

const platform = `${process.platform}-${process.arch}`;

/** Resolves to `{ version, node, serverMain, vscodeFolder }` (absolute paths); installs first when it is not there yet. */
export function ensureHost(version = defaultHostVersion) {
  const recipe = hostVersions[version];
  if (!recipe) {
    throw new Error(`No host ${version} is known. Known are: ${Object.keys(hostVersions).join(', ')}.`);
  }
  const folder = path.join(cacheFolder, 'host', version);
  if (!isCurrent(folder)) {
    fs.rmSync(folder, { recursive: true, force: true });
    installInto(folder, version, recipe);
  }
  const vscodeFolder = path.join(folder, 'vscode');
  const node = recipe.node === 'project' ? projectNode : path.join(folder, 'node', 'bin', 'node');
  return { version, node, vscodeFolder, serverMain: path.join(vscodeFolder, 'out', 'server-main.js') };
}

/** A host that was made by other versions of these scripts is made anew. */
function isCurrent(folder) {
  const file = path.join(folder, 'recipe');
  return fs.existsSync(file) && fs.readFileSync(file, 'utf8') === recipeHash();
}

function recipeHash() {
  const hash = crypto.createHash('sha256');
  for (const script of ['install.mjs', 'patches.mjs', 'stubs.mjs', 'versions.mjs']) {
    hash.update(fs.readFileSync(new URL(script, import.meta.url)));
  }
  return hash.digest('hex');
}

/** All is made in a folder beside it, which gets its name at the very end: a host is there whole or not at all. */
function installInto(folder, version, recipe) {
  if (process.platform === 'win32') {
    throw new Error('VS Code in the browser is not prepared for Windows. Put a desktop `code` on the PATH instead.');
  }
  console.log(`Installing VS Code ${recipe.vscode} for the browser (about a minute, once) …`);
  const unfinished = `${folder}.${process.pid}`;
  fs.rmSync(unfinished, { recursive: true, force: true });
  fs.mkdirSync(unfinished, { recursive: true });
  try {
    if (recipe.node !== 'project') {
      unpack(`node-${platform}@${recipe.node}`, path.join(unfinished, 'node'), 'bin/node');
    }
    const vscodeFolder = unpackCodeServer(unfinished, version);
    const dependencies = installDependencies(vscodeFolder);
    addStubs(vscodeFolder, dependencies);
    addRipgrep(unfinished, vscodeFolder);
    addTypeScript(vscodeFolder);
    removeWhatIsNotNeeded(vscodeFolder);
    applyPatches(vscodeFolder);
    fs.writeFileSync(path.join(unfinished, 'recipe'), recipeHash());
    moveIntoPlace(unfinished, folder);
  } finally {
    fs.rmSync(unfinished, { recursive: true, force: true });
  }
}

function moveIntoPlace(unfinished, folder) {
  try {
    fs.renameSync(unfinished, folder);
  } catch (error) {
    // Somebody else finished the same host meanwhile: theirs is as good.
    if (!isCurrent(folder)) {
      throw error;
    }
  }
}

/** Only the part of the package that is VS Code: code-server's own server and its dependencies are not used. */
function unpackCodeServer(folder, version) {
  unpack(`code-server@${version}`, path.join(folder, 'package'), 'lib/vscode');
  const vscodeFolder = path.join(folder, 'vscode');
  fs.renameSync(path.join(folder, 'package', 'lib', 'vscode'), vscodeFolder);
  fs.rmSync(path.join(folder, 'package'), { recursive: true });
  return vscodeFolder;
}

/** The shrinkwrap stays, so every version and integrity hash is the one code-server shipped. No install script runs. */
function installDependencies(vscodeFolder) {
  const packageFile = path.join(vscodeFolder, 'package.json');
  const original = fs.readFileSync(packageFile, 'utf8');
  const all = JSON.parse(original);
  const kept = Object.fromEntries(Object.entries(all.dependencies).filter(([name]) => keptDependencies.has(name)));
  if (/[#:]/.test(kept['@parcel/watcher'] ?? '')) {
    kept['@parcel/watcher'] = publishedWatcher;
    usePublishedWatcher(path.join(vscodeFolder, 'npm-shrinkwrap.json'));
  }
  fs.writeFileSync(packageFile, JSON.stringify({ ...all, dependencies: kept, devDependencies: {}, optionalDependencies: {} }));
  run('npm', ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefer-offline'], vscodeFolder);
  fs.writeFileSync(packageFile, original);
  return all.dependencies;
}

function usePublishedWatcher(lockFile) {
  const lock = JSON.parse(fs.readFileSync(lockFile, 'utf8'));
  for (const key of Object.keys(lock.packages)) {
    if (key.startsWith('node_modules/@parcel/watcher')) {
      delete lock.packages[key];
    }
  }
  lock.packages[''].dependencies['@parcel/watcher'] = publishedWatcher;
  fs.writeFileSync(lockFile, JSON.stringify(lock));
}

function addRipgrep(folder, vscodeFolder) {
  const modules = path.join(vscodeFolder, 'node_modules', '@vscode');
  const older = path.join(modules, 'ripgrep');
  if (fs.existsSync(older) && !fs.existsSync(path.join(older, 'bin', 'rg'))) {
    unpack(publishedRipgrep, path.join(folder, 'ripgrep'), `bin/${platform}`);
    fs.mkdirSync(path.join(older, 'bin'), { recursive: true });
    fs.renameSync(path.join(folder, 'ripgrep', 'bin', platform, 'rg'), path.join(older, 'bin', 'rg'));
    fs.rmSync(path.join(folder, 'ripgrep'), { recursive: true });
  }
  for (const binary of [path.join(modules, 'ripgrep-universal', 'bin', platform, 'rg'), path.join(older, 'bin', 'rg')]) {
    if (fs.existsSync(binary)) {
      fs.chmodSync(binary, 0o755);
    }
  }
}

/** The TypeScript extension stands without its compiler in the package, and complains with a message when it is missing. */
function addTypeScript(vscodeFolder) {
  run('npm', ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefer-offline'], path.join(vscodeFolder, 'extensions'));
}

function removeWhatIsNotNeeded(vscodeFolder) {
  for (const binaries of ['@vscode/ripgrep-universal/bin', 'node-pty/prebuilds']) {
    const folder = path.join(vscodeFolder, 'node_modules', binaries);
    for (const other of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
      if (other !== platform) {
        fs.rmSync(path.join(folder, other), { recursive: true });
      }
    }
  }
  const unused = ['node_modules/node-pty/third_party', 'node_modules/node-pty/src', ...droppedExtensions.map((name) => `extensions/${name}`)];
  for (const folder of unused) {
    fs.rmSync(path.join(vscodeFolder, folder), { recursive: true, force: true });
  }
}

/** npm checks the registry's integrity hash of what it packs, and runs nothing of it. */
function unpack(specifier, destination, only) {
  fs.mkdirSync(destination, { recursive: true });
  const packed = run('npm', ['pack', specifier, '--silent', '--ignore-scripts'], destination).trim().split('\n').pop();
  run('tar', ['xzf', packed, '--strip-components=1', `package/${only}`], destination);
  fs.rmSync(path.join(destination, packed));
}

function run(command, args, cwd) {
  const result = spawnSync(command, args, { cwd, env: nestedNpmEnvironment(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  if (result.status !== 0) {
    throw new Error(`\`${command} ${args.join(' ')}\` failed (${result.error?.message ?? result.status}):\n${result.stdout ?? ''}\n${result.stderr ?? ''}`);
  }
  return result.stdout;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`VS Code is installed in ${ensureHost(process.argv[2]).vscodeFolder}`);
}
