import assert from 'node:assert/strict';
import fc from 'fast-check';
import { longForm } from '../support/longForm.ts';
import { RewindModel } from './rewindModel.ts';
import type { Choice } from './rewindModel.ts';
import type { Expectation, Tree } from './touches.ts';
import type { RewindPlan } from '../../src/protocol/rewind.ts';

const sequences = longForm ? 2_000 : 100;

const name = fc.constantFrom('a', 'b', 'c', 'link', 'd/c', 'd/deep/e', 'd/new', 'empty/in', 'made/x y', 'made/further/z', 'd', 'made', 'empty');
const text = fc.constantFrom('x\n', 'y\n', 'longer text\n', '');

const command = fc.oneof(
  fc.tuple(name, text).map(([file, content]) => `mkdir -p "$(dirname '${file}')"; printf '${content.replace('\n', '\\n')}' > '${file}'`),
  fc.tuple(name, text).map(([file, content]) => `printf '${content.replace('\n', '\\n')}' >> '${file}'`),
  name.map((file) => `sed -i 's/[a-z]/Q/' '${file}'`),
  fc.tuple(name, name).map(([from, to]) => `mv -T '${from}' '${to}'`),
  fc.tuple(name, name).map(([from, to]) => `cp -r '${from}' '${to}'`),
  name.map((file) => `rm -rf '${file}'`),
  fc.tuple(fc.constantFrom('644', '755', '600'), name).map(([mode, file]) => `[ -f '${file}' ] && chmod ${mode} '${file}'`),
  fc.tuple(name, name).map(([target, link]) => `ln -s '${target}' '${link}'`),
  name.map((folder) => `mkdir -p '${folder}'`),
  fc.constant('touch a b; cat a > /dev/null'),
);

type Step =
  | { readonly kind: 'prompt' | 'restart' | 'compact' | 'undo' | 'redo' }
  | { readonly kind: 'tool'; readonly name: string; readonly content: string | undefined; readonly formatted?: string | undefined }
  | { readonly kind: 'subAgent'; readonly name: string; readonly content: string | undefined; readonly command: string }
  | { readonly kind: 'part'; readonly of: 'call' | 'file' | 'message'; readonly pick: number }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'beside'; readonly first: string; readonly second: string; readonly name: string }
  | { readonly kind: 'user'; readonly name: string; readonly content: string | undefined }
  | { readonly kind: 'userMode' | 'formatter'; readonly name: string }
  | { readonly kind: 'rewind'; readonly at: number };

const agentSteps: { arbitrary: fc.Arbitrary<Step>; weight: number }[] = [
  { weight: 3, arbitrary: fc.constant({ kind: 'prompt' }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('tool'), name, content: fc.option(text, { nil: undefined }), formatted: fc.option(fc.constant('formatted\n'), { nil: undefined, freq: 1 }) }) as fc.Arbitrary<Step> },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('subAgent'), name, content: fc.option(text, { nil: undefined }), command }) as fc.Arbitrary<Step> },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('command'), command }) as fc.Arbitrary<Step> },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('beside'), first: command, second: command, name }) as fc.Arbitrary<Step> },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'compact' }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rewind'), at: fc.nat(20) }) as fc.Arbitrary<Step> },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('part'), of: fc.constantFrom('call', 'file', 'message'), pick: fc.nat(50) }) as fc.Arbitrary<Step> },
  { weight: 2, arbitrary: fc.constant({ kind: 'undo' }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'redo' }) },
];
const userSteps: { arbitrary: fc.Arbitrary<Step>; weight: number }[] = [
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('user'), name, content: fc.option(text, { nil: undefined }) }) as fc.Arbitrary<Step> },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('userMode'), name }) as fc.Arbitrary<Step> },
  // A formatter that comes after the tool is as good as a user.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('formatter'), name }) as fc.Arbitrary<Step> },
];

/** A rewind that can be undone, or an undoing that can be redone: the changes since, or up to, these moments are taken back. */
interface Turning {
  readonly from: number;
  /** Set where only what it did itself is taken back. */
  readonly until: number | undefined;
}

