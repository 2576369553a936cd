import os from 'node:os';
import { inProject } from '../lib/project.mjs';

const mochaFile = inProject('node_modules', 'mocha', 'bin', 'mocha.js');
const tool = (...script) => [process.execPath, inProject('node_modules', ...script)];
const mocha = (timeoutMs, ...args) => [
  process.execPath, '--no-warnings', mochaFile, '--reporter', inProject('scripts', 'test', 'countingReporter.cjs'),
  '--timeout', String(timeoutMs), ...args,
];
/**
 * Files share nothing but the machine: each test has its own folder, its own data and a server on a free port. Many wait
 * for a disk or a process, so there are more at once than processors.
 */
const atOnce = ['--parallel', '--jobs', String(2 * os.availableParallelism())];

/**
 * What `npm test` runs, in this order. `command` is a program with its arguments; a stage with `counts` writes how many
 * tests passed and failed to the file named by TEST_RESULTS, any other is one check that passes with exit code 0.
 * `grep: 'option'` or `'environment'` says how a stage takes `--grep`; `long` marks what only the long form runs.
 */
export const stages = [
  { name: 'types', title: 'Types', command: [...tool('typescript', 'bin', 'tsc'), '-p', '.'] },
  { name: 'lint', title: 'Lint', command: [...tool('oxlint', 'bin', 'oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'unused', title: 'Unused code', command: [...tool('knip', 'bin', 'knip.js')] },
  { name: 'architecture', title: 'Architecture', counts: true, command: mocha(30_000, 'test/architecture.test.ts') },
  { name: 'build', title: 'Build', command: [process.execPath, '--no-warnings', 'esbuild.mjs', '--tests'] },
  {
    name: 'unit', title: 'Unit tests', counts: true, grep: 'option',
    command: mocha(30_000, ...atOnce, '--require', './test/unit/cli/sharedCommandLine.ts', 'test/unit/**/*.test.ts'),
  },
  {
    name: 'endurance', title: 'Long sessions, random histories, damaged data, failing helpers', counts: true, grep: 'option',
    command: mocha(60_000, ...atOnce, 'test/endurance/**/*.test.ts'),
  },
  { name: 'panel', title: 'The panel in a browser', counts: true, needsBrowser: true, grep: 'option', command: mocha(60_000, 'test/panel/**/*.test.ts') },
  { name: 'rewind', title: 'Rewind, random sequences against a model', counts: true, grep: 'option', command: mocha(3_600_000, 'test/rewind/**/*.test.ts') },
  { name: 'kill', title: 'Sessions whose process is killed', counts: true, grep: 'option', command: mocha(3_600_000, 'test/kill/**/*.test.ts') },
  {
    name: 'host', title: 'Extension-host tests', counts: true, needsBuild: true, needsBrowser: true, grep: 'environment',
    command: [process.execPath, '--no-warnings', 'test/host/run.mjs'],
  },
  {
    name: 'e2e', title: 'End-to-end tests', counts: true, needsBuild: true, needsBrowser: true, grep: 'option',
    command: mocha(300_000, '--require', './test/e2e/support/globalFixtures.ts', '--exit', 'test/e2e/**/*.spec.ts'),
  },
  {
    name: 'oldest-host', title: 'Extension-host tests on the oldest VS Code that is supported', long: true, counts: true, needsBuild: true,
    needsBrowser: true, grep: 'environment',
    command: [process.execPath, '--no-warnings', 'test/host/run.mjs', '--host', '4.106.3'],
  },
  {
    name: 'desktop', title: 'Extension-host tests through @vscode/test-electron', explicit: true, counts: true, needsBuild: true,
    grep: 'environment', command: [process.execPath, '--no-warnings', 'test/host/run.mjs', '--desktop'],
  },
];
