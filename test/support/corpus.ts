import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../../shared/corpus');

/**
 * Real files that are not ours to commit. In a checkout without them the tests that want them say so and run on our
 * own fixtures alone.
 */
export function corpusFiles(kind: string, pattern: RegExp): { readonly name: string; readonly text: string }[] {
  const source = corpusFolder(kind);
  if (source === undefined) return [];
  return readdirSync(source)
    .filter((name) => pattern.test(name))
    .map((name) => ({ name, text: readFileSync(join(source, name), 'utf8') }));
}

/** Undefined, and said, where it is not here. */
export function corpusFolder(kind: string): string | undefined {
  const source = join(folder, kind);
  if (existsSync(source)) return source;
  console.log(`      (the corpus folder ${kind} is not here: its files were not tried)`);
  return undefined;
}
