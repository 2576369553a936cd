// Runs stages of the tests and ends with one line, `N passed, N failed`.
//   node scripts/test.mjs [stage …] [--long] [--grep text]
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { inProject } from '../lib/project.mjs';
import { projectEnvironment, runCommand } from '../lib/runCommand.mjs';
import { ensureChromium } from '../vscode-host/chromium.mjs';
import { stages } from './stages.mjs';

const usage = `Usage: node scripts/test.mjs [stage …] [--long] [--grep text]
Stages: ${stages.map((stage) => stage.name).join(', ')}`;

const outcomes = [];
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { long: { type: 'boolean' }, grep: { type: 'string', short: 'g' } },
  });
  // Tests that try random cases try more of them.
  if (values.long) process.env.TURNSTONE_LONG = '1';
  for (const stage of chooseStages(positionals, values.long)) {
    const buildFailed = stage.needsBuild && outcomes.some(({ name, failed }) => name === 'build' && failed > 0);
    outcomes.push(await runStage(stage, values.grep, buildFailed));
  }
} catch (error) {
  console.error(`${error.message}\n\n${usage}`);
  outcomes.push({ name: 'start', title: 'Start', passed: 0, failed: 1, seconds: 0 });
}
printSummary(outcomes);

/** All stages, or the named ones with the build that they need. */
function chooseStages(names, long) {
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    throw new Error(`Unknown: ${unknown.join(', ')}`);
  }
  if (names.length === 0) {
    return stages.filter((stage) => !stage.explicit && (long || !stage.long));
  }
  const build = stages.some((stage) => names.includes(stage.name) && stage.needsBuild);
  return stages.filter((stage) => names.includes(stage.name) || (build && stage.name === 'build'));
}

async function runStage(stage, grep, buildFailed) {
  console.log(`\n── ${stage.title} ──`);
  const started = performance.now();
  // What an earlier build left must not be taken for what is tested now.
  const run = buildFailed ? Promise.reject(new Error('Not run, because the build failed.')) : outcomeOf(stage, grep);
  const outcome = await run.catch((error) => ({ passed: 0, failed: 1, problem: error.message }));
  if (outcome.problem) {
    console.error(outcome.problem);
  }
  return { ...outcome, name: stage.name, title: stage.title, seconds: (performance.now() - started) / 1000 };
}

async function outcomeOf(stage, grep) {
  if (stage.needsBrowser) {
    ensureChromium();
  }
  const resultsFile = inProject('out', 'results', `${stage.name}.json`);
  fs.mkdirSync(path.dirname(resultsFile), { recursive: true });
  fs.rmSync(resultsFile, { force: true });
  const [command, ...args] = stage.command;
  const option = grep && stage.grep === 'option' ? ['--grep', grep] : [];
  const variable = grep && stage.grep === 'environment' ? { TEST_GREP: grep } : {};
  // Each worker and each process that a test starts would compile the same sources anew; Node looks for changes itself.
  const compiled = inProject('node_modules', '.cache', 'compiled');
  const env = projectEnvironment({ NODE_COMPILE_CACHE: compiled, TEST_RESULTS: stage.counts ? resultsFile : '', ...variable });
  const code = await runCommand(command, [...args, ...option], { env });
  return stage.counts ? countedOutcome(resultsFile, code) : { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
}

/** A stage that ends badly without naming a failed test, or that ran no test at all, is a failure of its own. */
function countedOutcome(resultsFile, code) {
  if (!fs.existsSync(resultsFile)) {
    return { passed: 0, failed: 1, problem: `The tests ended before they could be counted (exit code ${code}).` };
  }
  const { passed, failed } = JSON.parse(fs.readFileSync(resultsFile, 'utf8'));
  if (passed + failed === 0) {
    return { passed, failed: 1, problem: 'Not a single test ran.' };
  }
  if (code !== 0 && failed === 0) {
    return { passed, failed: 1, problem: `All tests passed, but the run ended with exit code ${code}.` };
  }
  return { passed, failed };
}

function printSummary(all) {
  console.log('');
  for (const { title, passed, failed, seconds } of all) {
    console.log(`${failed > 0 ? '✘' : '✔'} ${title}: ${passed} passed, ${failed} failed (${seconds.toFixed(1)} s)`);
  }
  const sum = (key) => all.reduce((total, outcome) => total + outcome[key], 0);
  process.exitCode = sum('failed') > 0 ? 1 : 0;
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
}
