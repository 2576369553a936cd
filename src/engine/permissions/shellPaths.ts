import { braceExpand } from 'minimatch';
import { isAbsolutePath, parentPath, resolvePath } from '../../base/paths.ts';
import { runsNothingOfItsWords } from './hiddenCommands.ts';
import { readShell } from './shellCommand.ts';
import type { ShellReading, ShellWord } from './shellCommand.ts';
import { nameOf, scriptsLookedAt } from './shellWrappers.ts';
import { filesImplied, writtenWords } from './shellWrites.ts';

/** A path that a command line names or may name. */
export interface NamedPath {
  /** Absolute; may hold stars where `hasGlob`. */
  readonly path: string;
  /** The same with its dots: behind a link `..` leads elsewhere. */
  readonly written: string;
  readonly hasGlob: boolean;
  readonly isWritten: boolean;
  /** False: it stands in a longer text, or a part of it is not known. */
  readonly isCertain: boolean;
}

export interface ShellPlaces {
  readonly cwd: string;
  readonly homeFolder: string;
}

/** Where many folders are gone to, the last ones are not followed. */
const maxFolders = 16;
/** Paths that braces make of one word. */
const maxExpanded = 100;
const maxBraces = 12;
/** Where a line names as many, not all of them are looked at. */
export const maxNamed = 400;
const maxDepth = 4;

/** All paths that can be told from the words of a command line, also of command lines within it, up to {@link maxNamed}. Pure. */
export function namedPaths(reading: ShellReading, places: ShellPlaces): NamedPath[] {
  const found = new Map<string, NamedPath>();
  gather(reading, places, (each) => {
    if (found.size < maxNamed) found.set(`${each.written} ${each.hasGlob} ${each.isWritten} ${each.isCertain}`, each);
    return found.size < maxNamed;
  });
  return [...found.values()];
}

/** `take` says whether there is room for more. */
function gather(reading: ShellReading, places: ShellPlaces, take: (path: NamedPath) => boolean, depth = 0): void {
  const folders = foldersOf(reading, places);
  let hasRoom = true;
  const addPiece = (piece: Piece, isWritten: boolean): void => {
    if (hasRoom) for (const each of resolved(piece, folders, places)) hasRoom = take({ ...each, isWritten }) && hasRoom;
  };
  const add = (word: ShellWord, isWritten: boolean, isCode: boolean): void => {
    for (const piece of piecesOf(word, isCode)) addPiece(piece, isWritten);
  };
  for (const { operator, target } of reading.redirects) add(target, operator !== '<', false);
  for (const input of runsNothingOfItsWords(reading) ? [] : reading.inputs) add(input, false, false);
  for (const { assignments, words } of reading.commands) {
    const writes = writtenWords(words);
    for (const word of assignments) add(word, false, false);
    for (const word of words) add(word, writes.has(word), interpreters.has(nameOf(words)));
    for (const text of filesImplied(words)) addPiece({ text, isTilde: text.startsWith('~'), hasGlob: false, isCertain: true }, true);
    for (const { value } of depth < maxDepth && hasRoom ? scriptsLookedAt(words) : []) {
      for (const folder of folders) gather(readShell(value), { ...places, cwd: folder }, take, depth + 1);
    }
  }
}

const interpreters = new Set(['python', 'python2', 'python3', 'node', 'deno', 'bun', 'perl', 'ruby', 'php', 'awk', 'gawk', 'mawk', 'sed', 'lua', 'osascript', 'jq', 'Rscript', 'tclsh', 'ed', 'ex', 'vim', 'sqlite3']);

/** Where relative paths may count from: the working folder, and every folder that the line goes to. */
export function foldersOf(reading: ShellReading, places: ShellPlaces): string[] {
  const folders = [places.cwd];
  for (const { words } of reading.commands) {
    const name = nameOf(words);
    const at = name === 'cd' || name === 'pushd' ? words.slice(1) : words.filter((_, index) => /^(-C|--directory|--chdir|-D)$/.test(words[index - 1]?.value ?? ''));
    for (const { value } of at) {
      if (value.startsWith('-') || folders.length >= maxFolders) continue;
      for (const { path } of resolved({ text: value, isTilde: value.startsWith('~'), hasGlob: false, isCertain: true }, [...folders], places)) if (!folders.includes(path)) folders.push(path);
    }
  }
  return folders;
}

