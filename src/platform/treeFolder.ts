import type { Stats } from 'node:fs';
import type { TreeEntry } from '../engine/ports.ts';
import type { CleanLook } from './cleanFiles.ts';
import type { IgnoreRules } from './ignoreRules.ts';

/** A folder that was looked into. */
export interface Folder {
  readonly path: string;
  /** Rules from above it. */
  inherited: IgnoreRules;
  /** With those of its own: by which what is in it was judged the last time. */
  rules: IgnoreRules;
  ignoredAt: string | undefined;
  names: string[];
  /** By place in `names`; undefined for a folder that is walked itself. */
  kids: (TreeEntry | undefined)[];
  /** By place: as long as git finds it unchanged, it need not be looked at. */
  trusted: boolean[];
  /** While it is this, its names are the same; undefined where that is not sure. */
  stamp: string | undefined;
}

/** A folder that is to be looked into. */
export interface Visit {
  readonly folder: Folder;
  /** False: of the folders in it only new ones are looked into. */
  readonly isDeep: boolean;
  /** Of the folder, where it was looked at already. */
  readonly stats?: Stats | undefined;
  /** Of the repository around it. */
  readonly clean?: CleanLook | undefined;
}

/** Where an entry was found. */
export interface Place {
  readonly folder: Folder;
  readonly rules: IgnoreRules;
  readonly isDeep: boolean;
  readonly queue: Visit[];
  readonly clean: CleanLook | undefined;
}

/** Coarser than any file system's clock: FAT counts in two seconds. Milliseconds. */
const coarsestTickMs = 2_500;

export function newFolder(path: string, { inherited, ignoredAt, names }: Pick<Folder, 'inherited' | 'ignoredAt' | 'names'>): Folder {
  return { path, inherited, rules: [], ignoredAt, names, kids: [], trusted: [], stamp: undefined };
}

/** A change of names in it changes the times of a folder. */
export function stampOf({ ino, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${mtimeMs} ${ctimeMs}`;
}

/** Whether a change after `now` is sure to change the times. */
export function hasSettled({ mtimeMs, ctimeMs }: Pick<TreeEntry, 'mtimeMs' | 'ctimeMs'>, now: number): boolean {
  return Math.max(mtimeMs, ctimeMs) < now - coarsestTickMs;
}

/** Rules that were parsed from the same text are the same object. */
export function isSameRules(some: IgnoreRules, others: IgnoreRules): boolean {
  return some.length === others.length && some.every(({ rules }, at) => rules === others[at]!.rules);
}
