import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { sep } from 'node:path';
import { systemErrorCode } from '../base/errors.ts';
import type { TreeEntry, TreeScan, TreeScanner, TreeScanRequest } from '../engine/ports.ts';
import { isIgnored, repositoryAround, rulesAround, rulesIn } from './ignoreRules.ts';
import type { IgnoreRules } from './ignoreRules.ts';

export interface TreeScannerOptions {
  /** Never looked into: Turnstone's own folder. */
  readonly excluded: readonly string[];
}

/** Many calls that each take microseconds are three times as fast in a row as through the thread pool; others get their turn in between. Milliseconds. */
const sliceMs = 10;
/** A tree of more files than this is data, not a project. */
const maxEntries = 200_000;
/** Entries looked at inside ignored folders, so that what a command did there is noticed in the usual cases. */
const maxIgnoredEntries = 5_000;
/** Installed packages: the folder and its entries tell that something was installed. */
const packageFolder = 'node_modules';
/** Inside `.git`: what moves with every commit, checkout and reset. */
const headFiles = ['HEAD', 'logs/HEAD'];

interface Folder {
  readonly path: string;
  readonly rules: IgnoreRules;
  readonly ignoredAt?: string | undefined;
}

export function createTreeScanner({ excluded }: TreeScannerOptions): TreeScanner {
  return {
    async scan(request) {
      const walk = new Walk(request, new Set(excluded));
      await walk.run();
      return walk;
    },
    look(path) {
      const stats = statOrNothing(path);
      return stats && entryOf(path, stats, undefined);
    },
  };
}

/** One walk, level by level, so that where time runs out it is the depths that are left out. */
class Walk implements TreeScan {
  readonly entries = new Map<string, TreeEntry>();
  readonly changed = new Set<string>();
  readonly repositories: string[] = [];
  readonly skipped = new Map<string, string>();
  readonly #request: TreeScanRequest;
  readonly #excluded: ReadonlySet<string>;
  readonly #ignored: Folder[] = [];
  #ignoredCount = 0;
  #metCount = 0;

  constructor(request: TreeScanRequest, excluded: ReadonlySet<string>) {
    this.#request = request;
    this.#excluded = excluded;
  }

  get hasAllPrevious(): boolean {
    return this.#request.extraPaths.size === 0 && this.#metCount === this.#request.previous.size;
  }

  async run(): Promise<void> {
    const queue: Folder[] = this.#request.roots.map((path) => ({ path, rules: rulesAround(path) }));
    for (const { path } of queue) if (repositoryAround(path) !== undefined) this.repositories.push(path);
    const endsAt = performance.now() + this.#request.timeBudgetMs;
    await this.#walk(queue, endsAt);
    await this.#walk(this.#ignored, endsAt);
    for (const path of this.#request.extraPaths) {
      if (this.entries.has(path) && this.entries.get(path)!.ignoredAt === undefined) continue;
      const stats = statOrNothing(path);
      if (stats) this.#add(path, entryOf(path, stats, undefined));
      else if (this.entries.delete(path)) this.changed.delete(path);
    }
  }

