import { callTool } from '../callTool.ts';
import type { DemoFile } from '../fileHelpers.ts';
import { baseName, folderOf, joinPath, readFile } from '../fileHelpers.ts';
import type { DemoJob, DemoSkill, DemoTask } from '../plan.ts';
import { StopJob } from '../plan.ts';
import type { FailedTest } from '../testRun.ts';
import { describeTestRun, runTests } from '../testRun.ts';

/**
 * Runs the tests, finds the function that the failed assertion calls, and repairs the one kind of mistake it knows: a
 * part was returned where the rest was wanted (what was got and what was expected add up to the whole).
 */
export const fixFailingTest: DemoSkill = {
  example: 'fix the failing test',
  pattern: /\b(?:fix|repair)\b.*\b(?:tests?|discount|bug)\b|\bmake\b.*\btests?\b.*\bpass\b/is,
  *run(task: DemoTask): DemoJob {
    const before = yield* runTests(task, 'I run the tests to see what fails.');
    const failure = before.failures[0];
    if (failure === undefined) return before.isError ? describeTestRun(before) : `${describeTestRun(before)} There is nothing to fix.`;
    const test = yield* readFile(task, absolute(task, failure.file));
    const called = calledFunction(test, failure);
    const source = yield* readFile(task, joinPath(folderOf(test.path), moduleOf(test, called)));
    const { oldText, newText } = repair(source, called, failure);
    const say = `"${failure.name}" fails: \`${called}\` gives ${failure.actual}, the test expects ${failure.expected}. Together that is the whole amount, so \`${called}\` returns the part that is taken off where the rest is wanted. I propose to subtract it.`;
    yield* callTool(task, { say, name: 'Edit', input: { file_path: source.path, old_string: oldText, new_string: newText } });
    const after = yield* runTests(task, 'I run the tests again.');
    return `\`${called}\` in ${baseName(source.path)} is changed. ${describeTestRun(after)}`;
  },
};

function absolute(task: DemoTask, file: string | undefined): string {
  if (file === undefined) throw new StopJob('A test fails, but the report does not say where, so I can\'t find it.');
  return /^([\\/]|[A-Za-z]:)/.test(file) ? file : joinPath(task.cwd, file);
}

/** The function whose value is compared at, or after, the reported line. */
function calledFunction(test: DemoFile, failure: FailedTest): string {
  const from = Math.max(0, (failure.line ?? 1) - 1);
  const called = /\bassert\.\w+\(\s*([\w$]+)\(/.exec(test.lines.slice(from, from + 6).join('\n'))?.[1];
  if (called === undefined) throw new StopJob(`"${failure.name}" fails, but I can't tell which function it tries.`);
  return called;
}

function moduleOf(test: DemoFile, name: string): string {
  for (const [, names = '', module = ''] of test.lines.join('\n').matchAll(/import\s*\{([^}]*)\}\s*from\s*['"](\.[^'"]+)['"]/g)) {
    if (names.split(',').some(each => each.trim() === name)) return module;
  }
  throw new StopJob(`I can't tell where \`${name}\` comes from.`);
}

function repair(source: DemoFile, name: string, failure: FailedTest): { readonly oldText: string; readonly newText: string } {
  const start = source.lines.findIndex(line => new RegExp(`\\bfunction\\s+${name.replaceAll('$', '\\$')}\\b`).test(line));
  const length = source.lines.slice(start).findIndex(line => line.startsWith('}'));
  const body = start === -1 ? [] : source.lines.slice(start, start + length + 1);
  const last = body.findLast(line => /^\s*return\s/.test(line)) ?? '';
  const match = /^(\s*return\s+)([\w$.]+\((.*)\));?$/.exec(last);
  const whole = firstArgument(match?.[3] ?? '');
  const knows = match !== null && whole !== '' && failure.actual !== undefined && failure.expected !== undefined && failure.actual >= 0 && failure.expected >= 0;
  if (!knows) throw new StopJob(`"${failure.name}" fails (got ${failure.actual ?? 'something else'}, expected ${failure.expected ?? 'another value'}). I looked at \`${name}\` in ${baseName(source.path)}, but this is no mistake that a demo can recognise.`);
  const oldText = body.join('\n');
  return { oldText, newText: oldText.replace(last, () => `${match[1]}${whole} - ${match[2]};`) };
}

/** The text up to the first comma outside brackets. */
function firstArgument(args: string): string {
  let depth = 0;
  for (let index = 0; index < args.length; index++) {
    const character = args.charAt(index);
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (character === ',' && depth === 0) return args.slice(0, index).trim();
  }
  return '';
}
