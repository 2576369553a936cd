import { cutTextStart } from '../base/text.ts';
import { callTool } from './callTool.ts';
import type { DemoResult, DemoStep, DemoTask } from './plan.ts';

/** A failed test as the test runner's report tells it. */
export interface FailedTest {
  readonly name: string;
  /** Where the failed assertion stands; a path as reported. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly actual: number | undefined;
  readonly expected: number | undefined;
}

export interface TestRun {
  readonly passed: number | undefined;
  readonly failures: readonly FailedTest[];
  /** The run failed, for whatever reason. */
  readonly isError: boolean;
  readonly output: string;
}

/** Terminal colours, which some environments force upon every program. */
const colours = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g');

/** Runs `npm test`. A failing run is a result like any other. */
export function* runTests(task: DemoTask, say = 'I run the tests.'): Generator<DemoStep, TestRun, DemoResult> {
  const result = yield* callTool(task, { say, mayFail: true, name: 'Bash', input: { command: 'npm test', description: 'Run the tests' } });
  return readTestRun(result);
}

/** Reads the report of Node's test runner (`spec` or `tap`). */
export function readTestRun({ text: coloured, isError }: DemoResult): TestRun {
  const text = coloured.replaceAll(colours, '');
  const passed = numberAfter(/^[ℹ#] pass (\d+)/m, text);
  const failed = numberAfter(/^[ℹ#] fail (\d+)/m, text) ?? 0;
  const details = text.split(/^test at /m).slice(1).map(readFailure);
  return { passed, failures: failed === 0 ? [] : details, isError: isError || failed > 0, output: text };
}

/** The outcome in one or two sentences. */
export function describeTestRun({ passed, failures, isError, output }: TestRun): string {
  if (!isError && passed !== undefined) return `All ${passed} tests pass.`;
  if (failures.length === 0) return `The test run failed:\n\n\`\`\`\n${cutTextStart(output.trim(), 1500)}\n\`\`\``;
  const names = failures.map(failure => `- ${failure.name}${failure.actual === undefined ? '' : ` (got ${failure.actual}, expected ${failure.expected})`}`);
  const count = failures.length === 1 ? 'one fails' : `${failures.length} fail`;
  const passing = passed === 1 ? 'One test passes' : `${passed ?? 0} tests pass`;
  return `${passing}, ${count}:\n\n${names.join('\n')}`;
}

function readFailure(report: string): FailedTest {
  const place = /\((?!node:)(?:file:\/\/)?([^()\n]+?):(\d+):\d+\)/.exec(report) ?? /^(\S+?):(\d+):\d+/.exec(report);
  const numbers = /(-?[\d.]+) !== (-?[\d.]+)/.exec(report);
  return {
    name: /^✖ (.+?)(?: \([\d.]+ms\))?$/m.exec(report)?.[1] ?? 'a test',
    file: place?.[1] === undefined ? undefined : pathIn(place[1]),
    line: place?.[2] === undefined ? undefined : Number(place[2]),
    actual: numbers === null ? undefined : Number(numbers[1]),
    expected: numbers === null ? undefined : Number(numbers[2]),
  };
}

/** Stack traces name modules by URL: percent-encoded, and with a slash before a drive letter. */
function pathIn(reported: string): string {
  const path = reported.replace(/^\/(?=[A-Za-z]:\/)/, '');
  return /%[0-9A-Fa-f]{2}/.test(path) ? decodeURI(path) : path;
}

function numberAfter(pattern: RegExp, text: string): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
