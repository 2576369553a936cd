import { baseName } from '../../base/paths.ts';
import type { ShellWord } from './shellCommand.ts';

/** Programs and builtins that run what they are given, with their options that take a value in the next word, and how many words of their own come first. */
const wrappers: { readonly [name: string]: { readonly values: string; readonly own?: number } | undefined } = {
  timeout: { values: 's k signal kill-after', own: 1 },
  nice: { values: 'n adjustment' },
  nohup: { values: '' },
  time: { values: 'f o format output' },
  stdbuf: { values: 'i o e input output error' },
  env: { values: 'u C unset chdir' },
  sudo: { values: 'u g h p C r t U D R T user group host prompt chdir chroot role type' },
  doas: { values: 'u C' },
  xargs: { values: 'I n P L d a s E max-args max-procs max-lines delimiter arg-file max-chars' },
  command: { values: '' },
  builtin: { values: '' },
  exec: { values: 'a' },
  setsid: { values: '' },
  ionice: { values: 'c n p class classdata pid' },
  chrt: { values: 'T P D', own: 1 },
  taskset: { values: '', own: 1 },
  flock: { values: 'w E wait timeout', own: 1 },
  chroot: { values: '', own: 1 },
  strace: { values: 'e o p s u' },
  ltrace: { values: 'e o p s u' },
  watch: { values: 'n interval' },
  busybox: { values: '' },
  toybox: { values: '' },
  unshare: { values: '' },
  nsenter: { values: 't' },
  su: { values: '' },
  runuser: { values: 'u' },
  script: { values: '' },
  parallel: { values: 'j a' },
  entr: { values: '' },
  unbuffer: { values: '' },
  'systemd-run': { values: 'p u' },
  caffeinate: { values: 't w' },
  coproc: { values: '' },
};

/** Of these the thing run is in a string, in a list between marks, or comes from somewhere else. */
const otherRunners = new Set(['find', 'fd', 'fdfind', 'eval', 'trap', 'ssh', 'watch', 'su', 'script', 'parallel', 'flock', 'source', '.', 'unshare', 'nsenter', 'systemd-run']);
/** They run what they are given too, but it is a package of its own: only what forbids looks behind them. */
const packageRunners = new Set(['npx', 'bunx', 'pnpx', 'uvx', 'pipx']);
/** They run later what comes in. */
const queues = new Set(['at', 'batch', 'crontab']);
const shells = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'ash', 'fish', 'rbash', 'mksh', 'pwsh', 'cmd', 'cmd.exe', 'powershell']);
/** They change how long, how loud or how fast something runs, not what it is. */
const harmlessWrappers = new Set(['timeout', 'nice', 'nohup', 'time', 'stdbuf']);

export interface Unwrapped {
  /** The command itself, of wrappers that do not matter freed. */
  readonly words: readonly ShellWord[];
  /** How many of these words only say how the rest is run. 'unknown': what is run cannot be told from the words. */
  readonly wrapperWords: number | 'unknown';
}

/** Finds what is really run. Pure. */
export function unwrap(words: readonly ShellWord[]): Unwrapped {
  let rest = words;
  while (rest.length > 0 && harmlessWrappers.has(nameOf(rest))) {
    const start = startOfInner(rest);
    // With options that write or are not known, it is judged as it stands.
    if (start === undefined || rest.slice(1, start).some(({ value }) => !/^(-[nksioe]|--preserve-status|--foreground|-v|-?\d+(\.\d+)?[smhdL]?|-[nksioe]?[A-Z0-9]+)$/.test(value))) break;
    rest = rest.slice(start);
  }
  return { words: rest, wrapperWords: wrapperWordsOf(rest) };
}

/** All that may be run by these words, themselves first: for rules that forbid. */
export function possibleCommands(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  return runsOthers(nameOf(words)) || packageRunners.has(nameOf(words)) ? words.map((_, index) => words.slice(index)) : [words];
}

