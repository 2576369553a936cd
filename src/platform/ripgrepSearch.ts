import { access, constants, stat } from 'node:fs/promises';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import { minimatch } from 'minimatch';
import { TurnstoneError } from '../base/errors.ts';
import type { GrepRequest, Search } from '../engine/ports.ts';
import { packagedRipgrep } from './packagedRipgrep.ts';
import { readLines } from './readLines.ts';
import { grepFiles, listFiles } from './walkSearch.ts';

/** Longer lines are cut by ripgrep: minified files would fill the context. UTF-8 bytes. */
const maxColumns = 500;
/** `.git` is no part of the work; hidden files are. `--no-config`: the user's own ripgrep settings must not change results. */
const commonArguments = ['--no-config', '--hidden', '--no-require-git', '--color=never', '--glob', '!.git'];

/**
 * Searches with ripgrep where there is one, else by walking the folders ourselves: slower, but it never fails to
 * search. `candidates` are absolute paths of ripgrep, tried in order before those in `searchPath` (written as PATH is) and
 * what `fromPackage` finds.
 */
export function createRipgrepSearch(candidates: readonly string[] = [], searchPath = process.env['PATH'] ?? '', fromPackage = packagedRipgrep): Search {
  let program: Promise<string | undefined> | undefined;
  const ripgrep = (): Promise<string | undefined> => (program ??= findRipgrep(candidates, searchPath).then((found) => found ?? fromPackage()));
  return {
    async glob(request, signal) {
      const rg = await ripgrep();
      const all = rg ? readLines({ program: rg, args: [...commonArguments, '--files', '--', request.path] }, signal) : listFiles(request.path, signal);
      const paths: string[] = [];
      const matches = globMatcher(request.pattern, request.path);
      for await (const path of all) if (matches(path) && !request.exclude?.(path)) paths.push(path);
      const sorted = await newestFirst(paths);
      return { paths: sorted.slice(0, request.limit), truncated: sorted.length > request.limit };
    },
    async grep(request, signal) {
      if (request.exclude?.(request.path)) return { lines: [], truncated: false };
      const rg = await ripgrep();
      const folder = await folderOf(request.path);
      const excluded = rg ? await excludedGlobs(rg, { request, folder }, signal) : undefined;
      const all = rg && excluded ? readLines({ program: rg, args: grepArguments(request, excluded), cwd: folder }, signal) : grepFiles(request, signal);
      const lines: string[] = [];
      // Leaving the loop ends the search.
      for await (const line of all) {
        if (lines.length >= request.limit) return { lines, truncated: true };
        lines.push(line);
      }
      return { lines, truncated: false };
    },
  };
}

/** A pattern without a slash fits names at any depth; one with a slash counts from `root`. */
function globMatcher(pattern: string, root: string): (path: string) => boolean {
  const plain = pattern.replace(/^\.\//, '');
  const options = { dot: true, matchBase: !pattern.includes('/'), nocomment: true, nonegate: true };
  const start = root.endsWith('/') ? root.length : root.length + 1;
  return (path) => minimatch(path.slice(start).replaceAll('\\', '/'), plain, options);
}

/** More than this does not fit into a command line; the walk then leaves them out itself. */
const maxExcluded = 500;

/** One exact glob for each file that must not be read; undefined when they are too many. */
async function excludedGlobs(program: string, { request, folder }: { readonly request: GrepRequest; readonly folder: string }, signal: AbortSignal): Promise<string[] | undefined> {
  if (!request.exclude) return [];
  const globs: string[] = [];
  // The same filters: a glob brings in what .gitignore leaves out.
  const args = [...commonArguments, ...fileFilters(request), '--files', '--', request.path];
  for await (const path of readLines({ program, args, cwd: folder }, signal)) {
    if (!request.exclude(path)) continue;
    if (globs.length >= maxExcluded) return undefined;
    globs.push(`!/${asGlob(relative(folder, path))}`);
  }
  return globs;
}

/** A name as a pattern that fits nothing else. */
function asGlob(name: string): string {
  const plain = sep === '/' ? name.replaceAll('\\', '\\\\') : name.replaceAll('\\', '/');
  return plain.replace(/[*?[{}]/g, '[$&]');
}

function fileFilters({ glob, type }: GrepRequest): string[] {
  return [...(glob ? ['--glob', glob] : []), ...(type ? ['--type', type] : [])];
}

function grepArguments(request: GrepRequest, excluded: readonly string[]): string[] {
  const args = [...commonArguments, '--no-heading', '--with-filename', '--sort=path', `--max-columns=${maxColumns}`, '--max-columns-preview'];
  if (request.ignoreCase) args.push('--ignore-case');
  if (request.multiline) args.push('--multiline', '--multiline-dotall');
  args.push(...fileFilters(request), ...excluded.flatMap((glob) => ['--glob', glob]));
  if (request.outputMode === 'files_with_matches') args.push('--files-with-matches');
  if (request.outputMode === 'count') args.push('--count');
  if (request.outputMode === 'content') {
    args.push(request.lineNumbers ? '--line-number' : '--no-line-number');
    if (request.before > 0) args.push(`--before-context=${request.before}`);
    if (request.after > 0) args.push(`--after-context=${request.after}`);
  }
  return [...args, '-e', request.pattern, '--', request.path];
}

/** Globs with a slash count from where ripgrep runs. */
async function folderOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new TurnstoneError('not_found', `${path} does not exist.`);
  return found.isDirectory() ? path : dirname(path);
}

async function findRipgrep(candidates: readonly string[], searchPath: string): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const onPath = searchPath.split(delimiter).filter(Boolean).map((folder) => join(folder, name));
  for (const candidate of [...candidates, ...onPath]) {
    const works = await access(candidate, constants.X_OK).then(() => true, () => false);
    if (works) return candidate;
  }
  return undefined;
}

async function newestFirst(paths: readonly string[]): Promise<string[]> {
  const dated: { path: string; time: number }[] = [];
  // In batches: all at once would queue up a promise for each of a hundred thousand files.
  for (let start = 0; start < paths.length; start += 256) {
    const batch = paths.slice(start, start + 256);
    dated.push(...(await Promise.all(batch.map(async (path) => ({ path, time: await modifiedTime(path) })))));
  }
  return dated.sort((one, other) => other.time - one.time || (one.path < other.path ? -1 : 1)).map((entry) => entry.path);
}

/** A file that vanished meanwhile goes last. */
function modifiedTime(path: string): Promise<number> {
  return stat(path).then((found) => found.mtimeMs, () => 0);
}
