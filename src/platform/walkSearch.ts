import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import ignore from 'ignore';
import type { Ignore } from 'ignore';
import { minimatch } from 'minimatch';
import { throwIfAborted } from '../base/abort.ts';
import { TurnstoneError } from '../base/errors.ts';
import { cutText } from '../base/text.ts';
import type { GrepRequest } from '../engine/ports.ts';

/** Bytes. Larger files are data, and reading them here would stall everything else. */
const maxFileSize = 5_000_000;
/** UTF-16 units. A pattern that backtracks does so within one line. */
const maxLineLength = 2_000;

/** File name endings by ripgrep's type names, for the commonest. */
const typeEndings: { readonly [type: string]: readonly string[] } = {
  c: ['.c', '.h'], cpp: ['.cc', '.cpp', '.cxx', '.h', '.hh', '.hpp'], css: ['.css', '.scss'], go: ['.go'], html: ['.htm', '.html'],
  java: ['.java'], js: ['.cjs', '.js', '.jsx', '.mjs', '.vue'], json: ['.json'], kotlin: ['.kt', '.kts'], md: ['.md', '.mdx'], markdown: ['.md', '.mdx'],
  php: ['.php'], py: ['.py', '.pyi'], ruby: ['.rb'], rust: ['.rs'], sh: ['.bash', '.sh', '.zsh'], sql: ['.sql'], swift: ['.swift'],
  toml: ['.toml'], ts: ['.cts', '.mts', '.ts', '.tsx'], xml: ['.xml'], yaml: ['.yaml', '.yml'],
};

interface IgnoreRules {
  readonly folder: string;
  readonly rules: Ignore;
}

/** All files below `root` that no `.gitignore` or `.ignore` leaves out, links not followed. What cannot be opened is skipped. */
export async function* listFiles(root: string, signal: AbortSignal): AsyncGenerator<string, void, void> {
  const found = await stat(root).catch(() => undefined);
  if (!found) throw new TurnstoneError('not_found', `${root} does not exist.`);
  if (found.isDirectory()) yield* walk(root, [], signal);
  else yield root;
}

/** What ripgrep would print for the request, with JavaScript's regular expressions. */
export async function* grepFiles(request: GrepRequest, signal: AbortSignal): AsyncGenerator<string, void, void> {
  const pattern = compile(request);
  const endings = endingsOf(request.type);
  for await (const path of listFiles(request.path, signal)) {
    if (endings && !endings.some((ending) => path.endsWith(ending))) continue;
    if (request.glob && !fitsGlob(path, request.glob, request.path)) continue;
    if (request.exclude?.(path)) continue;
    const text = await textOf(path);
    if (text !== undefined) yield* grepText(path, text, { request, pattern });
  }
}

async function* walk(folder: string, inherited: readonly IgnoreRules[], signal: AbortSignal): AsyncGenerator<string, void, void> {
  throwIfAborted(signal);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const rules = [...inherited, ...(await rulesIn(folder, entries.map((entry) => entry.name)))];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.name === '.git' || isIgnored(path, entry.isDirectory(), rules)) continue;
    if (entry.isDirectory()) yield* walk(path, rules, signal);
    else if (entry.isFile()) yield path;
  }
}

async function rulesIn(folder: string, names: readonly string[]): Promise<IgnoreRules[]> {
  const files = ['.gitignore', '.ignore'].filter((name) => names.includes(name));
  return Promise.all(files.map(async (name) => ({ folder, rules: ignore().add(await readFile(join(folder, name), 'utf8').catch(() => '')) })));
}

/** The innermost file that says anything about the path decides. */
function isIgnored(path: string, isFolder: boolean, rules: readonly IgnoreRules[]): boolean {
  for (const { folder, rules: own } of rules.toReversed()) {
    const name = relative(folder, path).replaceAll('\\', '/');
    const verdict = own.test(isFolder ? `${name}/` : name);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

function compile(request: GrepRequest): RegExp {
  const flags = `g${request.ignoreCase ? 'i' : ''}${request.multiline ? 'ms' : ''}`;
  try {
    return new RegExp(request.pattern, `${flags}u`);
  } catch {
    // Without `u` the syntax is laxer, nearer to what ripgrep takes.
  }
  try {
    return new RegExp(request.pattern, flags);
  } catch (cause) {
    throw new TurnstoneError('invalid_input', `The pattern is no valid regular expression: ${(cause as Error).message}`, { cause });
  }
}

function endingsOf(type: string | undefined): readonly string[] | undefined {
  if (type === undefined) return undefined;
  const endings = typeEndings[type];
  if (!endings) throw new TurnstoneError('invalid_input', `The file type "${type}" is not known. Use glob instead, for example "*.${type}".`);
  return endings;
}

function fitsGlob(path: string, glob: string, root: string): boolean {
  if (!glob.includes('/')) return minimatch(basename(path), glob, { dot: true });
  const base = path === root ? dirname(root) : root;
  return minimatch(relative(base, path).replaceAll('\\', '/'), glob.replace(/^\.?\//, ''), { dot: true });
}

/** undefined for what is too large, binary or unreadable. */
async function textOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found || found.size > maxFileSize) return undefined;
  const bytes = await readFile(path).catch(() => undefined);
  return bytes && !bytes.includes(0) ? bytes.toString('utf8') : undefined;
}

interface Grep {
  readonly request: GrepRequest;
  readonly pattern: RegExp;
}

function* grepText(path: string, text: string, { request, pattern }: Grep): Generator<string, void, void> {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  const hits = request.multiline ? linesOfMatches(text, pattern) : lines.flatMap((line, index) => (fits(pattern, line) ? [index] : []));
  if (hits.length === 0) return;
  if (request.outputMode === 'files_with_matches') yield path;
  else if (request.outputMode === 'count') yield `${path}:${hits.length}`;
  else yield* contentLines(path, lines, { hits, request });
}

function fits(pattern: RegExp, line: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(line.slice(0, maxLineLength));
}

function linesOfMatches(text: string, pattern: RegExp): number[] {
  const hits = new Set<number>();
  let line = 0;
  let counted = 0;
  for (const match of text.matchAll(pattern)) {
    line += lineFeedsIn(text.slice(counted, match.index));
    counted = match.index;
    const last = line + lineFeedsIn(match[0].replace(/\n$/, ''));
    for (let index = line; index <= last; index++) hits.add(index);
  }
  return [...hits];
}

function lineFeedsIn(text: string): number {
  return text.split('\n').length - 1;
}

function* contentLines(path: string, lines: readonly string[], found: { readonly hits: readonly number[]; readonly request: GrepRequest }): Generator<string, void, void> {
  const { before, after, lineNumbers } = found.request;
  const isHit = new Set(found.hits);
  let next = 0;
  for (const hit of found.hits) {
    const start = Math.max(next, hit - before);
    if ((before > 0 || after > 0) && next > 0 && start > next) yield '--';
    const end = Math.min(lines.length, hit + after + 1);
    for (let index = start; index < end; index++) {
      const sign = isHit.has(index) ? ':' : '-';
      yield `${path}${sign}${lineNumbers ? `${index + 1}${sign}` : ''}${cutText(lines[index] ?? '', maxLineLength)}`;
    }
    next = Math.max(next, end);
  }
}