interface Run {
  readonly undo: Turning[];
  readonly redo: Turning[];
  /** What rewinds went over of the user's: redoing asks again. */
  readonly wentOver: Set<string>;
}

async function take(step: Step, model: RewindModel, run: Run): Promise<void> {
  switch (step.kind) {
    case 'prompt':
      return model.prompt();
    case 'restart':
      return model.restart();
    case 'compact':
      return model.compact();
    case 'tool':
      return model.toolWrites(step.name, step.content, step.formatted);
    case 'command':
      return model.runCommand(step.command);
    case 'beside':
      return model.runBesideTool(step.first, step.second, step.name);
    case 'subAgent':
      return model.runSubAgent(step.name, step.content, step.command);
    case 'user':
      return model.userWrites(step.name, step.content);
    case 'userMode':
      return model.userChmods(step.name);
    case 'formatter':
      await model.toolWrites(step.name, 'by the tool\n');
      return model.userWrites(step.name, 'by the formatter\n');
    case 'part':
      return undoPartAndCheck(model, step, run);
    case 'undo':
      return turnAndCheck(model, run, 'undo');
    case 'redo':
      if (!model.canRedo) run.redo.length = 0;
      return turnAndCheck(model, run, 'redo');
    case 'rewind':
      if (model.branchLength > 0) await rewindAndCheck(model, step.at % model.branchLength, run);
  }
}

/** Goes back, the user's changes overwritten and at random left alone, and compares every path. */
async function rewindAndCheck(model: RewindModel, index: number, run: Run): Promise<void> {
  run.redo.length = 0;
  run.undo.push({ from: model.moment, until: undefined });
  await goAndCheck(model, { expectation: model.expectation(index), plan: await model.plan(index), run, pick: index, go: (choice) => model.rewind(index, choice) });
}

/** Takes the last rewind back that was not taken back, or makes it again. */
async function turnAndCheck(model: RewindModel, run: Run, way: 'undo' | 'redo'): Promise<void> {
  const turning = run[way].pop();
  if (way === 'undo') assert.equal(model.canUndo, turning !== undefined);
  if (!turning) return;
  const from = model.moment;
  const [plan, go] = way === 'undo' ? [await model.planUndo(), (choice: Choice) => model.undo(choice)] : [await model.planRedo(), (choice: Choice) => model.redo(choice)];
  await goAndCheck(model, { expectation: model.expectationSince(turning.from, turning.until), plan, run, pick: from, go, mayAskAgain: way === 'redo' });
  run[way === 'undo' ? 'redo' : 'undo'].push({ from, until: turning.until === undefined ? undefined : model.moment });
}

async function undoPartAndCheck(model: RewindModel, { of, pick }: Step & { kind: 'part' }, run: Run): Promise<void> {
  const part = model.partAt(of, pick);
  if (!part) return;
  const from = model.moment;
  const expectation = model.expectationOfPart(part);
  const before = model.tree;
  const plan = await model.planPart(part);
  const { planned, notCovered } = namesIn(model, plan);
  assertSame({ before, expectation, planned, notCovered });
  const failed = await model.undoPart(part, planned);
  compare(model, before, { files: expectation.files, left: new Set([...planned, ...failed, ...notCovered]) });
  run.redo.length = 0;
  run.undo.push({ from, until: model.moment });
}

interface Going {
  readonly expectation: Expectation;
  readonly plan: RewindPlan;
  readonly run: Run;
  readonly pick: number;
  readonly go: (choice: Choice) => Promise<string[]>;
  readonly mayAskAgain?: boolean;
}

