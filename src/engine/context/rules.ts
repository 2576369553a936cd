import { minimatch } from 'minimatch';
import { errorText } from '../../base/errors.ts';
import { displayPath, resolvePath } from '../../base/paths.ts';
import { listField, splitFrontmatter } from '../text/frontmatter.ts';
import { readMemory } from './memoryFiles.ts';
import type { MemoryFacts, MemoryFile } from './memoryFiles.ts';

/** A file of `.claude/rules`: told always, or when a file that it is about is touched. */
export interface Rule {
  readonly file: MemoryFile;
  /** Relative to the working folder; empty: about everything. */
  readonly globs: readonly string[];
}

export interface RuleScan {
  readonly rules: readonly Rule[];
  readonly problems: readonly string[];
}

/** The rules of a workspace, by name. Their head is not part of what is told. */
export async function readRules(facts: MemoryFacts): Promise<RuleScan> {
  const folder = resolvePath(facts.cwd, '.claude/rules');
  try {
    if ((await facts.files.stat(folder))?.kind !== 'folder') return { rules: [], problems: [] };
    const names = (await facts.files.readFolder(folder)).filter(({ name }) => name.endsWith('.md')).map(({ name }) => name);
    const { files, problems } = await readMemory(names.sort().map((name) => resolvePath(folder, name)), facts);
    return { rules: files.map(ruleOf), problems };
  } catch (thrown) {
    return { rules: [], problems: [`The rules in ${folder} could not be read: ${errorText(thrown)}`] };
  }
}

function ruleOf(file: MemoryFile): Rule {
  const head = splitFrontmatter(file.text);
  return { file: { ...file, text: head.body }, globs: [...listField(head, 'globs'), ...listField(head, 'paths')] };
}

export function isAbout(rule: Rule, path: string, cwd: string): boolean {
  const shown = displayPath(cwd, path).replaceAll('\\', '/');
  return rule.globs.some((glob) => minimatch(shown, glob, { dot: true, matchBase: !glob.includes('/') }));
}
