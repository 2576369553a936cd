import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tryParseJson } from '../../src/base/json.ts';
import { findTranscript } from '../../src/engine/transcript/transcriptPath.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import type { Session } from '../../src/sdk/index.ts';
import { resultOf, runTurn } from '../support/engineHarness.ts';
import type { AgentRun } from './runAgent.ts';
import type { Said } from './agent.ts';
import { answerCostUsd, beginCostUsd, trees } from './scenario.ts';

/** Opens what a killed process left behind, and holds it against what that one had said. Throws an AssertionError. */
export async function checkAfterKill({ harness, sessionId, said }: AgentRun): Promise<void> {
  const durable = lastDurable(said);
  const path = await findTranscript(nodeFileSystem, harness.dataRoot, sessionId);
  if (path === undefined) return assert.deepEqual(durable.uuids, [], 'the session is there');
  const linesBefore = await linesOf(path);
  const session = await harness.open({ resume: sessionId });
  checkConversation(session, said);
  checkCost(session, durable.costUsd, harness.server.requests.length);
  await checkTree(harness.cwd, said, linesBefore);
  const known = session.messages.map(({ uuid }) => uuid);
  const result = resultOf(await runTurn(session, 'Please [go on].'));
  assert.deepEqual([result.subtype, result.result], ['success', 'Going on.'], result.errors.join(' '));
  harness.server.assertClean();
  await session.dispose();

  // And once more: what was said since stands behind it, nothing came twice.
  const again = await harness.open({ resume: sessionId });
  assert.deepEqual(again.messages.slice(0, known.length).map(({ uuid }) => uuid), known, 'a second resume finds the same');
  assert.deepEqual(again.messages.slice(known.length).flatMap((each) => ('message' in each ? [each.message.role] : [])).filter((role) => role === 'assistant').length, 1);
  assert.ok(Math.abs((again.cost.totalCostUsd ?? -1) - (session.cost.totalCostUsd ?? -2)) < 1e-9);
  await again.dispose();
  const lines = await linesOf(path);
  assert.ok(lines.filter((line) => line === undefined).length <= 1, 'at most one line is torn');
  const uuids = lines.flatMap((line) => (typeof line?.['uuid'] === 'string' && line['type'] !== 'partial' ? [line['uuid']] : []));
  assert.equal(new Set(uuids).size, uuids.length, 'no line stands there twice');
}

function checkConversation(session: Session, said: readonly Said[]): void {
  const { uuids, since } = lastDurable(said);
  const found = session.messages.map(({ uuid }) => uuid);
  assert.equal(new Set(found).size, found.length, 'no message comes twice');
  const [first] = session.messages;
  // Its line is there, though nobody was told yet.
  const isNewlyCompacted = first?.type === 'system' && !uuids.includes(first.uuid);
  const step = said.findLast((each) => 'begun' in each)?.begun ?? 'start';
  const isMoving = step.startsWith('rewind') || step === 'undo';
  if (isNewlyCompacted) {
    assert.equal(step, 'compact');
    const kept = found.filter((uuid) => uuids.includes(uuid));
    assert.deepEqual(found.slice(1, 1 + kept.length), kept, 'behind the boundary stands what was kept, then what is new');
    assert.ok(kept.length > 0);
  } else if (isMoving && since) {
    const isShorter = found.length < uuids.length;
    if (isShorter) assert.deepEqual(uuids.slice(0, found.length), found, 'going back leaves what stood before');
    else assert.deepEqual(found.slice(0, uuids.length), uuids);
  } else {
    assert.deepEqual(found.slice(0, uuids.length), uuids, 'every message that was acknowledged is there, in order');
  }
  const bodies = new Map(said.flatMap((each) => ('uuid' in each ? [[each.uuid, each.message] as const] : [])));
  for (const each of session.messages) {
    if (!('message' in each) || !uuids.includes(each.uuid) || !bodies.has(each.uuid)) continue;
    assert.deepEqual(JSON.parse(JSON.stringify(each.message)), bodies.get(each.uuid), 'as it was shown');
  }
  const calls = session.messages.flatMap((each) => ('message' in each && typeof each.message.content !== 'string' ? each.message.content.filter((block) => block.type === 'tool_use').map((block) => block['id']) : []));
  assert.equal(new Set(calls).size, calls.length, 'no call comes twice');
}

