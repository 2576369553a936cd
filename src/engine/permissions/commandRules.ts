import { hasCodeInLine } from './codeInLine.ts';
import { sortedWords } from './equivalentOptions.ts';
import type { SortedWords } from './equivalentOptions.ts';
import type { CommandPattern } from './permissionRule.ts';
import { riskyArguments } from './riskyArguments.ts';
import { readShell } from './shellCommand.ts';
import type { ShellReading, ShellWord, SimpleCommand } from './shellCommand.ts';
import { nameOf, possibleCommands, scriptsLookedAt, runsUnseen, unwrap } from './shellWrappers.ts';
import { starMatches } from './starMatches.ts';

/** One `Bash(…)` rule, made ready. */
export interface CommandRule {
  readonly pattern: CommandPattern;
  /** Of the fixed start, one by one. */
  readonly words: readonly string[];
  /** Where it names options: what comes behind the program, however they are spelt. */
  readonly sorted?: SortedWords | undefined;
}

export function commandRule(pattern: CommandPattern): CommandRule {
  const start = pattern.kind === 'glob' ? pattern.text.slice(0, pattern.text.indexOf('*')) : pattern.text;
  const reading = readShell(start);
  const [command] = reading.commands;
  const isOne = reading.commands.length === 1 && command && reading.doubts.length === 0 && reading.redirects.length === 0;
  const words = isOne ? [...command.assignments, ...command.words].map(({ value }) => value) : start.split(/\s+/).filter(Boolean);
  // What stands directly before a star may be the beginning of a word.
  if (pattern.kind === 'glob') return { pattern, words: /\s$/.test(start) ? words : words.slice(0, -1) };
  const [program = '', ...rest] = words;
  return { pattern, words, sorted: rest.some((word) => word.startsWith('-')) ? sortedWords(program.toLowerCase(), rest) : undefined };
}

/** The rules that together allow a whole command line, but for what it writes or reads by redirection; none where they do not. Pure. */
export function rulesAllowing(line: string, reading: ShellReading, rules: readonly CommandRule[]): readonly CommandRule[] {
  const said = ruleSayingWhole(line, rules);
  if (said) return [said];
  if (reading.doubts.length > 0 || reading.commands.length === 0) return [];
  if (reading.commands.length > 1 && reading.commands.some((command) => stateCommands.has(nameOf(command.words)))) return [];
  const covering = reading.commands.map((command) => rules.find((rule) => covers(rule, command)));
  const isCovered = reading.commands.every((command, index) => covering[index] !== undefined || isHarmless(command));
  return isCovered ? [...new Set(covering)].filter((rule) => rule !== undefined) : [];
}

/** A rule that is the whole line, word for word, allows what stands there whatever it is. */
export function ruleSayingWhole(line: string, rules: readonly CommandRule[]): CommandRule | undefined {
  return rules.find(({ pattern }) => pattern.kind === 'exact' && pattern.text === line.trim());
}

/** The first rule that forbids (or asks about) something that the command line may run, however it is wrapped. Pure. */
export function findForbidding(reading: ShellReading, rules: readonly CommandRule[], line: string, depth = 0): CommandRule | undefined {
  const whole = ruleSayingWhole(line, rules);
  if (whole) return whole;
  for (const { assignments, words } of reading.commands) {
    for (const candidate of possibleCommands(words).flatMap((command) => behindOptions(command, rules))) {
      const found = rules.find((rule) => mayBe(rule, candidate) || (assignments.length > 0 && mayBe(rule, [...assignments, ...candidate])));
      if (found) return found;
    }
    for (const { value } of depth < maxDepth ? scriptsLookedAt(words) : []) {
      const found = findForbidding(readShell(value), rules, value, depth + 1);
      if (found) return found;
    }
  }
  return undefined;
}

/** A rule of several words whose later ones may be put in when it runs: `git $x` for `git push`. */
export function findPerhapsForbidding(reading: ShellReading, rules: readonly CommandRule[], depth = 0): CommandRule | undefined {
  for (const { words } of reading.commands) {
    const candidates = possibleCommands(words).flatMap((command) => behindOptions(command, rules));
    const found = rules.find((rule) => candidates.some((candidate) => mayBecome(rule, candidate)));
    if (found) return found;
    for (const { value } of depth < maxDepth ? scriptsLookedAt(words) : []) {
      const inner = findPerhapsForbidding(readShell(value), rules, depth + 1);
      if (inner) return inner;
    }
  }
  return undefined;
}

function mayBecome({ words: [name, ...rest] }: CommandRule, given: readonly ShellWord[]): boolean {
  if (name === undefined || plainName(given) !== name.toLowerCase()) return false;
  const at = rest.findIndex((word, index) => isOpen(given[index + 1]) || given[index + 1]?.value !== word);
  return at >= 0 && isOpen(given[at + 1]);
}

/** Whether the words themselves leave open which programs are run. */
export function isOpaqueLine(reading: ShellReading, depth = 0): boolean {
  if (reading.isOpaque) return true;
  return reading.commands.some(({ assignments, words }) => runsUnseen(words) || [...assignments, ...words].some(({ value }) => /^GIT_CONFIG\w*=/.test(value)) || possibleCommands(words).some(hasCodeInLine) || (depth < maxDepth ? scriptsLookedAt(words).some(({ value, isFixed }) => !isFixed || isOpaqueLine(readShell(value), depth + 1)) : scriptsLookedAt(words).length > 0));
}

