import assert from 'node:assert/strict';
import fc from 'fast-check';
import { longForm } from '../support/longForm.ts';
import { RewindModel } from './rewindModel.ts';
import type { Tree } from './rewindModel.ts';

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
  | { readonly kind: 'prompt' | 'restart' | 'undo' }
  | { readonly kind: 'tool'; readonly name: string; readonly content: string | undefined }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'beside'; readonly first: string; readonly second: string; readonly name: string }
  | { readonly kind: 'user'; readonly name: string; readonly content: string | undefined }
  | { readonly kind: 'userMode'; readonly name: string }
  | { readonly kind: 'rewind'; readonly at: number };

const agentSteps: { arbitrary: fc.Arbitrary<Step>; weight: number }[] = [
  { weight: 3, arbitrary: fc.constant({ kind: 'prompt' }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('tool'), name, content: fc.option(text, { nil: undefined }) }) as fc.Arbitrary<Step> },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('command'), command }) as fc.Arbitrary<Step> },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('beside'), first: command, second: command, name }) as fc.Arbitrary<Step> },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rewind'), at: fc.nat(20) }) as fc.Arbitrary<Step> },
  { weight: 1, arbitrary: fc.constant({ kind: 'undo' }) },
];
const userSteps: { arbitrary: fc.Arbitrary<Step>; weight: number }[] = [
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('user'), name, content: fc.option(text, { nil: undefined }) }) as fc.Arbitrary<Step> },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('userMode'), name }) as fc.Arbitrary<Step> },
];

/** The tree before the last rewind, while nothing has happened since. */
interface Run {
  undoTo: Tree | undefined;
}

async function take(step: Step, model: RewindModel, run: Run): Promise<void> {
  const undoTo = run.undoTo;
  run.undoTo = undefined;
  switch (step.kind) {
    case 'prompt':
      return model.prompt();
    case 'restart':
      run.undoTo = undoTo;
      return model.restart();
    case 'tool':
      return model.toolWrites(step.name, step.content);
    case 'command':
      return model.runCommand(step.command);
    case 'beside':
      return model.runBesideTool(step.first, step.second, step.name);
    case 'user':
      return model.userWrites(step.name, step.content);
    case 'userMode':
      return model.userChmods(step.name);
    case 'undo':
      if (undoTo) await undoAndCheck(model, undoTo);
      return;
    case 'rewind':
      if (model.branchLength === 0) return;
      run.undoTo = await rewindAndCheck(model, step.at % model.branchLength);
  }
}

/** Goes back, the user's changes overwritten and at random left alone, and compares every path. Gives the tree before it. */
async function rewindAndCheck(model: RewindModel, index: number): Promise<Tree | undefined> {
  const before = model.tree;
  const { files, changedSince } = model.expectation(index);
  const plan = await model.plan(index);
  const named = (path: string): string => path.slice(model.workspace.length + 1);
  const isFile = (one: string): boolean => before.get(one) !== 'folder' && files.get(one) !== 'folder';
  const notCovered = new Set(plan.notCovered.map((each) => named(each.name)));
  if (!model.userTookPart) assert.deepEqual([...notCovered], [], 'all that the agent did alone can be brought back');
  const planned = plan.files.filter((file) => file.changedSince).map((file) => named(file.path));
  assert.deepEqual(planned.filter(isFile).sort(), [...changedSince].filter((one) => isFile(one) && !notCovered.has(one)).sort(), 'what others changed is said');
  const [skip, overwrite] = [planned.filter((_, at) => (at + index) % 3 === 2), planned.filter((_, at) => (at + index) % 3 !== 2)];
  if (planned.length > 0) {
    await assert.rejects(model.rewind(index, { overwrite: planned.slice(1), skip: [] }), { code: 'stale_file' });
    assert.deepEqual(model.tree, before, 'a rewind that is refused does nothing');
  }
  const failed = await model.rewind(index, { overwrite, skip });
  if (!model.userTookPart) assert.deepEqual(failed, []);
  const left = new Set([...skip, ...failed, ...notCovered]);
  compare(model, before, { files, left });
  return skip.length + failed.length + notCovered.size > 0 ? undefined : before;
}

function compare(model: RewindModel, before: Tree, { files, left }: { readonly files: ReadonlyMap<string, string | undefined>; readonly left: ReadonlySet<string> }): void {
  const names = new Set([...before.keys(), ...files.keys(), ...model.tree.keys()]);
  for (const one of names) {
    const wanted = files.has(one) && !left.has(one) ? files.get(one) : before.get(one);
    // Folders come and go with the files in them, which may be the user's.
    if (model.userTookPart && (wanted === 'folder' || wanted === undefined) && (model.tree.get(one) === 'folder' || model.tree.get(one) === undefined)) continue;
    // What the user put in the place of a folder stays, and what was in the folder is said not to come back.
    if (model.userTookPart && wanted === 'folder' && model.tree.get(one) === before.get(one) && [...left].some((path) => path.startsWith(`${one}/`))) continue;
    assert.equal(model.tree.get(one), wanted, `${one} is not what it has to be`);
  }
}

async function undoAndCheck(model: RewindModel, wanted: Tree): Promise<void> {
  const failed = await model.undo();
  assert.deepEqual(failed, []);
  if (!model.userTookPart) return assert.deepEqual(model.tree, wanted);
  const onlyFiles = (tree: Tree): Map<string, string> => new Map([...tree].filter(([, what]) => what !== 'folder').sort(([one], [other]) => (one < other ? -1 : 1)));
  assert.deepEqual(onlyFiles(model.tree), onlyFiles(wanted));
}

async function check(steps: fc.Arbitrary<Step>[], runs: number): Promise<void> {
  const sequence = fc.record({ isRepository: fc.boolean(), steps: fc.array(fc.oneof(...steps), { minLength: 4, maxLength: 16 }), last: fc.nat(20) });
  await fc.assert(
    fc.asyncProperty(sequence, ({ isRepository, steps: taken, last }) =>
      RewindModel.use(isRepository, async (model) => {
        const run: Run = { undoTo: undefined };
        for (const step of [...taken, { kind: 'rewind', at: last } as const, { kind: 'undo' } as const]) await take(step, model, run);
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
