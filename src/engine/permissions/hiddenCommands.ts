import { riskyArguments } from './riskyArguments.ts';
import type { ShellReading, ShellWord, SimpleCommand } from './shellCommand.ts';
import { nameOf } from './shellWrappers.ts';

/**
 * Words that may be names of programs which a command line runs without their being commands of it: in the code for an
 * interpreter, behind options, in variables. Pure.
 */
export function wordsPerhapsRun(reading: ShellReading): ReadonlySet<string> {
  const isHarmless = runsNothingOfItsWords(reading);
  const words: readonly ShellWord[] = [
    ...reading.commands.flatMap((command) => [...command.assignments, ...(isHarmless ? [] : command.words.slice(1))]),
    ...(isHarmless ? [] : [...reading.redirects.map(({ target }) => target), ...reading.inputs]),
  ];
  return new Set(words.flatMap(({ value }) => value.split(/[^\w.-]+/).flatMap((word) => [word, word.replace(/^-\w/, '')])));
}

/** Every command of it only prints, copies or looks. */
export function runsNothingOfItsWords({ commands }: ShellReading): boolean {
  return commands.every(isInert);
}

/** They run nothing of what their words say. */
const inert = new Set([
  'echo', 'printf', 'grep', 'egrep', 'fgrep', 'ls', 'cat', 'head', 'tail', 'wc', 'cd', 'pwd', 'mkdir', 'touch', 'cp', 'mv', 'rm', 'rmdir', 'ln', 'chmod', 'true', 'false', ':', 'test', '[', 'diff', 'cmp', 'stat', 'file', 'du', 'df', 'which', 'type',
  'jq', 'cut', 'tr', 'uniq', 'sort', 'date', 'sleep', 'kill', 'ps', 'basename', 'dirname', 'realpath', 'readlink', 'tee', 'curl', 'wget', 'rg', 'seq', 'nl', 'column', 'git', 'npm', 'pnpm', 'yarn', 'bun', 'tsc',
]);

function isInert({ words }: SimpleCommand): boolean {
  const name = nameOf(words);
  if (words.length === 0) return true;
  if (/^(npm|pnpm|yarn|bun)$/.test(name) && words.some(({ value }) => /^(exec|x|dlx|create|init|explore|-c|--call.*)$/.test(value))) return false;
  return inert.has(name) && riskyArguments(words).length === 0;
}