  async #walk(queue: Folder[], endsAt: number): Promise<void> {
    let sliceEnd = performance.now() + sliceMs;
    for (let at = 0; at < queue.length; at++) {
      const folder = queue[at]!;
      const now = performance.now();
      if (folder.ignoredAt === undefined && (now > endsAt || this.entries.size > maxEntries)) {
        this.skipped.set(folder.path, now > endsAt ? 'there was no time to look at it' : 'the workspace has too many files');
        continue;
      }
      if (folder.ignoredAt !== undefined && (now > endsAt || this.#ignoredCount > maxIgnoredEntries)) return;
      if (now > sliceEnd) {
        await new Promise((resolve) => void setImmediate(resolve));
        sliceEnd = performance.now() + sliceMs;
      }
      this.#visit(folder, queue);
    }
  }

  #visit(folder: Folder, queue: Folder[]): void {
    const entries = this.#read(folder);
    if (!entries) return;
    const prefix = folder.path.endsWith(sep) ? folder.path : folder.path + sep;
    if (folder.ignoredAt === undefined) this.#addFolder(folder.path, entries.length);
    const names = new Set(entries.map((entry) => entry.name));
    const rules = folder.ignoredAt === undefined ? rulesIn(folder.path, names, folder.rules) : [];
    if (folder.ignoredAt === undefined && names.has('.git') && !this.repositories.includes(folder.path)) this.repositories.push(folder.path);
    for (const entry of entries) {
      const path = prefix + entry.name;
      if (this.#excluded.has(path)) continue;
      if (entry.name === '.git') this.#addHeads(path);
      else this.#visitEntry(entry, { path, rules, ignoredAt: folder.ignoredAt }, queue);
    }
  }

  #visitEntry(entry: Dirent, place: Folder, queue: Folder[]): void {
    const { path, rules } = place;
    const isFolder = entry.isDirectory();
    const ignoredAt = place.ignoredAt ?? (this.#leavesOut(entry.name, isFolder, place) ? path : undefined);
    if (ignoredAt !== undefined) this.#ignoredCount++;
    if (isFolder && ignoredAt === undefined) return void queue.push({ path, rules });
    const stats = statOrNothing(path);
    if (!stats) return;
    this.#addStats(path, stats, ignoredAt);
    if (!isFolder) return;
    const isInPackages = ignoredAt?.endsWith(sep + packageFolder) && ignoredAt !== path;
    if (!isInPackages) this.#ignored.push({ path, rules: [], ignoredAt });
  }

  #leavesOut(name: string, isFolder: boolean, { path, rules }: Folder): boolean {
    if (isFolder && name === packageFolder) return true;
    return rules.length > 0 && isIgnored(path, isFolder, rules);
  }

  #read({ path, ignoredAt }: Folder): Dirent[] | undefined {
    try {
      return readdirSync(path, { withFileTypes: true });
    } catch (error) {
      const code = systemErrorCode(error);
      const isGone = code === 'ENOENT' || code === 'ENOTDIR';
      if (!isGone && ignoredAt === undefined) this.skipped.set(path, 'it could not be read');
      return undefined;
    }
  }

  #addHeads(git: string): void {
    for (const name of headFiles) {
      const path = `${git}${sep}${name.replace('/', sep)}`;
      const stats = statOrNothing(path);
      if (stats) this.#add(path, entryOf(path, stats, git));
    }
  }

  #addFolder(path: string, size: number): void {
    this.#add(path, { kind: 'folder', size, mode: 0, mtimeMs: 0, ctimeMs: 0, inode: 0 });
  }

  /** Most files are as they were: nothing is made for them. */
  #addStats(path: string, stats: Stats, ignoredAt: string | undefined): void {
    const previous = this.#request.previous.get(path);
    const isAsBefore =
      previous !== undefined && previous.mtimeMs === stats.mtimeMs && previous.ctimeMs === stats.ctimeMs && previous.size === stats.size &&
      previous.inode === stats.ino && previous.mode === (stats.mode & 0o777) && previous.ignoredAt === ignoredAt && previous.kind === kindOf(stats);
    if (!isAsBefore) return this.#add(path, entryOf(path, stats, ignoredAt), previous);
    this.#metCount++;
    this.entries.set(path, previous);
  }

  #add(path: string, entry: TreeEntry, previous = this.#request.previous.get(path)): void {
    if (previous) this.#metCount++;
    if (previous && isSame(previous, entry)) {
      this.entries.set(path, previous);
      this.changed.delete(path);
    } else {
      this.entries.set(path, entry);
      this.changed.add(path);
    }
  }
}

function isSame(one: TreeEntry, other: TreeEntry): boolean {
  return (
    one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs && one.size === other.size && one.inode === other.inode &&
    one.mode === other.mode && one.kind === other.kind && one.target === other.target && one.ignoredAt === other.ignoredAt
  );
}

function entryOf(path: string, stats: Stats, ignoredAt: string | undefined): TreeEntry {
  const kind = kindOf(stats);
  const { size, mtimeMs, ctimeMs, ino } = stats;
  const target = kind === 'link' ? linkTarget(path) : undefined;
  return { kind, size, mode: stats.mode & 0o777, mtimeMs, ctimeMs, inode: ino, target, ignoredAt };
}

function kindOf(stats: Stats): TreeEntry['kind'] {
  return stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : stats.isDirectory() ? 'folder' : 'other';
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** What can't be looked at counts as absent; its folder says that it is there. */
function statOrNothing(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
