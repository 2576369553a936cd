import type { ShellReading, ShellWord } from './shellCommand.ts';
import { nameOf, possibleCommands, scriptsLookedAt } from './shellWrappers.ts';
import { readShell } from './shellCommand.ts';

const maxDepth = 4;

/** Programs that read whole folders: they reach what no word names. Also where another program gives them the names. */
export function readsFolders(reading: ShellReading, depth = 0): boolean {
  return reading.commands.some(({ words }) => possibleCommands(words).some((command) => readsFolder(command) || isFed(command)) || scriptsOf(words, depth).some((script) => readsFolders(script, depth + 1)));
}

/** Whether it shows a file whose name is put together only when it runs. Pure. */
export function readsUnknown(reading: ShellReading, depth = 0): boolean {
  if (reading.redirects.some(({ operator, target }) => operator.startsWith('<') && isUnknown(target))) return true;
  return reading.commands.some(({ words }) => possibleCommands(words).some((command) => isReader(command) && command.slice(1).some(isUnknown)) || scriptsOf(words, depth).some((script) => readsUnknown(script, depth + 1)));
}

/** A link that is made in the line gives names to what is used later in it. */
export function linksOnTheWay({ commands }: ShellReading): boolean {
  return commands.length > 1 && commands.some(({ words }) => possibleCommands(words).some((command) => /^(ln|link|mount|bindfs|sshfs)$/.test(nameOf(command))));
}

function scriptsOf(words: readonly ShellWord[], depth: number): ShellReading[] {
  return depth < maxDepth ? scriptsLookedAt(words).map(({ value }) => readShell(value)) : [];
}

const folderReaders = new Set(['rg', 'ag', 'ack', 'tar', 'bsdtar', 'zip', '7z', '7za', 'cpio', 'pax', 'rsync', 'rgrep', 'ugrep', 'code2prompt', 'repomix']);

function readsFolder(words: readonly ShellWord[]): boolean {
  const name = nameOf(words);
  if (folderReaders.has(name)) return true;
  if (name === 'git') return words.some(({ value }) => value === 'grep' || value === 'archive');
  if (name === 'diff' && words.some(({ value }) => /^(\.{1,2}|~|.*\/\.{0,2})$/.test(value))) return true;
  return (/^[efz]?grep$/.test(name) || name === 'cp' || name === 'scp' || name === 'diff') && words.some(({ value }) => /^-\w*[rRad]|^--(r|dir|der|arch)/.test(value));
}

/** They run a program with names that they find or are given. */
const feeders = new Set(['xargs', 'parallel', 'find', 'fd', 'fdfind']);

function isFed(words: readonly ShellWord[]): boolean {
  const name = nameOf(words);
  if (!feeders.has(name) || (name === 'find' && !words.some(({ value }) => /^-(exec|ok)/.test(value)))) return false;
  return words.slice(1).some((word) => isReader([word]) || (nameOf([word]) === 'git' && words.some(({ value }) => shownByGit.has(value))));
}

/** Programs that show, copy or send what files hold. */
const readers = new Set([
  'cat', 'bat', 'batcat', 'head', 'tail', 'less', 'more', 'most', 'nl', 'tac', 'rev', 'sort', 'uniq', 'cut', 'paste', 'join', 'comm', 'fold', 'fmt', 'pr', 'expand', 'unexpand', 'column', 'shuf', 'awk', 'gawk', 'mawk', 'nawk', 'sed', 'gsed', 'grep', 'egrep', 'fgrep', 'zgrep', 'look',
  'od', 'xxd', 'hexdump', 'hd', 'strings', 'base64', 'base32', 'basenc', 'uuencode', 'zcat', 'gzip', 'bzip2', 'xz', 'zstd', 'iconv', 'diff', 'diff3', 'sdiff', 'cmp', 'split', 'csplit', 'dd', 'cp', 'mv', 'ln', 'link', 'install', 'jq', 'yq', 'scp', 'sftp', 'curl', 'wget', 'openssl', 'gpg', 'age', 'vi', 'vim', 'ed', 'ex', 'nano', 'source', '.', 'envsubst', 'cpp', 'm4', 'pandoc', 'sqlite3', 'perl', 'ruby', 'mapfile', 'readarray',
]);
const shownByGit = new Set(['show', 'diff', 'blame', 'annotate', 'cat-file', 'hash-object', 'merge-file', 'grep', 'apply']);

function isReader(words: readonly ShellWord[]): boolean {
  const name = nameOf(words);
  return readers.has(name) || folderReaders.has(name) || (name === 'git' && words.some(({ value }) => shownByGit.has(value)));
}

function isUnknown({ value, isFixed }: ShellWord): boolean {
  return !isFixed && /[$`]/.test(value.replaceAll(/\$(HOME|PWD)\b|\$\{(HOME|PWD)\}|\$\(pwd\)|`pwd`/g, ''));
}
