import { spawn } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import type { GitContents } from '../engine/ports.ts';
import { childEnvironment } from './childEnvironment.ts';

/** Milliseconds. A repository that takes longer is treated as a folder without git. */
const timeoutMs = 5_000;
/** Bytes of one answer. */
const maxOutput = 512 * 1024 * 1024;
/** What git does to contents between the repository and the working folder, beside line ends. */
const converting = ['filter', 'ident', 'working-tree-encoding'];
/** A file monitor is a program that a repository can name; none is started for a look. */
const quietly = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'core.untrackedCache=false'];
const decoder = new TextDecoder();

export const nodeGitContents: GitContents = {
  async trackedFiles(folder) {
    const [staged, changed, config] = await Promise.all([
      git(folder, ['ls-files', '-v', '-s', '-z']),
      git(folder, ['diff-files', '--raw', '-z', '--no-renames', '--ignore-submodules=all', '--relative']),
      git(folder, ['config', '--get-regexp', '^core\\.autocrlf$']),
    ]);
    if (!staged || !changed) return undefined;
    const objects = stagedObjects(staged);
    for (const path of changedPaths(changed)) if (objects.has(path)) objects.set(path, undefined);
    await leaveOutConverted(folder, objects, /autocrlf (?!false)/i.test(config ? decoder.decode(config) : ''));
    // Joining in the proper way takes longer than all the rest.
    const prefix = join(folder, 'x').slice(0, -1);
    const files = new Map<string, string | undefined>();
    for (const [path, object] of objects) files.set(prefix + (sep === '/' ? path : path.replaceAll('/', sep)), object);
    return files;
  },

  async read(folder, objects) {
    const output = await git(folder, ['cat-file', '--batch'], objects.join('\n') + '\n');
    return output ? batchContents(output) : new Map();
  },
};

/** `tag mode object stage\tpath`; other repositories are left out. Only of files tagged H git looks whether they were changed. */
function stagedObjects(output: Uint8Array): Map<string, string | undefined> {
  const objects = new Map<string, string | undefined>();
  for (const line of decoder.decode(output).split('\0')) {
    const tab = line.indexOf('\t');
    const [tag, mode, object, stage] = line.slice(0, tab).split(' ');
    if (tab === -1 || !mode?.startsWith('100')) continue;
    objects.set(line.slice(tab + 1), tag === 'H' && stage === '0' ? object : undefined);
  }
  return objects;
}

/** `:modes objects status\0path\0` each. */
function changedPaths(output: Uint8Array): string[] {
  return decoder.decode(output).split('\0').filter((_, index) => index % 2 === 1);
}

/** Of files that git keeps in another form than they have here, the object is of no use. */
async function leaveOutConverted(folder: string, objects: Map<string, string | undefined>, convertsLineEnds: boolean): Promise<void> {
  const paths = [...objects.keys()];
  if (!convertsLineEnds && !(await hasAttributes(folder, paths))) return;
  const answer = await git(folder, ['check-attr', '-z', '--stdin', ...converting, 'text', 'eol'], paths.map((path) => `${path}\0`).join(''));
  if (!answer) return objects.clear();
  const unsure = new Set<string>(convertsLineEnds ? paths : []);
  const fields = decoder.decode(answer).split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path, attribute, value] = [fields[at]!, fields[at + 1]!, fields[at + 2]!];
    if (value === 'unspecified' || value === 'unset') continue;
    if (converting.includes(attribute)) objects.set(path, undefined);
    else unsure.add(path);
  }
  await leaveOutOtherSizes(folder, objects, unsure);
}

/** Whether anything is said about any file, by the repository or the person. To ask about each takes a while in a large one. */
async function hasAttributes(folder: string, paths: readonly string[]): Promise<boolean> {
  if (paths.some((path) => path.endsWith('.gitattributes'))) return true;
  const [place, setting] = await Promise.all([
    git(folder, ['rev-parse', '--show-toplevel', '--git-path', 'info/attributes']),
    git(folder, ['config', '--get', 'core.attributesFile']),
  ]);
  const [top, own] = place ? decoder.decode(place).trim().split('\n') : [];
  if (top === undefined || own === undefined || setting || resolve(top) !== folder) return true;
  const personal = join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'git', 'attributes');
  return [personal, '/etc/gitattributes', resolve(folder, own), join(folder, '.gitattributes')].some((path) => existsSync(path));
}

/** Another line end is another size. */
async function leaveOutOtherSizes(folder: string, objects: Map<string, string | undefined>, paths: ReadonlySet<string>): Promise<void> {
  const asked = [...paths].filter((path) => objects.get(path) !== undefined);
  if (asked.length === 0) return;
  const answer = await git(folder, ['cat-file', '--batch-check=%(objectsize)'], asked.map((path) => `${objects.get(path)}\n`).join(''));
  const sizes = answer ? decoder.decode(answer).split('\n') : [];
  for (const [index, path] of asked.entries()) {
    const stats = lstatSync(join(folder, path), { throwIfNoEntry: false });
    if (String(stats?.size) !== sizes[index]) objects.set(path, undefined);
  }
}

/** `object type size\n` and the bytes, a line feed after them; `object missing\n` for what is gone. */
function batchContents(output: Uint8Array): Map<string, Uint8Array> {
  const contents = new Map<string, Uint8Array>();
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    if (end === -1) break;
    const [object, type, size] = decoder.decode(output.subarray(at, end)).split(' ');
    at = end + 1;
    if (type !== 'blob') {
      if (size !== undefined) at += Number(size) + 1;
      continue;
    }
    contents.set(object!, output.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return contents;
}

/** stdout; undefined when it failed, in whatever way. */
function git(folder: string, args: readonly string[], input?: string): Promise<Uint8Array | undefined> {
  return new Promise((settle) => {
    const child = spawn('git', [...quietly, ...args], { cwd: folder, env: childEnvironment(), stdio: ['pipe', 'pipe', 'ignore'], timeout: timeoutMs, windowsHide: true });
    const chunks: Uint8Array[] = [];
    let length = 0;
    child.stdout.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxOutput) child.kill();
    });
    child.on('error', () => settle(undefined));
    child.on('close', (code) => settle(code === 0 && length <= maxOutput ? Buffer.concat(chunks) : undefined));
    // One that has died takes no more input; its exit code says so.
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
  });
}
