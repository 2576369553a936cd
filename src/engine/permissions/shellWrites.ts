import type { ShellWord } from './shellCommand.ts';
import { nameOf, possibleCommands } from './shellWrappers.ts';

/** Programs that write, remove or change what their words name. */
const writers = new Set(['rm', 'mv', 'cp', 'tee', 'touch', 'truncate', 'dd', 'install', 'ln', 'link', 'mkdir', 'mkfifo', 'mknod', 'chmod', 'chown', 'chgrp', 'shred', 'unlink', 'patch', 'rmdir', 'rsync', 'ed', 'ex', 'vi', 'vim', 'nano', 'setfacl', 'sponge', 'unzip', 'uniq', 'xxd', 'split', 'csplit', 'tar', 'bsdtar', 'zip', '7z', 'cpio', 'pax', 'gzip', 'gunzip', 'bzip2', 'bunzip2', 'xz', 'unxz', 'zstd', 'ar', 'scp', 'sftp', 'convert', 'magick', 'ffmpeg', 'sqlite3', 'openssl']);
const inPlace = new Set(['sed', 'perl', 'ruby', 'yq', 'prettier', 'gofmt', 'black', 'rustfmt', 'sort']);
const gitWriters = /^(checkout|restore|rm|mv|clean|apply|init|clone|worktree)$/;
/** Here -o is something else. */
const otherO = new Set(['grep', 'egrep', 'fgrep', 'rg', 'zgrep', 'find', 'test', '[', 'ls', 'ps', 'set', 'shopt', 'bash', 'sh', 'zsh', 'ssh', 'scp', 'sftp', 'mount', 'stdbuf', 'awk', 'gawk', 'sed', 'pgrep', 'lsof', 'id', 'od', 'echo']);

/** The words of a command that may name what it writes, also behind others that run it: `xargs touch x`. Pure. */
export function writtenWords(words: readonly ShellWord[]): ReadonlySet<ShellWord> {
  const written = new Set<ShellWord>();
  for (const command of possibleCommands(words)) {
    if (writesAll(command)) for (const word of command) written.add(word);
    else for (const word of outputsOf(command)) written.add(word);
  }
  return written;
}

/** Settings that a command changes without naming their file. Pure. */
export function settingsWritten(words: readonly ShellWord[]): string[] {
  const values = words.map(({ value }) => value);
  const name = nameOf(words);
  if (name === 'git' && values.includes('config') && !readsConfig(values.slice(values.indexOf('config') + 1))) return ['.git/config'];
  if (/^(npm|pnpm|yarn|bun)$/.test(name) && values.some((value, index) => /^(set|delete|edit)$/.test(value) && (index === 1 || /^c(onfig)?$/.test(values[index - 1]!)))) return ['~/.npmrc'];
  return [];
}

/** What it does is said before the name of the setting: behind that the same word is a value. */
function readsConfig(values: readonly string[]): boolean {
  const first = values.find((value) => !/^(-z|--(global|local|system|worktree|show-\w+|name-only|null|includes|no-includes|type=\w+))$/.test(value));
  return first !== undefined && /^(get|list|-l|--get\S*|--list)$/.test(first);
}

function writesAll(words: readonly ShellWord[]): boolean {
  const name = nameOf(words);
  if (writers.has(name)) return true;
  if (inPlace.has(name)) return words.some(({ value }) => /^-\w*i|^--i|^-w$|^--write/.test(value) && name !== 'sort');
  return name === 'git' && words.some(({ value }, index) => index > 0 && gitWriters.test(value));
}

/** What stands behind an option that says where the output goes. */
function outputsOf(words: readonly ShellWord[]): ShellWord[] {
  const name = nameOf(words);
  if (otherO.has(name)) return [];
  return words.filter(({ value }, index) => {
    const before = words[index - 1]?.value ?? '';
    if (/^\w+:\/\//.test(value)) return false;
    if (/^(-\w*o|--out\S*|--log-file|--dump-header|--cookie-jar)$/.test(before)) return true;
    if ((name === 'wget' && /^-\w*[OPa]$/.test(before)) || (name === 'curl' && /^-[Dc]$/.test(before)) || (name === 'tar' && /^(-C|--directory)$/.test(before))) return true;
    return /^(-o.|--out[\w-]*=|--log-file=|of=)/.test(value);
  });
}