/** A shell in a shell in a shell. */
const maxDepth = 4;

/** They change what later commands of the same line mean. */
const stateCommands = new Set(['alias', 'unalias', 'export', 'declare', 'typeset', 'local', 'readonly', 'set', 'shopt', 'enable', 'hash', 'trap', 'eval', 'source', '.', 'exec', 'unset', 'read', 'mapfile', 'readarray', 'let', 'getopts', 'bind', 'printf', 'pushd', 'popd', 'umask', 'ulimit', 'compgen', 'complete']);

function covers(rule: CommandRule, command: SimpleCommand): boolean {
  const { pattern } = rule;
  if (pattern.kind === 'exact') return sameWords(rule.words, [...command.assignments, ...command.words]);
  const { words, wrapperWords } = unwrap(command.words);
  if (words.length === 0 || wrapperWords === 'unknown') return false;
  const all = [...command.assignments, ...words];
  // A variable in front may name another program to run: each must stand in the rule itself.
  if (!command.assignments.every(({ value }) => rule.words.some((word) => word === value))) return false;
  if (rule.words.length < command.assignments.length + wrapperWords + (pattern.kind === 'prefix' ? 1 : 0)) return false;
  if (riskyArguments(words).some((value) => !rule.words.includes(value))) return false;
  return matches(rule, all.map(({ value }) => value));
}

/** The same command without the options, and their values, before what it is to do: `git --no-pager -C x push`. Only where the rest may be what one of these rules names, and no more words than can matter to them. */
function behindOptions(words: readonly ShellWord[], rules: readonly CommandRule[]): readonly (readonly ShellWord[])[] {
  const found = [words];
  const name = plainName(words);
  const named = rules.filter((rule) => rule.words.length > 1 && rule.words[0]!.toLowerCase() === name);
  if (named.length === 0) return found;
  const length = named.some(({ sorted }) => sorted) ? words.length : Math.max(...named.map((rule) => rule.words.length));
  for (let index = 1; index < words.length - 1 && (words[index]!.value.startsWith('-') || (index > 1 && words[index - 1]!.value.startsWith('-'))); index++) {
    const next = words[index + 1]!;
    if (isOpen(next) || named.some((rule) => rule.words[1] === next.value)) found.push([words[0]!, ...words.slice(index + 1, index + 1 + length)]);
  }
  return found;
}

function isOpen(word: ShellWord | undefined): boolean {
  return word !== undefined && (!word.isFixed || word.hasGlob);
}

/** Some systems find a program by its name in other letters. */
function plainName(words: readonly ShellWord[]): string {
  return nameOf(words).replace(/\.exe$/i, '').toLowerCase();
}

function mayBe(rule: CommandRule, words: readonly ShellWord[]): boolean {
  if (words.length === 0) return false;
  const names = new Set([words[0]!.value, nameOf(words), plainName(words)]);
  const [program] = rule.words;
  // Most rules are about other programs.
  if (program !== undefined && !names.has(program) && !names.has(program.toLowerCase())) return false;
  const rest = words.slice(1).map(({ value }) => value);
  if (isSpeltOtherwise(rule, plainName(words), rest)) return true;
  return [...names].some((name) => (rule.pattern.kind === 'exact' ? sameWords(rule.words, [{ value: name }, ...rest.map((value) => ({ value }))]) : matches(rule, [name, ...rest])));
}

/** The same options in another order, together or apart, by their long or short names. Only what forbids is read like that. */
function isSpeltOtherwise({ pattern, words: [program = ''], sorted }: CommandRule, name: string, rest: readonly string[]): boolean {
  if (!sorted || program.toLowerCase() !== name) return false;
  const given = sortedWords(name, rest);
  const isExact = pattern.kind === 'exact';
  if (isExact && (given.options.size !== sorted.options.size || given.others.length !== sorted.others.length)) return false;
  return [...sorted.options].every((option) => given.options.has(option)) && sorted.others.every((word, index) => given.others[index] === word);
}

function matches({ pattern, words }: CommandRule, given: readonly string[]): boolean {
  if (pattern.kind === 'prefix') return words.length > 0 && words.length <= given.length && words.every((word, index) => word === given[index]);
  const line = given.map(shown).join(' ');
  return starMatches(pattern.text, line) || (pattern.text.endsWith(' *') && starMatches(pattern.text.slice(0, -2), line));
}

/** As it would be typed: what holds a blank stays one word. */
function shown(value: string): string {
  return value === '' || /[\s'"\\;&|<>()$`]/.test(value) ? `'${value}'` : value;
}

function sameWords(rule: readonly string[], given: readonly { readonly value: string }[]): boolean {
  return rule.length > 0 && rule.length === given.length && rule.every((word, index) => word === given[index]!.value);
}

/** What may stand beside an allowed command without a rule of its own: it prints, or cuts what was printed. */
function isHarmless({ assignments, words }: SimpleCommand): boolean {
  if (assignments.length > 0) return false;
  const [name, ...rest] = words.map(({ value }) => value);
  if (name === 'echo' || name === 'true' || name === 'false' || name === ':' || name === 'pwd') return true;
  return (name === 'head' || name === 'tail' || name === 'wc') && rest.every((value) => /^(-[a-z]?\d*|\d+)$/.test(value)) && !rest.includes('-f');
}