async function goAndCheck(model: RewindModel, { expectation, plan, run, pick, go, mayAskAgain = false }: Going): Promise<void> {
  const before = model.tree;
  const { planned, notCovered } = namesIn(model, plan);
  const isAlone = !model.userTookPart && !model.partWasUndone;
  if (isAlone) assert.deepEqual([...notCovered], [], 'all that the agent did alone can be brought back');
  assertSame({ before, expectation, planned: mayAskAgain ? planned.filter((one) => expectation.changedSince.has(one) || !run.wentOver.has(one)) : planned, notCovered });
  const isLeft = (one: string, at: number): boolean => (at + pick) % 3 === 2 || expectation.maybeAsked.has(one);
  const [skip, overwrite] = [planned.filter(isLeft), planned.filter((one, at) => !isLeft(one, at))];
  if (planned.length > 0) {
    await assert.rejects(go({ overwrite: planned.slice(1), skip: [] }), { code: 'stale_file' });
    assert.deepEqual(model.tree, before, 'going back that is refused does nothing');
  }
  for (const one of planned) run.wentOver.add(one);
  const failed = await go({ overwrite, skip });
  if (isAlone) assert.deepEqual(failed, []);
  compare(model, before, { files: expectation.files, left: new Set([...skip, ...failed, ...notCovered]) });
}

function namesIn(model: RewindModel, plan: RewindPlan): { readonly planned: string[]; readonly notCovered: ReadonlySet<string> } {
  const named = (path: string): string => path.slice(model.workspace.length + 1);
  return { planned: plan.files.filter((file) => file.changedSince).map((file) => named(file.path)), notCovered: new Set(plan.notCovered.map((each) => named(each.name))) };
}

function assertSame({ before, expectation, planned, notCovered }: { readonly before: Tree; readonly expectation: Expectation; readonly planned: readonly string[]; readonly notCovered: ReadonlySet<string> }): void {
  const { files, changedSince, maybeAsked } = expectation;
  const isFile = (one: string): boolean => before.get(one) !== 'folder' && files.get(one) !== 'folder';
  assert.deepEqual(planned.filter((one) => isFile(one) && !maybeAsked.has(one)).sort(), [...changedSince].filter((one) => isFile(one) && !notCovered.has(one)).sort(), 'what others changed is said');
}

function compare(model: RewindModel, before: Tree, { files, left }: { readonly files: ReadonlyMap<string, string | undefined>; readonly left: ReadonlySet<string> }): void {
  const areFoldersLoose = model.userTookPart || model.partWasUndone;
  const names = new Set([...before.keys(), ...files.keys(), ...model.tree.keys()]);
  for (const one of names) {
    const wanted = files.has(one) && !left.has(one) ? files.get(one) : before.get(one);
    // Folders come and go with the files in them, which may be the user's.
    if (areFoldersLoose && (wanted === 'folder' || wanted === undefined) && (model.tree.get(one) === 'folder' || model.tree.get(one) === undefined)) continue;
    // What the user put in the place of a folder stays, and what was in the folder is said not to come back.
    if (areFoldersLoose && wanted === 'folder' && model.tree.get(one) === before.get(one) && [...left].some((path) => path.startsWith(`${one}/`))) continue;
    assert.equal(model.tree.get(one), wanted, `${one} is not what it has to be`);
  }
}

async function check(steps: fc.Arbitrary<Step>[], runs: number): Promise<void> {
  const sequence = fc.record({ isRepository: fc.boolean(), steps: fc.array(fc.oneof(...steps), { minLength: 4, maxLength: 16 }), last: fc.nat(20) });
  await fc.assert(
    fc.asyncProperty(sequence, ({ isRepository, steps: taken, last }) =>
      RewindModel.use(isRepository, async (model) => {
        const run: Run = { undo: [], redo: [], wentOver: new Set() };
        for (const step of [...taken, { kind: 'rewind', at: last } as const, { kind: 'undo' } as const, { kind: 'redo' } as const]) await take(step, model, run);
      }),
    ),
    { numRuns: runs, endOnFailure: false },
  );
}

function weighted(steps: readonly { readonly arbitrary: fc.Arbitrary<Step>; readonly weight: number }[]): fc.Arbitrary<Step>[] {
  return steps.flatMap(({ arbitrary, weight }) => Array.from({ length: weight }, () => arbitrary));
}

describe(`rewind, ${sequences} random sequences against a model of the tree`, function () {
  this.timeout(60 * 60 * 1000);

  it('the agent alone: every file, link and folder is as it was', () => check(weighted(agentSteps), sequences / 2));

  it('with a user who works on the same files: theirs are named, and left alone or overwritten as chosen', () => check(weighted([...agentSteps, ...userSteps]), sequences / 2));
});
