import { callTool } from '../callTool.ts';
import type { DemoFile } from '../fileHelpers.ts';
import { baseName, fileNamePattern, locateFile, readFile } from '../fileHelpers.ts';
import type { DemoJob, DemoResult, DemoSkill, DemoStep, DemoTask } from '../plan.ts';
import { StopJob } from '../plan.ts';
import { describeTestRun, runTests } from '../testRun.ts';

interface Renaming {
  readonly from: string;
  readonly to: string;
}

/** Renames an identifier in a file and, if it is exported there, in the files that import it. */
export const renameIdentifier: DemoSkill = {
  example: 'rename `total` to `sum` in cart.ts and run the tests',
  pattern: new RegExp('\\brename\\s+[`\'"]?([A-Za-z_$][\\w$]*)[`\'"]?\\s+(?:to|into|as)\\s+[`\'"]?([A-Za-z_$][\\w$]*)[`\'"]?\\s+in\\s+(?:the file\\s+)?' + fileNamePattern, 'i'),
  *run(task: DemoTask): DemoJob {
    const [from = '', to = '', name = ''] = task.words;
    const renaming = { from, to };
    const path = yield* locateFile(task, name);
    const file = yield* readFile(task, path);
    checkNames(file, renaming);
    const exported = file.lines.some(line => /^\s*export\b/.test(line) && wordPattern(from).test(line));
    yield* renameInFile(task, file, renaming);
    const others = exported ? yield* renameInUsers(task, file, renaming) : [];
    const done = `I renamed \`${from}\` to \`${to}\` in ${[path, ...others].map(baseName).join(' and ')}.`;
    if (!/\b(run|execute)\b.*\btests?\b/is.test(task.prompt)) return done;
    const run = yield* runTests(task, `${done} Now I run the tests.`);
    return `${done} ${describeTestRun(run)}`;
  },
};

function checkNames(file: DemoFile, { from, to }: Renaming): void {
  if (!file.lines.some(line => wordPattern(from).test(line))) throw new StopJob(`There is no \`${from}\` in ${baseName(file.path)}, so I changed nothing.`);
  const taken = file.lines.findIndex(line => wordPattern(to).test(line));
  if (taken === -1) return;
  throw new StopJob(`\`${to}\` is used in ${baseName(file.path)} already (line ${taken + 1}), so I changed nothing. Choose another name.`);
}

function* renameInFile(task: DemoTask, file: DemoFile, { from, to }: Renaming): Generator<DemoStep, void, DemoResult> {
  const say = `I rename \`${from}\` to \`${to}\` in ${baseName(file.path)}.`;
  yield* callTool(task, { say, name: 'Edit', input: { file_path: file.path, ...editFor(file, { from, to }) } });
}

/** `replace_all` where that hits whole words only; else the stretch of lines from the first use to the last. */
function editFor(file: DemoFile, { from, to }: Renaming): Record<string, unknown> {
  const text = file.lines.join('\n');
  const words = text.match(wordPattern(from, 'g'))?.length ?? 0;
  if (text.split(from).length - 1 === words) return { old_string: from, new_string: to, replace_all: true };
  const hits = file.lines.flatMap((line, index) => (wordPattern(from).test(line) ? [index] : []));
  const stretch = uniqueStretch(file.lines, hits[0] ?? 0, hits.at(-1) ?? 0);
  return { old_string: stretch, new_string: stretch.replace(wordPattern(from, 'g'), to) };
}

/** Widens a stretch of lines until it stands only once in the file. */
function uniqueStretch(lines: readonly string[], first: number, last: number): string {
  const text = lines.join('\n');
  let [start, end] = [first, last];
  let stretch = lines.slice(start, end + 1).join('\n');
  while (text.split(stretch).length > 2 && (start > 0 || end < lines.length - 1)) {
    [start, end] = [Math.max(0, start - 1), Math.min(lines.length - 1, end + 1)];
    stretch = lines.slice(start, end + 1).join('\n');
  }
  return stretch;
}

/** Renames in the files that import the name from `file`; hands back their paths. */
function* renameInUsers(task: DemoTask, file: DemoFile, renaming: Renaming): Generator<DemoStep, string[], DemoResult> {
  if (!task.tools.has('Grep')) return [];
  const search = { pattern: `\\b${renaming.from}\\b`, path: task.cwd, glob: `*${/\.\w+$/.exec(file.path)?.[0] ?? ''}`, output_mode: 'files_with_matches' };
  const result = yield* callTool(task, { say: `\`${renaming.from}\` is exported, so I look for the files that use it.`, mayFail: true, name: 'Grep', input: search });
  const changed: string[] = [];
  for (const found of result.isError ? [] : pathsIn(result.text)) {
    if (baseName(found) === baseName(file.path)) continue;
    const user = yield* readFile(task, yield* locateFile(task, found.includes('/') ? found : `./${found}`));
    if (!importsFrom(user, file.path, renaming.from)) continue;
    yield* renameInFile(task, user, renaming);
    changed.push(user.path);
  }
  return changed;
}

function pathsIn(text: string): string[] {
  return text.split('\n').map(line => line.trim()).filter(line => /\.\w+$/.test(line) && !/\s/.test(baseName(line)));
}

function importsFrom(user: DemoFile, path: string, name: string): boolean {
  const module = baseName(path).replace(/\.\w+$/, '');
  return [...user.lines.join('\n').matchAll(/import\s*\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/g)].some(
    ([, names = '', from = '']) => wordPattern(name).test(names) && baseName(from).replace(/\.\w+$/, '') === module,
  );
}

function wordPattern(word: string, flags = ''): RegExp {
  return new RegExp(`(?<![\\w$])${word.replaceAll('$', '\\$')}(?![\\w$])`, flags);
}
