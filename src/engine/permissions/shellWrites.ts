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

/** Files that a command writes without its words naming them: settings, and what a page is saved as. Pure. */
export function filesImplied(words: readonly ShellWord[]): string[] {
  return possibleCommands(words).flatMap((command) => impliedBy(nameOf(command), command.map(({ value }) => value)));
}

function impliedBy(name: string, values: readonly string[]): string[] {
  if (name === 'git' && values.includes('config') && !readsConfig(values.slice(values.indexOf('config') + 1))) return [gitSettings(values)];
  if (/^(npm|pnpm|yarn|bun)$/.test(name) && values.some((value, index) => /^(set|delete|edit)$/.test(value) && (index === 1 || /^c(onfig)?$/.test(values[index - 1]!)))) return [values.some((value) => /^(--location=)?project$/.test(value)) ? '.npmrc' : '~/.npmrc'];
  // Without an option for it a page gets the last name of its address.
  if (name === 'wget' && !values.some((value) => /^(-\w*O|--output-d)/.test(value))) return savedAs(values, (value) => /^-\w*P$|^--directory-prefix$/.test(value));
  if (name === 'curl' && values.some((value) => /^-[a-zA-Z]*[OJ]|^--remote-/.test(value))) return savedAs(values, (value) => value === '--output-dir');
  return [];
}

function gitSettings(values: readonly string[]): string {
  if (values.includes('--global')) return '~/.gitconfig';
  if (values.includes('--system')) return '/etc/gitconfig';
  const file = values.find((_, index) => /^(-f|--file)$/.test(values[index - 1] ?? '')) ?? values.flatMap((value) => /^--file=(.*)$/s.exec(value)?.[1] ?? [])[0];
  return file ?? '.git/config';
}

/** In the folder behind the option that names one, otherwise here. */
function savedAs(values: readonly string[], isFolder: (value: string) => boolean): string[] {
  const attached = values.flatMap((value) => /^(?:-P|--directory-prefix=|--output-dir=)(.+)$/s.exec(value)?.[1] ?? []);
  const folder = values.find((_, index) => isFolder(values[index - 1] ?? '')) ?? attached[0] ?? '.';
  return values.slice(1).filter((value) => !value.startsWith('-') && /^(\w+:\/\/)?[^/]+\//.test(value)).map((value) => {
    const name = value.replace(/^\w+:\/\//, '').split(/[?#]/)[0]!.split('/').slice(1).at(-1);
    return `${folder}/${name === undefined || name === '' ? 'index.html' : name}`;
  });
}

/** What it does is said before the name of the setting: behind that the same word is a value. */
function readsConfig(values: readonly string[]): boolean {
  const first = values.find((value) => !/^(-z|--(global|local|system|worktree|show-\w+|name-only|null|includes|no-includes|type=\w+))$/.test(value));
  return first !== undefined && /^(get|list|-l|--get\S*|--list)$/.test(first);
}

const foldersGiven = /^--(cache(-dir|-folder)?|prefix|userconfig|globalconfig|store-dir|target(-dir)?|root|modules-folder|global-dir|logs-dir)$/;

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
    // Where a package manager keeps or puts what it fetches.
    if (/^(npm|pnpm|yarn|bun|npx|pip3?|uv|cargo)$/.test(name) && (foldersGiven.test(before) || foldersGiven.test(value.split('=')[0]!))) return true;
    if ((name === 'wget' && /^-\w*[OPa]$/.test(before)) || (name === 'curl' && /^-[Dc]$/.test(before)) || (name === 'tar' && /^(-C|--directory)$/.test(before))) return true;
    return /^(-o.|--out[\w-]*=|--log-file=|of=)/.test(value);
  });
}
