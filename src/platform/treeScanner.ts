import { readdirSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import { systemErrorCode } from '../base/errors.ts';
import type { TreeChange, TreeEntry, TreeScan, TreeScanner, TreeScanRequest } from '../engine/ports.ts';
import { CleanFiles } from './cleanFiles.ts';
import type { CleanLook } from './cleanFiles.ts';
import { isIgnored, repositoryAround, rulesAround, rulesIn } from './ignoreRules.ts';
import type { IgnoreRules } from './ignoreRules.ts';
import { entryOf, folderEntry, isAsBefore, isSame, statOrNothing, statsOfRawName } from './treeEntries.ts';
import { hasSettled, isSameRules, newFolder, stampOf } from './treeFolder.ts';
import type { Folder, Place, Visit } from './treeFolder.ts';

export interface TreeScannerOptions {
  readonly roots: readonly string[];
  /** Never looked into: Turnstone's own folder. */
  readonly excluded: readonly string[];
  /** So many files and folders make it worth to ask git which of them did not change. Default: 2,000. */
  readonly asksGitFrom?: number | undefined;
}

/** Many calls that each take microseconds are three times as fast in a row as through the thread pool; others get their turn in between. Milliseconds. */
const sliceMs = 10;
/** A tree of more files than this is data, not a project. */
const maxEntries = 200_000;
/** Entries looked at inside ignored folders, so that what a command did there is noticed in the usual cases. */
const maxIgnoredEntries = 5_000;
/** In a smaller tree, to ask git takes longer than to look at each file. */
const worthAskingGit = 2_000;
/** So many looks at files whose state git may know make it worth to read its index again. */
const worthReadingIndex = 500;
const mostRepositoriesAsked = 8;
/** Installed packages: the folder and its entries tell that something was installed. */
const packageFolder = 'node_modules';
/** Inside `.git`: what moves with every commit, checkout and reset. */
const headFiles = ['HEAD', 'logs/HEAD'].map((name) => name.replace('/', sep));

export function createTreeScanner(options: TreeScannerOptions): TreeScanner {
  return new Tree(options);
}

/** The tree as it was last seen. Where a folder has the same names as then, an unchanged file costs one look and five comparisons. */
class Tree implements TreeScanner {
  readonly entries = new Map<string, TreeEntry>();
  readonly folders = new Map<string, Folder>();
  readonly repositories = new Set<string>();
  /** Noted in folders that were not looked into yet. */
  readonly loose = new Set<string>();
  readonly roots: readonly string[];
  readonly excluded: ReadonlySet<string>;
  readonly asksGitFrom: number;
  /** By the folder with `.git` in it. */
  readonly #clean = new Map<string, CleanFiles>();
  /** Files that the next walk has to look at one by one. */
  lookedAt = 0;

  constructor({ roots, excluded, asksGitFrom = worthAskingGit }: TreeScannerOptions) {
    this.asksGitFrom = asksGitFrom;
    this.roots = roots;
    this.excluded = new Set(excluded);
  }

  async scan(request: TreeScanRequest): Promise<TreeScan> {
    const clean = request.only ? new Map<string, CleanLook>() : await this.#askGit();
    const walk = new Walk(this, request, clean);
    await walk.run();
    return { changes: walk.changes, repositories: [...this.repositories], skipped: walk.skipped };
  }

  /** What git knows of files that did not change, by the top of its working folder. */
  async #askGit(): Promise<ReadonlyMap<string, CleanLook>> {
    const isFirst = this.entries.size === 0;
    if (!isFirst && this.entries.size < this.asksGitFrom) return new Map();
    const tops = new Set([...(isFirst ? this.roots : this.repositories)].slice(0, mostRepositoriesAsked).flatMap((folder) => repositoryAround(folder) ?? []));
    const looks = [...tops].map(async (top) => {
      const files = this.#clean.get(top) ?? new CleanFiles(top);
      this.#clean.set(top, files);
      const look = isFirst ? files.firstLook(this.asksGitFrom) : await files.look(this.lookedAt > worthReadingIndex);
      return look ? [[top, look] as const] : [];
    });
    return new Map((await Promise.all(looks)).flat());
  }

  note(path: string): TreeEntry | undefined {
    const stats = statOrNothing(path);
    const isFolder = stats?.isDirectory() ?? false;
    const entry = stats && (isFolder ? folderEntry(1) : entryOf(path, stats, this.entries.get(path)?.ignoredAt));
    if (entry) this.entries.set(path, entry);
    else this.entries.delete(path);
    this.#list(path, isFolder ? undefined : entry);
    return isFolder ? undefined : entry;
  }

  adopt(path: string): TreeEntry | undefined {
    const stats = statOrNothing(path);
    if (!stats || stats.isDirectory()) return undefined;
    const entry = entryOf(path, stats, undefined);
    this.entries.set(path, entry);
    return entry;
  }

  /** As if the folders above had been looked into and this had been found there. */
  #list(path: string, entry: TreeEntry | undefined): void {
    for (let [at, parent] = [path, dirname(path)]; parent !== at; [at, parent] = [parent, dirname(parent)]) {
      const folder = this.folders.get(parent);
      if (folder) {
        const name = basename(at);
        const place = folder.names.indexOf(name);
        const kid = at === path ? entry : undefined;
        if (place >= 0) folder.kids[place] = kid;
        else folder.kids[folder.names.push(name) - 1] = kid;
        folder.trusted[place >= 0 ? place : folder.names.length - 1] = false;
        return;
      }
      this.loose.add(at);
      if (!this.entries.has(parent)) this.entries.set(parent, folderEntry(1));
    }
  }

  /** Undefined when no folder above it was ever looked into. */
  folderAround(path: string): Folder | undefined {
    for (let parent = dirname(path); ; parent = dirname(parent)) {
      const folder = this.folders.get(parent);
      if (folder) return folder;
      if (dirname(parent) === parent) return undefined;
    }
  }
}