/** Texts among these words that are run as command lines themselves. */
function possibleScripts(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = nameOf(words);
  if (name === 'eval') return [{ value: words.slice(1).map(({ value }) => value).join(' '), source: '', isFixed: words.every((word) => word.isFixed), hasGlob: false }];
  if (shells.has(name) || runsOthers(name)) return words.slice(1).filter(({ value }) => /\s|[;&|<>(]/.test(value) || name === 'trap');
  return [];
}

/** Beyond these nobody writes them by hand: what they run is not told. */
const maxScripts = 20;

/** Of {@link possibleScripts} those that are looked through. */
export function scriptsLookedAt(words: readonly ShellWord[]): readonly ShellWord[] {
  return possibleScripts(words).slice(0, maxScripts);
}

/** A shell or a wrapper with nothing to run that is written here: it takes it from its input or from a variable. */
export function runsUnseen(words: readonly ShellWord[]): boolean {
  const name = nameOf(words);
  if (possibleScripts(words).length > maxScripts) return true;
  // Its aliases are commands under other names.
  if (name === 'git' && words.some(({ value }) => /^(-c|--config-env=)?(alias|include|includeif)\./i.test(value))) return true;
  if (queues.has(name) || (name === 'enable' && words.some(({ value }) => /^-\w*f/.test(value)))) return true;
  if ((shells.has(name) || name === 'source' || name === '.') && words.some(({ value }) => /^\/(dev\/(stdin|fd)|proc)\b/.test(value))) return true;
  if (shells.has(name)) {
    const rest = words.slice(1).filter(({ value }) => value !== '-');
    return rest.every(({ value }) => value.startsWith('-')) || rest.some(({ value, isFixed }) => /^-\w*s\w*$/.test(value) || !isFixed);
  }
  return runsOthers(name) && words.some(({ isFixed }) => !isFixed);
}

/** Whether a program of this name runs what its words name. */
export function isRunner(name: string): boolean {
  return runsOthers(name) || packageRunners.has(name);
}

function runsOthers(name: string): boolean {
  return wrappers[name] !== undefined || otherRunners.has(name) || shells.has(name);
}

export function nameOf(words: readonly ShellWord[]): string {
  const value = words[0]?.value ?? '';
  return value.includes('/') ? baseName(value) : value;
}

function wrapperWordsOf(words: readonly ShellWord[]): number | 'unknown' {
  const name = nameOf(words);
  if (shells.has(name)) return words.length > 1 && !words[1]!.value.startsWith('-') ? 0 : 'unknown';
  if (name === 'find') return words.some(({ value }) => /^-(exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls)$/.test(value)) ? 'unknown' : 0;
  if (name === 'fd' || name === 'fdfind') return words.some(({ value }) => /^(-[a-zA-Z]*[xX]|--exec|--exec-batch)/.test(value)) ? 'unknown' : 0;
  if (otherRunners.has(name)) return 'unknown';
  if (wrappers[name] === undefined) return 0;
  const start = startOfInner(words);
  if (start === undefined) return 'unknown';
  const inner = wrapperWordsOf(words.slice(start));
  return inner === 'unknown' || shells.has(nameOf(words.slice(start))) ? 'unknown' : start + inner;
}

/** Index of the word at which what is run begins. */
function startOfInner(words: readonly ShellWord[]): number | undefined {
  const wrapper = wrappers[nameOf(words)];
  if (!wrapper) return undefined;
  const values = new Set(wrapper.values.split(' '));
  let own = wrapper.own ?? 0;
  for (let index = 1; index < words.length; index++) {
    const { value, isFixed } = words[index]!;
    if (!isFixed || /^(-S|--split-string|-\w*c\w*$|--command)/.test(value)) return undefined;
    if (value === '--') continue;
    if (value.startsWith('-')) {
      if (values.has(value.replace(/^--?/, ''))) index++;
      continue;
    }
    if (nameOf(words) === 'env' && /^\w+=/.test(value)) continue;
    if (own-- > 0) continue;
    return index;
  }
  return undefined;
}
