import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import ignore from 'ignore';
import type { Ignore } from 'ignore';

/** What one file of rules says about the paths below its folder. */
interface RuleFile {
  readonly folder: string;
  readonly rules: Ignore;
}

/** The rules that hold in a folder, outermost first. */
export type IgnoreRules = readonly RuleFile[];

/**
 * The rules that hold at `root` from outside of it: those of the person, of the repository it lies in and of the folders
 * between. A folder in no repository, or one that its repository leaves out, has its own rules only.
 */
export function rulesAround(root: string): IgnoreRules {
  const top = repositoryAround(root);
  if (top === undefined) return [];
  const configFolder = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const own = ruleFile(top, join(configFolder, 'git', 'ignore'));
  if (top === root) return own;
  const rules = [...own, ...ruleFile(top, join(top, '.git', 'info', 'exclude')), ...foldersBetween(top, root).flatMap((folder) => ruleFile(folder, join(folder, '.gitignore')))];
  return isIgnored(root, true, rules) ? [] : rules;
}

/** The working folder of the repository that `folder` is or lies in. */
export function repositoryAround(folder: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, '.git'))) return current;
    if (dirname(current) === current) return undefined;
  }
}

/** The rules inside `folder`, which has entries of these names. A repository of its own is not bound by those around it. */
export function rulesIn(folder: string, names: Pick<ReadonlySet<string>, 'has'>, inherited: IgnoreRules): IgnoreRules {
  const outer = names.has('.git') ? [...inherited.filter((each) => each.folder === folder), ...ruleFile(folder, join(folder, '.git', 'info', 'exclude'))] : inherited;
  return names.has('.gitignore') ? [...outer, ...ruleFile(folder, join(folder, '.gitignore'))] : outer;
}

/** The innermost file that says anything about the path decides. */
export function isIgnored(path: string, isFolder: boolean, rules: IgnoreRules): boolean {
  for (let at = rules.length - 1; at >= 0; at--) {
    const { folder, rules: own } = rules[at]!;
    const name = sep === '\\' ? relative(folder, path).replaceAll('\\', '/') : path.slice(folder === '/' ? 1 : folder.length + 1);
    const verdict = own.test(isFolder ? `${name}/` : name);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

/** From `top` down to the parent of `root`. */
function foldersBetween(top: string, root: string): string[] {
  const folders: string[] = [];
  for (let folder = root; folder !== top; ) {
    folder = dirname(folder);
    folders.unshift(folder);
  }
  return folders;
}

/** Parsed rules by the path of their file: what they have said about a path is remembered in them. */
const parsed = new Map<string, { readonly text: string; readonly rules: Ignore }>();

function ruleFile(folder: string, path: string): RuleFile[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // There is none, or it can't be read: then it says nothing, and more is kept than needed.
    return [];
  }
  // Asking about every file costs as much where nothing is said.
  if (!/^[^#\s]/m.test(text.replace(/^[ \t]+/gm, ''))) return [];
  const known = parsed.get(path);
  if (known?.text === text) return [{ folder, rules: known.rules }];
  const rules = ignore().add(text);
  parsed.set(path, { text, rules });
  return [{ folder, rules }];
}