const unknownPart = /\$\([^)]*\)|`[^`]*`|\$\{[^}]*\}|\$\w+/;

interface Piece {
  readonly text: string;
  readonly isTilde: boolean;
  readonly hasGlob: boolean;
  readonly isCertain: boolean;
}

/** A word may be a path, or hold one: after an option's letter, a sign, in a text. */
function piecesOf(word: ShellWord, isCode: boolean): Piece[] {
  const { value, hasGlob, isFixed } = word;
  const piece = (text: string, isCertain: boolean): Piece => ({ text, isTilde: text.startsWith('~'), hasGlob, isCertain: isCertain && isFixed });
  const pieces = [piece(value, true)];
  for (const sign of ['=', '@', ':']) {
    for (let at = value.indexOf(sign); at >= 0; at = value.indexOf(sign, at + 1)) pieces.push(piece(value.slice(at + 1), true), piece(value.slice(0, at), true));
  }
  if (/^-\w./.test(value)) pieces.push(piece(value.slice(2), true));
  if (/[\s'"()<>;|,]/.test(value)) for (const token of value.split(/[\s'"()<>;|,[\]{}=]+/)) pieces.push(piece(token, isCode));
  // What is put in may be any folder, this one too.
  if (!isFixed) for (const rest of value.split(unknownPart)) pieces.push(piece(rest, false), piece(rest.replace(/^\/+/, ''), false));
  const file = /^file:\/\/[^/]*(\/.*)$/i.exec(value)?.[1];
  // Fetchers expand braces and brackets in addresses by themselves.
  if (file !== undefined) pieces.push({ ...piece(unescaped(file), true), hasGlob: true });
  return pieces.filter(({ text }) => text !== '' && text.length < 4_000);
}

function resolved({ text, isTilde, hasGlob, isCertain }: Piece, folders: readonly string[], { cwd, homeFolder }: ShellPlaces): Omit<NamedPath, 'isWritten'>[] {
  const known = text.replace(/\$(HOME\b|\{HOME\})/g, homeFolder).replace(/\$(PWD\b|\{PWD\}|\(pwd\))|`pwd`/g, cwd);
  const open = known.replace(/\$(\w+|\{\w+\})/g, '*');
  const isKnown = isCertain || (open === known && known !== text);
  const { text: home, isSure } = isTilde ? withoutTilde(open, homeFolder) : { text: open, isSure: true };
  const isExpanded = hasGlob && home.split('{').length <= maxBraces;
  const plain = isExpanded ? braceExpand(home, { braceExpandMax: maxExpanded }) : [home];
  return plain.flatMap((each) => folders.map((folder) => {
    const written = behindProcess(isAbsolutePath(each) ? each : `${folder}/${each}`, folder);
    return { path: resolvePath(folder, written), written, hasGlob: hasGlob || open !== known, isCertain: isKnown && isSure && open === known };
  }));
}

/** `~+` is the folder it is in, `~-` the one before, `~name` somebody's home. */
function withoutTilde(text: string, homeFolder: string): { readonly text: string; readonly isSure: boolean } {
  const [, who = '', rest = ''] = /^~([^/]*)(.*)$/s.exec(text) ?? [];
  if (who === '') return { text: homeFolder + rest, isSure: true };
  if (who === '+' || who === '-') return { text: `.${rest}`, isSure: who === '+' };
  return { text: who === 'root' ? `/root${rest}` : `${parentPath(homeFolder)}/${who}${rest}`, isSure: true };
}

/** To a process that runs there, its own folder and root have more names. */
function behindProcess(path: string, folder: string): string {
  const found = /^\/+(?:proc\/+[^/]+(?:\/+task\/+[^/]+)?|dev\/+fd\/+\.\.)\/+(cwd|root)(?=\/|$)(.*)$/s.exec(path);
  return found ? (found[1] === 'cwd' ? folder : '') + (found[2] || '/') : path;
}

function unescaped(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
