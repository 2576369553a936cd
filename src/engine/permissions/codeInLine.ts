import { riskyArguments } from './riskyArguments.ts';
import type { ShellWord } from './shellCommand.ts';
import { nameOf } from './shellWrappers.ts';

interface Interpreter {
  /** Options that hold code, or take it from a library. */
  readonly code: RegExp;
  /** Options whose value is the next word. */
  readonly values?: RegExp;
}

const interpreters: readonly (readonly [name: RegExp, Interpreter])[] = [
  [/^(node|nodejs|tsx|ts-node)$/, { code: /^(-[a-z]*[ep]|--(eval|print)\b)/, values: /^(-r|-C|--(require|import|loader|conditions|env-file|title|input-type))$/ }],
  [/^(bun|deno)$/, { code: /^(-[a-z]*[ep]|--(eval|print)\b|eval$)/ }],
  [/^(python|pypy)[\d.]*$/, { code: /^-[a-zA-Z]*c/, values: /^-[WX]$/ }],
  [/^perl[\d.]*$/, { code: /^-\w*[eEM]/ }],
  [/^(ruby|lua|osascript|Rscript|groovy|scala)[\d.]*$/, { code: /^-\w*e/ }],
  [/^php[\d.]*$/, { code: /^(-[rBRE]|--(run|process))/ }],
  [/^tclsh[\d.]*$/, { code: /^$/ }],
];
const tellsOfItself = /^(-[vVh?]+|--version|--help)$/;

export function isInterpreter(name: string): boolean {
  return interpreters.some(([names]) => names.test(name));
}

/**
 * Whether the words give code to an interpreter, or let it take some from its input: what that reads and runs is put
 * together only when it runs. Pure.
 */
export function hasCodeInLine(words: readonly ShellWord[]): boolean {
  const name = nameOf(words).replace(/\.exe$/i, '');
  if (/^([gmn]?awk|g?sed)$/.test(name)) return riskyArguments(words).length > 0;
  const interpreter = interpreters.find(([names]) => names.test(name))?.[1];
  if (!interpreter) return false;
  for (let index = 1; index < words.length; index++) {
    const { value } = words[index]!;
    if (value === '-' || interpreter.code.test(value)) return true;
    if (!value.startsWith('-') || /^(-m|--test\b)/.test(value)) return false;
    if (interpreter.values?.test(value)) index++;
  }
  return !words.some(({ value }) => tellsOfItself.test(value));
}
