import ignore from 'ignore';
import { braceExpand } from 'minimatch';
import { displayPath, isInside, parentPath, resolvePath } from '../../base/paths.ts';

export interface PathPlaces {
  /** The folder that the rule's settings are about: of `.claude/settings.json` the one that holds `.claude`. */
  readonly folder: string;
  /** Of the settings file; the folder itself where there is none. */
  readonly settingsFolder: string;
  readonly homeFolder: string;
  /** The file system takes `A` and `a` for the same name. */
  readonly foldCase: boolean;
}

/** Whether a rule's pattern fits an absolute path. */
export type PathMatcher = (path: string) => boolean;

/**
 * A pattern of a rule, read as in a .gitignore: `//x` from the root, `~/x` from the home folder, `/x` and `./x` from the
 * folder of the settings, `x` anywhere below it. What forbids is read widely: a pattern without a fixed start then counts
 * on the whole disk, `/x` also from the root, for that is often meant, and upper and lower case are the same, as they are
 * on some disks. Pure.
 */
export function pathMatcher(pattern: string, places: PathPlaces, isWide: boolean): PathMatcher {
  const matchers = braceExpand(pattern.replaceAll('\\', '/')).flatMap((each) => scopesOf(each, places, isWide).map((scope) => matcher(scope, isWide || places.foldCase)));
  const fits = (path: string): boolean => matchers.some((matches) => matches(path));
  return isWide ? (path) => fits(path) || (isAnotherName.test(path) && fits(asWindowsTakes(path))) : fits;
}

const isAnotherName = /^([a-zA-Z]:|\\\\)[^]*([. ]([\\/]|$)|[^\\/]:)/;

/** Windows leaves out dots and blanks at the end of a name, and takes what follows a colon for a stream of the same file. */
function asWindowsTakes(path: string): string {
  const [, root = '', rest = ''] = /^([a-zA-Z]:)?([^]*)$/.exec(path)!;
  return root + rest.split(/[\\/]/).map((name) => name.replace(/(?<=.):.*$/s, '').replace(/(?<=[^. ])[. ]+$/, '')).join('\\');
}

interface Scope {
  readonly base: string;
  readonly pattern: string;
}

function scopesOf(pattern: string, { folder, settingsFolder, homeFolder }: PathPlaces, isWide: boolean): Scope[] {
  if (/^[a-zA-Z]:\//.test(pattern)) return [{ base: pattern.slice(0, 3), pattern: pattern.slice(2) }];
  if (pattern.startsWith('//')) return [{ base: rootOf(folder), pattern: pattern.slice(1) }];
  if (pattern === '~' || pattern.startsWith('~/')) return [{ base: homeFolder, pattern: pattern.slice(1) || '/**' }];
  if (pattern.startsWith('./')) return [{ base: folder, pattern: pattern.slice(1) }];
  if (pattern.startsWith('/')) {
    const own = [...new Set([folder, settingsFolder])].map((base) => ({ base, pattern }));
    return isWide ? [...own, { base: rootOf(folder), pattern }] : own;
  }
  if (!isWide) return [{ base: folder, pattern }];
  // With a slash inside, a pattern is tied to its folder.
  return /^\*\*\/|^[^/]+\/?$/.test(pattern) ? [{ base: folder, pattern }, { base: rootOf(folder), pattern }] : [{ base: folder, pattern }];
}

function rootOf(folder: string): string {
  let root = folder;
  while (parentPath(root) !== root) root = parentPath(root);
  return root;
}

function matcher({ base, pattern }: Scope, foldCase: boolean): PathMatcher {
  const fold = (text: string): string => (foldCase ? text.normalize('NFC').toUpperCase().toLowerCase() : text);
  const plain = fold(pattern === '/' ? '/**' : pattern).replace(/^#/, '\\#');
  const rules = ignore({ ignorecase: foldCase, allowRelativePaths: true }).add(plain);
  const start = fold(resolvePath(base, '.'));
  return (path) => {
    const whole = fold(resolvePath(path, '.'));
    if (whole === start || !isInside(start, whole)) return false;
    return rules.ignores(displayPath(start, whole).replaceAll('\\', '/'));
  };
}