/** One walk, level by level, so that where time runs out it is the depths that are left out. */
class Walk {
  readonly skipped = new Map<string, string>();
  readonly #tree: Tree;
  readonly #request: TreeScanRequest;
  readonly #changes: TreeChange[] = [];
  readonly #ignored: Visit[] = [];
  readonly #visited = new Set<Folder>();
  readonly #clean: ReadonlyMap<string, CleanLook>;
  /** Milliseconds since 1970. */
  readonly #startedAt = Date.now();
  #ignoredCount = 0;
  #count = 0;

  constructor(tree: Tree, request: TreeScanRequest, clean: ReadonlyMap<string, CleanLook>) {
    this.#tree = tree;
    this.#request = request;
    this.#clean = clean;
  }

  /** Each path once. */
  get changes(): readonly TreeChange[] {
    const { loose, roots } = this.#tree;
    if (this.#request.extraPaths.size === 0 && loose.size === 0 && roots.length === 1) return this.#changes;
    const byPath = new Map<string, TreeChange>();
    for (const { path, before, after } of this.#changes) byPath.set(path, { path, before: (byPath.get(path) ?? { before }).before, after });
    return [...byPath.values()].filter(({ before, after }) => before !== after);
  }

  async run(): Promise<void> {
    const { only, extraPaths, timeBudgetMs } = this.#request;
    const { entries, loose, folders } = this.#tree;
    const endsAt = performance.now() + timeBudgetMs;
    if (!only) this.#tree.lookedAt = 0;
    await this.#walk(only ? this.#around(only) : this.#everything(), endsAt);
    await this.#walk(this.#ignored, endsAt);
    for (const path of loose) {
      if (folders.has(path) || folders.has(dirname(path))) loose.delete(path);
      if (!entries.has(path) || statOrNothing(path)) continue;
      loose.delete(path);
      this.#remove(path);
    }
    for (const path of extraPaths) {
      const stats = statOrNothing(path);
      // A folder that took its place was walked like any other.
      if (stats?.isDirectory()) continue;
      if (stats) this.#setStats(path, stats, undefined);
      else this.#remove(path);
    }
  }

  #everything(): Visit[] {
    const { roots, repositories } = this.#tree;
    repositories.clear();
    for (const root of roots) if (repositoryAround(root) !== undefined) repositories.add(root);
    return roots.map((root) => ({ folder: this.#folder(root, rulesAround(root), undefined), isDeep: true, clean: this.#clean.get(repositoryAround(root) ?? '') }));
  }

  /** The folders that have these paths in them. Of a folder, and where rules changed, everything below is looked at. */
  #around(paths: readonly string[]): Visit[] {
    const { folders } = this.#tree;
    const deep = new Map<Folder, boolean>();
    for (const path of paths) {
      const [own, around] = [folders.get(path), this.#tree.folderAround(path)];
      if (own) deep.set(own, true);
      if (around) deep.set(around, (deep.get(around) ?? false) || /(^|[\\/])(\.gitignore|exclude)$/.test(path));
    }
    const visits = [...deep].map(([folder, isDeep]) => ({ folder, isDeep }));
    // A folder comes before those in it, which may be gone.
    visits.sort((one, other) => one.folder.path.length - other.folder.path.length);
    this.#ignored.push(...visits.filter(({ folder }) => folder.ignoredAt !== undefined));
    return visits.filter(({ folder }) => folder.ignoredAt === undefined);
  }

  async #walk(queue: Visit[], endsAt: number): Promise<void> {
    let sliceEnd = performance.now() + sliceMs;
    for (let at = 0; at < queue.length; at++) {
      const visit = queue[at]!;
      const { path, ignoredAt } = visit.folder;
      const now = performance.now();
      const isOver = now > endsAt || (ignoredAt === undefined ? this.#count > maxEntries : this.#ignoredCount > maxIgnoredEntries);
      if (isOver && ignoredAt !== undefined) return;
      if (isOver) {
        this.skipped.set(path, now > endsAt ? 'there was no time to look at it' : 'the workspace has too many files');
        continue;
      }
      if (now > sliceEnd) {
        await new Promise((resolve) => void setImmediate(resolve));
        sliceEnd = performance.now() + sliceMs;
      }
      this.#visit(visit, queue);
    }
  }

  #visit({ folder, isDeep, stats, clean: around }: Visit, queue: Visit[]): void {
    // Found gone by the look at the folder around it.
    if (this.#visited.has(folder) || this.#tree.folders.get(folder.path) !== folder) return;
    this.#visited.add(folder);
    const { path, ignoredAt, names: earlierNames, kids: earlier, trusted: earlierTrusted } = folder;
    const now = stats ?? statOrNothing(path);
    const names = this.#namesIn(folder, now);
    if (!names) return;
    if (now && ignoredAt !== undefined && this.#request.only) this.#setStats(path, now, ignoredAt);
    if (ignoredAt === undefined) this.#set(path, folderEntry(names.length));
    const rules = ignoredAt === undefined ? rulesIn(path, { has: (name) => names.includes(name) }, folder.inherited) : [];
    const areRulesSame = isSameRules(rules, folder.rules);
    folder.rules = rules;
    const isRepository = ignoredAt === undefined && names.includes('.git');
    if (isRepository) this.#tree.repositories.add(path);
    const clean = isRepository ? this.#clean.get(path) : around;
    const prefix = path.endsWith(sep) ? path : path + sep;
    this.#count += names.length;
    const place: Place = { folder, rules, isDeep, queue, clean };
    folder.trusted = [];
    folder.kids = names.map((name, at) => {
      const known = areRulesSame && earlierNames[at] === name ? earlier[at] : undefined;
      const wasTrusted = known !== undefined && earlierTrusted[at] === true && clean !== undefined && clean.isClean(path, name);
      // Git found it as its index says, and the index says what is known.
      if (wasTrusted && (!clean.index || clean.index.isAs(prefix + name, known))) {
        folder.trusted[at] = true;
        return known;
      }
      const entry = this.#visitEntry(prefix + name, name, known, place);
      folder.trusted[at] = this.#isTrusted(prefix + name, entry, clean);
      return entry;
    });
    folder.names = names;
    if (names === earlierNames || (names.length === earlierNames.length && names.every((name, at) => name === earlierNames[at]))) return;
    const present = new Set(names);
    for (const name of earlierNames) if (!present.has(name)) this.#remove(prefix + name);
  }

  /**
   * Whether a later change is sure to show in what git compares: its index knows the file as it is, and since git may
   * compare whole seconds only, the file did not change in the last ones.
   */
  #isTrusted(path: string, entry: TreeEntry | undefined, clean: CleanLook | undefined): boolean {
    if (entry?.kind !== 'file' || entry.ignoredAt !== undefined) return false;
    const isTrusted = clean?.index !== undefined && hasSettled(entry, this.#startedAt) && clean.index.isAs(path, entry);
    if (!isTrusted) this.#tree.lookedAt++;
    return isTrusted;
  }

  /** Undefined where it can't be read. A folder that did not change has the names that it had. */
  #namesIn(folder: Folder, stats: Stats | undefined): string[] | undefined {
    const stamp = stats && stampOf(stats);
    if (stamp !== undefined && stamp === folder.stamp) return folder.names;
    const names = this.#read(folder);
    folder.stamp = stats && hasSettled(stats, this.#startedAt) ? stamp : undefined;
    return names;
  }

  /** `known`: how it stood the last time, by the same rules. */
  #visitEntry(path: string, name: string, known: TreeEntry | undefined, { folder, rules, isDeep, queue, clean }: Place): TreeEntry | undefined {
    const found = statOrNothing(path);
    const stats = found ?? statsOfRawName(folder.path, name);
    if (known && known.kind !== 'folder' && stats && isAsBefore(known, stats)) {
      if (known.ignoredAt !== undefined) this.#ignoredCount++;
      return known;
    }
    if (!stats) this.#remove(path);
    else if (name === '.git') this.#lookAtHeads(path);
    if (!stats || name === '.git') return undefined;
    const isFolder = stats.isDirectory();
    if (isFolder && this.#tree.excluded.has(path)) return undefined;
    if (!found) return this.#setRawName(path, stats, folder.ignoredAt);
    const ignoredAt = folder.ignoredAt ?? (leavesOut(path, { name, isFolder, rules }) ? path : undefined);
    if (ignoredAt !== undefined) this.#ignoredCount++;
    if (ignoredAt !== undefined && !isFolder && this.#request.extraPaths.has(path)) return undefined;
    if (isFolder && ignoredAt === undefined) {
      const isKnown = this.#tree.folders.get(path)?.ignoredAt === undefined && this.#tree.folders.has(path);
      if (isDeep || !isKnown) queue.push({ folder: this.#folder(path, rules, undefined), isDeep: true, stats, clean });
      return undefined;
    }
    const entry = this.#setStats(path, stats, ignoredAt);
    const isInPackages = ignoredAt?.endsWith(sep + packageFolder) && ignoredAt !== path;
    if (isFolder && !isInPackages && (isDeep || !this.#tree.folders.has(path))) this.#ignored.push({ folder: this.#folder(path, [], ignoredAt), isDeep: true });
    return entry;
  }

  /** Only that it changed can be told; of a folder not even that. */
  #setRawName(path: string, stats: Stats, ignoredAt: string | undefined): TreeEntry | undefined {
    if (!stats.isDirectory()) return this.#setStats(path, stats, ignoredAt ?? path);
    if (ignoredAt === undefined) this.skipped.set(path, 'its name is not valid UTF-8');
    return undefined;
  }

  #read({ path, ignoredAt }: Folder): string[] | undefined {
    try {
      return readdirSync(path);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') this.#remove(path);
      else if (ignoredAt === undefined) this.skipped.set(path, 'it could not be read');
      return undefined;
    }
  }

  #folder(path: string, inherited: IgnoreRules, ignoredAt: string | undefined): Folder {
    const known = this.#tree.folders.get(path);
    if (known && known.ignoredAt === ignoredAt) {
      known.inherited = inherited;
      return known;
    }
    const folder = newFolder(path, { inherited, ignoredAt, names: known?.names ?? [] });
    this.#tree.folders.set(path, folder);
    return folder;
  }

  #lookAtHeads(git: string): void {
    for (const name of headFiles) {
      const path = git + sep + name;
      const stats = statOrNothing(path);
      if (stats) this.#setStats(path, stats, git);
      else this.#remove(path);
    }
  }

  #setStats(path: string, stats: Stats, ignoredAt: string | undefined): TreeEntry {
    return this.#set(path, entryOf(path, stats, ignoredAt));
  }

  /** The entry that counts: an equal one that is there already stays. */
  #set(path: string, entry: TreeEntry): TreeEntry {
    const before = this.#tree.entries.get(path);
    if (before && isSame(before, entry)) return before;
    if (before?.kind === 'folder' && entry.kind !== 'folder') this.#removeFolder(path);
    this.#tree.entries.set(path, entry);
    this.#changes.push({ path, before, after: entry });
    return entry;
  }

  #remove(path: string): void {
    const before = this.#tree.entries.get(path);
    this.#tree.entries.delete(path);
    if (before) this.#changes.push({ path, before, after: undefined });
    if (path.endsWith(`${sep}.git`)) for (const name of headFiles) this.#remove(path + sep + name);
    this.#removeFolder(path);
  }

  /** What was in a folder that is none any more. */
  #removeFolder(path: string): void {
    const folder = this.#tree.folders.get(path);
    if (!folder) return;
    this.#tree.folders.delete(path);
    this.#tree.repositories.delete(path);
    const prefix = path.endsWith(sep) ? path : path + sep;
    for (const name of folder.names) this.#remove(prefix + name);
  }
}

function leavesOut(path: string, { name, isFolder, rules }: { readonly name: string; readonly isFolder: boolean; readonly rules: IgnoreRules }): boolean {
  if (isFolder && name === packageFolder) return true;
  return rules.length > 0 && isIgnored(path, isFolder, rules);
}