/**
 * At least what was saved, and whatever the requests before the last one have cost: a request leaves when the answer
 * before it is counted on disk, be it a sub-agent's. At most what was answered.
 */
function checkCost(session: Session, savedUsd: number, requests: number): void {
  const found = session.cost.totalCostUsd ?? -1;
  assert.ok(found >= savedUsd - 1e-9, `$${found} is less than the $${savedUsd} that it had cost`);
  const ofLast = found - Math.max(0, requests - 1) * answerCostUsd;
  assert.ok([0, beginCostUsd, answerCostUsd].some((usd) => Math.abs(ofLast - usd) < 1e-9), `of $${found}, $${ofLast} are left for the last of ${requests} requests`);
  assert.equal(session.cost.unreported !== undefined, Math.abs(ofLast - beginCostUsd) < 1e-9, 'it is said where a figure is a lower bound');
}

/** Each file is as one of the steps left it, those of one answer all as the same one; around a rewind all of them are as the transcript says. */
async function checkTree(cwd: string, said: readonly Said[], lines: readonly (Record<string, unknown> | undefined)[]): Promise<void> {
  const tree = await treeOf(cwd);
  const step = said.findLast((each) => 'begun' in each)?.begun ?? 'start';
  const committed = lines.filter((line) => line?.['type'] === 'rewind').length;
  const expected = ((): readonly Tree[] => {
    switch (step) {
      case 'start':
        return [trees.untouched];
      // Edits that were proposed together are all there, or none of them.
      case 'make':
        return [trees.untouched, trees.made];
      case 'change':
        return between(trees.made, trees.changed).filter((each) => (each['a.txt'] === trees.changed['a.txt']) === (each['deep/er/c.txt'] !== undefined));
      case 'rewind':
      case 'undo':
      case 'rewind again':
        return [committed % 2 === 1 ? trees.made : trees.changed];
      case 'again':
        return between(trees.made, trees.again);
      default:
        return [trees.again];
    }
  })();
  assert.ok(expected.some((each) => isSame(each, tree)), `after ${step}, with ${committed} rewinds committed, the files are ${JSON.stringify(tree)}`);
}

type Tree = Readonly<Record<string, string>>;

/** Every tree in which each file is as in one of the two. */
function between(one: Tree, other: Tree): Tree[] {
  let found: Tree[] = [{}];
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const contents = new Set([one[name], other[name]]);
    found = found.flatMap((tree) => [...contents].map((content) => (content === undefined ? tree : { ...tree, [name]: content })));
  }
  return found;
}

function isSame(one: Tree, other: Tree): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

async function treeOf(folder: string): Promise<Tree> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, 'utf8')] as const)));
}

/** The newest promise, and whether something was begun since. */
function lastDurable(said: readonly Said[]): { readonly uuids: readonly string[]; readonly costUsd: number; readonly since: boolean } {
  const at = said.findLastIndex((each) => 'durable' in each);
  const last = said[at];
  if (!last || !('durable' in last)) return { uuids: [], costUsd: 0, since: true };
  return { uuids: last.durable, costUsd: last.costUsd, since: said.slice(at).some((each) => 'begun' in each) };
}

/** Undefined for those that are no JSON. */
async function linesOf(path: string): Promise<(Record<string, unknown> | undefined)[]> {
  const text = await readFile(path, 'utf8');
  return text.split('\n').filter(Boolean).map((line) => tryParseJson(line) as Record<string, unknown> | undefined);
}
