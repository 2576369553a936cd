import { maskCode } from '../text/maskCode.ts';

/** A file or folder that a prompt names with `@`. */
export interface Mention {
  /** As written, without the line range; quotes taken off. */
  readonly path: string;
  /** Lines asked for, from 1, both ends included. */
  readonly lines?: { readonly first: number; readonly last: number } | undefined;
  /** What stands in the prompt, with the `@`. */
  readonly written: string;
  /** Certainly meant as a file: in quotes, with lines, or written like a path. */
  readonly isExplicit: boolean;
}

/** `@src/a.ts`, `@"my notes.md"`, `@a.ts#L3-9`, at the start of a word and outside code; each once, in order. */
export function findMentions(text: string): readonly Mention[] {
  const mentions = new Map<string, Mention>();
  for (const match of maskCode(text).matchAll(/(?<![^\s([{])@(?:"([^"\n]+)"(#L\d+(?:-L?\d+)?)?|((?:\\ |[^\s"`])+))/g)) {
    const [written, quoted, range = '', plain = ''] = match;
    const { path, lines } = splitRange(quoted === undefined ? plain.replaceAll('\\ ', ' ') : quoted + range);
    if (path === '' || path.startsWith('@')) continue;
    const isExplicit = quoted !== undefined || lines !== undefined || /^(\.{1,2}|~)?[\\/]|^[a-zA-Z]:[\\/]/.test(path);
    mentions.set(written, { path, lines, written, isExplicit });
  }
  return [...mentions.values()];
}

/** The path without what ends a sentence: tried when there is no file of the whole name. */
export function withoutPunctuation(path: string): string {
  return path.replace(/[.,;:!?)\]}'>]+$/, '');
}

function splitRange(text: string): Pick<Mention, 'path' | 'lines'> {
  const match = /^(.*)#L(\d+)(?:-L?(\d+))?[.,;:!?)\]}]*$/.exec(text);
  if (!match) return { path: text };
  const first = Math.max(1, Number(match[2]));
  const last = match[3] === undefined ? first : Number(match[3]);
  return { path: match[1]!, lines: { first: Math.min(first, Math.max(1, last)), last: Math.max(first, last) } };
}
