import { callTool } from './callTool.ts';
import type { DemoResult, DemoStep, DemoTask } from './plan.ts';
import { StopJob } from './plan.ts';

/** A file as the demo model knows it: what Read showed. */
export interface DemoFile {
  /** Absolute. */
  readonly path: string;
  readonly lines: readonly string[];
}

/** A file name as people write it in a sentence, with a dot in it; quotes and backticks are taken off. */
export const fileNamePattern = '[`\'"]?@?((?:[A-Za-z]:)?(?:[\\w@~./\\\\-]*[\\w-])?\\.\\w+)[`\'"]?';

/** Finds a file by the name it was given: a path as it stands, a bare name anywhere in the workspace. */
export function* locateFile(task: DemoTask, name: string): Generator<DemoStep, string, DemoResult> {
  if (isAbsolute(name)) return name;
  if (/[\\/]/.test(name) || !task.tools.has('Glob')) return joinPath(task.cwd, name);
  const result = yield* callTool(task, { say: `I look for ${name}.`, name: 'Glob', input: { pattern: `**/${name}` } });
  const found = result.text
    .split('\n')
    .map(line => line.trim())
    .filter(line => baseName(line) === name && !line.includes('node_modules'))
    .toSorted((a, b) => a.length - b.length);
  const nearest = found[0];
  if (nearest === undefined) throw new StopJob(`I found no file named ${name} here.`);
  return isAbsolute(nearest) ? nearest : joinPath(task.cwd, nearest);
}

/** Reads a whole file. */
export function* readFile(task: DemoTask, path: string): Generator<DemoStep, DemoFile, DemoResult> {
  const result = yield* callTool(task, { say: `I read ${baseName(path)}.`, name: 'Read', input: { file_path: path } });
  return { path, lines: linesOf(result.text) };
}

/** The lines in a Read result: a number, a tab, the line. Notes around them are left out. */
export function linesOf(numbered: string): string[] {
  return numbered.split('\n').flatMap(line => /^\s*\d+[\t→](.*)$/.exec(line.replace(/\r$/, ''))?.[1] ?? []);
}

export function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

/** Joins a relative path to a folder, taking `.` and `..` out, with the separator that the folder uses. */
export function joinPath(folder: string, relative: string): string {
  const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  const parts = folder.split(/[\\/]/);
  for (const part of relative.split(/[\\/]/)) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join(separator);
}

export function folderOf(path: string): string {
  return path.replace(/[\\/][^\\/]*$/, '');
}

function isAbsolute(path: string): boolean {
  return /^([\\/]|[A-Za-z]:[\\/])/.test(path);
}
