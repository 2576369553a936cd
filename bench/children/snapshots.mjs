// What keeping the workspace's files before a shell command costs, beside a shadow git repository on the same tree.
// Reads the sources, which are the same code as in the bundle: the engine's door does not open that far.
//   snapshots.mjs <files> <bytes per file>
import { execFileSync } from 'node:child_process';
import { appendFileSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/abort.ts';
import { silentLog } from '../../src/base/log.ts';
import { BlobStore } from '../../src/engine/fileHistory/blobStore.ts';
import { FileHistory } from '../../src/engine/fileHistory/fileHistory.ts';
import { TranscriptStore } from '../../src/engine/transcript/transcriptStore.ts';
import { noDocuments } from '../../src/platform/noDocuments.ts';
import { nodeDigest } from '../../src/platform/nodeDigest.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import { nodeGitContents } from '../../src/platform/nodeGitContents.ts';
import { createTreeScanner } from '../../src/platform/treeScanner.ts';

const [fileCount, fileBytes] = process.argv.slice(2).map(Number);
const filesPerFolder = 100;
const rounds = 5;
const workspace = join(process.cwd(), 'workspace');
const shadow = join(process.cwd(), 'shadow');
const root = join(process.cwd(), 'data');
const fileAt = (index) => join(workspace, `d${Math.floor(index / filesPerFolder) % 50}`, `e${Math.floor(index / filesPerFolder)}`, `f${index}.txt`);

makeTree();
git(['init', '-q'], {});
git(['add', '-A'], {});
git(['commit', '-qm', 'first'], {});
/** What watchers would have told of, for the rows that have them. */
let told;
const news = { take: () => told?.splice(0) };
const history = openHistory();
history.startMessage('m1');

const figures = {
  first: await time(() => command(0)),
  firstShadow: await time(() => shadowCommit()),
  ...(await repeated('one', 1)),
  ...(await repeated('ten', 10)),
  ...(await withWatchers()),
  edit: await median(async (round) => time(() => edit(round))),
  kept: sizeOf(join(root, 'blobs')),
  keptShadow: sizeOf(shadow),
};
console.log(JSON.stringify(figures));

/** `before`: what a command waits for; `after`: what finding out what it did takes. */
async function repeated(name, count) {
  const before = [];
  const after = [];
  const shadowed = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const recording = await history.shellCommand('touches some');
    before.push(performance.now() - start);
    for (let index = 0; index < count; index++) {
      appendFileSync(fileAt(index * 97 + round), 'changed\n');
      told?.push(fileAt(index * 97 + round));
    }
    const end = performance.now();
    await recording.over();
    after.push(performance.now() - end);
    shadowed.push(await time(() => shadowCommit()));
  }
  return { [`${name}Before`]: middle(before), [`${name}After`]: middle(after), [`${name}Shadow`]: middle(shadowed) };
}

async function withWatchers() {
  told = [];
  const measured = await repeated('watched', 10);
  told = undefined;
  return measured;
}

async function command(count) {
  const recording = await history.shellCommand('touches nothing');
  for (let index = 0; index < count; index++) appendFileSync(fileAt(index), 'changed\n');
  await recording.over();
}

async function edit(round) {
  const path = fileAt(fileCount - 1 - round);
  await history.beforeWrite(path);
  await history.afterWrite(path);
}

function shadowCommit() {
  const place = { GIT_DIR: shadow, GIT_WORK_TREE: workspace };
  git(['init', '-q'], place);
  git(['add', '-A'], place);
  git(['commit', '-qm', 'snapshot', '--allow-empty'], place);
}

function git(args, place) {
  const person = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', '-c', 'gc.auto=0'];
  execFileSync('git', [...person, ...args], { cwd: workspace, env: { ...process.env, ...place }, stdio: 'ignore', maxBuffer: 1e8 });
}

function openHistory() {
  const sessionId = '11111111-2222-4333-8444-555555555555';
  const files = nodeFileSystem;
  const store = new TranscriptStore({ files, clock: systemClock, log: silentLog, path: join(root, 'projects', 'bench', `${sessionId}.jsonl`), sessionId, cwd: workspace, version: '0', leafUuid: null, endsWithNewline: true });
  const blobs = new BlobStore({ files, digest: nodeDigest, folder: join(root, 'blobs') });
  const place = { roots: [workspace], scanner: createTreeScanner({ roots: [workspace], excluded: [] }), news, git: nodeGitContents };
  return new FileHistory({ files, digest: nodeDigest, documents: noDocuments, blobs, store, snapshots: [], rewinds: [], changeSets: [], log: silentLog, workspace: place });
}

function makeTree() {
  const content = Buffer.alloc(fileBytes, 'a line of text\n');
  for (let index = 0; index < fileCount; index++) {
    const path = fileAt(index);
    if (index % filesPerFolder === 0) mkdirSync(join(path, '..'), { recursive: true });
    content.write(String(index).padStart(10, '0'));
    writeFileSync(path, content);
  }
}

async function time(action) {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

async function median(measured) {
  const measurements = [];
  for (let round = 0; round < rounds; round++) measurements.push(await measured(round));
  return middle(measurements);
}

function middle(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true }).reduce((sum, name) => sum + lstatSync(join(folder, name)).size, 0);
}
