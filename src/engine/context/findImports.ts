import { maskCode } from '../text/maskCode.ts';

/**
 * What a memory file imports: the paths behind each `@` that stands at the start of a word, outside code and comments,
 * as they are written there. Whether they are files is for the caller to see: `@media` and `@you` look the same.
 */
export function findImports(text: string): readonly string[] {
  const found: string[] = [];
  const masked = maskCode(text);
  for (const match of masked.matchAll(/(^|[\s(])@((?:\\ |[^\s`])+)/g)) {
    const path = match[2]!.replaceAll('\\ ', ' ').replace(/[.,;:!?)\]}'"*]+$/, '');
    if (path !== '' && !path.startsWith('@')) found.push(path);
  }
  return [...new Set(found)];
}

/** What is written like a path of a text file, so that its absence is worth a word. */
export function looksLikeFile(path: string): boolean {
  return /^(\.{1,2}|~)?\//.test(path) || /\.(md|mdc|txt|markdown)$/i.test(path);
}

/** True when the file says nothing but what it imports. */
export function onlyImports(text: string): boolean {
  const words = text.replaceAll('\\ ', '').split(/\s+/).filter(Boolean);
  return words.length > 0 && words.every((word) => /^@[^`]/.test(word));
}
