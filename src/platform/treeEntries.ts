import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { sep } from 'node:path';
import type { TreeEntry } from '../engine/ports.ts';

/** Of a folder whose content is walked: its times tell nothing that the walk does not. */
export function folderEntry(size: number): TreeEntry {
  return { kind: 'folder', size, mode: 0, mtimeMs: 0, ctimeMs: 0, inode: 0 };
}

export function entryOf(path: string, stats: Stats, ignoredAt: string | undefined): TreeEntry {
  const kind = kindOf(stats);
  const { size, mtimeMs, ctimeMs, ino } = stats;
  const target = kind === 'link' ? linkTarget(path) : undefined;
  return { kind, size, mode: stats.mode & 0o7777, mtimeMs, ctimeMs, inode: ino, target, ignoredAt };
}

/** Whether the file still stands as the entry says. */
export function isAsBefore(entry: TreeEntry, stats: Stats): boolean {
  return (
    entry.mtimeMs === stats.mtimeMs && entry.ctimeMs === stats.ctimeMs && entry.size === stats.size && entry.inode === stats.ino &&
    entry.mode === (stats.mode & 0o7777) && entry.kind === kindOf(stats)
  );
}

export function isSame(one: TreeEntry, other: TreeEntry): boolean {
  return (
    one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs && one.size === other.size && one.inode === other.inode &&
    one.mode === other.mode && one.kind === other.kind && one.target === other.target && one.ignoredAt === other.ignoredAt
  );
}

/** What can't be looked at counts as absent; its folder says that it is there. */
export function statOrNothing(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** What stands in names whose bytes are no UTF-8, as Node gives them. */
const replacement = '\uFFFD';

/**
 * Of what can't be found under its name because its bytes are no UTF-8. Of several that look the same: the newest, with
 * the sizes and inodes of all of them, so that it shows when one changes.
 */
export function statsOfRawName(folder: string, name: string): Stats | undefined {
  if (!name.includes(replacement)) return undefined;
  try {
    const names = readdirSync(folder, { encoding: 'buffer' }).filter((raw) => raw.toString() === name);
    const all = names.flatMap((raw) => lstatSync(Buffer.concat([Buffer.from(folder + sep), raw]), { throwIfNoEntry: false }) ?? []);
    const newest = all.toSorted((one, other) => other.ctimeMs - one.ctimeMs)[0];
    const sum = (of: (stats: Stats) => number): number => all.reduce((total, stats) => total + of(stats), 0);
    return newest && Object.assign(newest, { size: sum(({ size }) => size), ino: sum(({ ino }) => ino) });
  } catch {
    return undefined;
  }
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
