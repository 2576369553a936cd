import { existsSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import type { GitContents } from '../engine/ports.ts';
import { runGit, strictTimes } from './gitProcess.ts';

/** What git does to contents between the repository and the working folder, beside line ends. */
const converting = ['filter', 'ident', 'working-tree-encoding'];
const decoder = new TextDecoder();

export const nodeGitContents: GitContents = {
  async trackedFiles(folder) {
    const [staged, changed, config, replaced] = await Promise.all([
      runGit(folder, ['ls-files', '-v', '-s', '-z']),
      runGit(folder, [...strictTimes, 'diff-files', '--raw', '-z', '--no-renames', '--ignore-submodules=all', '--relative']),
      runGit(folder, ['config', '--get-regexp', '^core\\.autocrlf$']),
      runGit(folder, ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/replace/']),
    ]);
    if (!staged || !changed || !replaced) return undefined;
    const place = new Place(folder);
    const objects = stagedObjects(staged, place);
    for (const name of changedNames(changed)) if (objects.has(place.path(name))) objects.set(place.path(name), undefined);
    leaveOutReplaced(objects, replaced);
    await leaveOutConverted(place, objects, /autocrlf(?! false)/i.test(config ? decoder.decode(config) : ''));
    return objects;
  },

  async read(folder, objects) {
    const output = await runGit(folder, ['cat-file', '--batch'], objects.join('\n') + '\n');
    return output ? batchContents(output) : new Map();
  },
};

/** Names of files as git writes them, and their paths. Joining in the proper way takes longer than all the rest. */
class Place {
  readonly folder: string;
  readonly #prefix: string;

  constructor(folder: string) {
    this.folder = folder;
    this.#prefix = join(folder, 'x').slice(0, -1);
  }

  path(name: string): string {
    return this.#prefix + (sep === '/' ? name : name.replaceAll('/', sep));
  }

  name(path: string): string {
    const name = path.slice(this.#prefix.length);
    return sep === '/' ? name : name.replaceAll(sep, '/');
  }
}

type Objects = Map<string, string | undefined>;

/** `tag mode object stage\tname`; other repositories are left out. Only of files tagged H git looks whether they were changed. */
function stagedObjects(output: Uint8Array, place: Place): Objects {
  const objects: Objects = new Map();
  for (const line of decoder.decode(output).split('\0')) {
    const tab = line.indexOf('\t');
    if (tab === -1 || !line.startsWith('100', 2)) continue;
    const isPlain = line.startsWith('H ') && line[tab - 1] === '0';
    objects.set(place.path(line.slice(tab + 1)), isPlain ? line.slice(line.indexOf(' ', 2) + 1, tab - 2) : undefined);
  }
  return objects;
}

/** `:modes objects status\0name\0` each. */
function changedNames(output: Uint8Array): string[] {
  return decoder.decode(output).split('\0').filter((_, index) => index % 2 === 1);
}

/** Of an object that another one stands for, nobody knows which of the two a file was made from. */
function leaveOutReplaced(objects: Objects, output: Uint8Array): void {
  if (output.length === 0) return;
  const replaced = new Set(decoder.decode(output).split('\n'));
  for (const [path, object] of objects) if (object !== undefined && replaced.has(object)) objects.set(path, undefined);
}

/** Of files that git keeps in another form than they have here, the object is of no use. */
async function leaveOutConverted(place: Place, objects: Objects, convertsLineEnds: boolean): Promise<void> {
  if (!convertsLineEnds && !(await hasAttributes(place.folder, objects))) return;
  const names = [...objects.keys()].map((path) => place.name(path));
  const answer = await runGit(place.folder, ['check-attr', '-z', '--stdin', ...converting, 'text', 'eol'], names.map((name) => `${name}\0`).join(''));
  if (!answer) return objects.clear();
  const unsure = new Set<string>(convertsLineEnds ? objects.keys() : []);
  const fields = decoder.decode(answer).split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [name, attribute, value] = [fields[at]!, fields[at + 1]!, fields[at + 2]!];
    if (value === 'unspecified' || value === 'unset') continue;
    if (converting.includes(attribute)) objects.set(place.path(name), undefined);
    else unsure.add(place.path(name));
  }
  await leaveOutOtherSizes(place.folder, objects, unsure);
}

/** Whether anything is said about any file, by the repository or the person. To ask about each takes a while in a large one. */
async function hasAttributes(folder: string, objects: Objects): Promise<boolean> {
  for (const path of objects.keys()) if (path.endsWith('.gitattributes')) return true;
  // Also those that are not tracked count.
  for (const around of foldersOf(folder, objects)) if (existsSync(around + sep + '.gitattributes')) return true;
  const [place, setting] = await Promise.all([
    runGit(folder, ['rev-parse', '--show-toplevel', '--git-path', 'info/attributes']),
    runGit(folder, ['config', '--get', 'core.attributesFile']),
  ]);
  const [top, own] = place ? decoder.decode(place).trim().split('\n') : [];
  if (top === undefined || own === undefined || setting || resolve(top) !== folder) return true;
  const personal = join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'git', 'attributes');
  return [personal, '/etc/gitattributes', resolve(folder, own)].some((path) => existsSync(path));
}

/** With tracked files somewhere in them, `top` among them. */
function foldersOf(top: string, objects: Objects): ReadonlySet<string> {
  const folders = new Set([top]);
  for (const path of objects.keys()) {
    for (let end = path.lastIndexOf(sep); end > top.length; end = path.lastIndexOf(sep, end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

/** Another line end is another size. */
async function leaveOutOtherSizes(folder: string, objects: Objects, paths: ReadonlySet<string>): Promise<void> {
  const asked = [...paths].filter((path) => objects.get(path) !== undefined);
  if (asked.length === 0) return;
  const answer = await runGit(folder, ['cat-file', '--batch-check=%(objectsize)'], asked.map((path) => `${objects.get(path)}\n`).join(''));
  const sizes = answer ? decoder.decode(answer).split('\n') : [];
  for (const [index, path] of asked.entries()) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
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
