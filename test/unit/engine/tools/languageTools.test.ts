import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { TurnstoneError } from '../../../../src/base/errors.ts';
import type { CodeEdit, CodePosition, LanguageServices } from '../../../../src/engine/ports.ts';
import { EngineHarness, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';
import { openToolBench } from './toolBench.ts';
import type { ToolBench } from './toolBench.ts';

/** Every place where a word stands, in the given files: as much of a language service as the tools need. */
function wordServices(paths: readonly string[], change: Partial<LanguageServices> = {}): LanguageServices {
  const placesOf = async (at: CodePosition) => {
    const word = /^\w+/.exec((await readFile(at.path, 'utf8')).split('\n')[at.line - 1]!.slice(at.character - 1))![0];
    const texts = await Promise.all(paths.map(async (path) => ({ path, lines: (await readFile(path, 'utf8')).split('\n') })));
    return texts.flatMap(({ path, lines }) =>
      lines.flatMap((text, index) =>
        [...text.matchAll(new RegExp(`\\b${word}\\b`, 'g'))].map((match) => ({ path, line: index + 1, character: match.index + 1, endLine: index + 1, endCharacter: match.index + 1 + word.length })),
      ),
    );
  };
  return {
    diagnostics: async () => [],
    definitions: async (at) => (await placesOf(at)).slice(0, 1),
    references: placesOf,
    symbols: async () => [],
    rename: async (at, newText) => (await placesOf(at)).map((place): CodeEdit => ({ ...place, newText })),
    ...change,
  };
}

describe('the language tools', () => {
  let bench: ToolBench;
  const use = (services: LanguageServices): void => void (bench.context = { ...bench.context, languageServices: services });

  beforeEach(async () => {
    bench = await openToolBench();
    await writeFile(bench.at('a.ts'), 'export const total = 1;\nconst $total = 2; // total\n');
    await writeFile(bench.at('b.ts'), "import { total } from './a.ts';\n");
    use(wordServices([bench.at('a.ts'), bench.at('b.ts')]));
  });
  afterEach(() => bench.dispose());

  it('find definitions and references, with the text of the line', async () => {
    assert.equal(await bench.say('Definition', { file_path: 'b.ts', symbol: 'total' }), 'a.ts:1:14: export const total = 1;');
    assert.equal(
      await bench.say('References', { file_path: 'b.ts', line: 1, character: 10 }),
      '4 places in 2 files:\na.ts:1:14: export const total = 1;\na.ts:2:8: const $total = 2; // total\na.ts:2:22: const $total = 2; // total\nb.ts:1:10: import { total } from \'./a.ts\';',
    );
    use(wordServices([], { definitions: async () => [] }));
    assert.match(await bench.say('Definition', { file_path: 'b.ts', symbol: 'total' }), /^No definition is known of total at b\.ts:1\./);
    assert.match(await bench.say('References', { file_path: 'b.ts', symbol: 'total' }), /^No use is known/);
  });

  it('take a symbol as a whole word, in the line that is named or in the first that has it', async () => {
    const places: CodePosition[] = [];
    use(wordServices([], { definitions: async (at) => (places.push(at), []) }));
    await bench.say('Definition', { file_path: 'a.ts', symbol: 'total', line: 2 });
    await bench.say('Definition', { file_path: 'a.ts', symbol: '$total' });
    assert.deepEqual(places, [{ path: bench.at('a.ts'), line: 2, character: 22 }, { path: bench.at('a.ts'), line: 2, character: 7 }]);
    assert.match(await bench.say('Definition', { file_path: 'a.ts', symbol: 'tot' }), /tot does not stand in a\.ts/);
    assert.match(await bench.say('Definition', { file_path: 'a.ts', symbol: 'nope', line: 1 }), /does not stand in line 1 of a\.ts, which reads: export const/);
    assert.match(await bench.say('Definition', { file_path: 'a.ts', line: 9 }), /has 2 lines; there is no line 9/);
    assert.match(await bench.say('Definition', { file_path: 'a.ts' }), /Say where/);
    assert.match(await bench.say('Definition', { file_path: 'none.ts', symbol: 'x' }), /does not exist/);
  });

  it('show no text of files outside of the workspace', async () => {
    const elsewhere = { path: import.meta.filename ?? new URL(import.meta.url).pathname, line: 1, character: 1, endLine: 1, endCharacter: 2 };
    use(wordServices([], { definitions: async () => [elsewhere] }));
    assert.equal(await bench.say('Definition', { file_path: 'a.ts', symbol: 'total' }), `${elsewhere.path}:1:1`);
  });

  it('list symbols and problems', async () => {
    use(
      wordServices([], {
        symbols: async () => [{ name: 'Cart', kind: 'class', depth: 0, line: 1, endLine: 9 }, { name: 'add', kind: 'method', depth: 1, line: 2, endLine: 2 }],
        diagnostics: async (path) =>
          (['hint', 'warning', 'error'] as const).map((severity, index) => ({ path: path ?? bench.at('b.ts'), line: index + 1, character: 2, severity, message: 'first\n  second', source: 'ts', code: '2304' })),
      }),
    );
    assert.equal(await bench.say('Symbols', { file_path: 'a.ts' }), 'class Cart (lines 1–9)\n  method add (line 2)');
    assert.equal(await bench.say('Diagnostics', {}), 'b.ts:3:2: error: first – second [ts 2304]\nb.ts:2:2: warning: first – second [ts 2304]');
    assert.match(await bench.say('Diagnostics', { path: 'a.ts' }), /^a\.ts:3:2: error.*\na\.ts:2:2: warning.*\na\.ts:1:2: hint/);
    use(wordServices([]));
    assert.equal(await bench.say('Symbols', { file_path: 'a.ts' }), 'Nothing is known of what a.ts defines. Read it instead.');
    assert.equal(await bench.say('Diagnostics', {}), 'The editor knows no problems of the workspace.');
  });

  it('rename in all files, which need not have been read and count as not read afterwards', async () => {
    await bench.say('Read', { file_path: 'b.ts' });
    const outcome = await bench.run('Rename', { file_path: 'b.ts', symbol: 'total', new_name: 'sum' });
    assert.equal(outcome.content, 'Changed a.ts: 2 lines added, 2 removed.\nChanged b.ts: 1 line added, 1 removed.');
    assert.equal(await readFile(bench.at('a.ts'), 'utf8'), 'export const sum = 1;\nconst $sum = 2; // sum\n');
    assert.deepEqual(bench.history, ['before a.ts', 'after a.ts', 'before b.ts', 'after b.ts']);
    assert.ok(outcome.result?.kind === 'edits' && outcome.result.changes.length === 2);
    assert.match(await bench.say('Edit', { file_path: 'a.ts', old_string: '1', new_string: '3' }), /was not read yet/);
    assert.match(await bench.say('Edit', { file_path: 'b.ts', old_string: 'sum', new_string: 'all' }), /^Changed b\.ts/);
  });

  it('rename nothing when a file changes meanwhile, when nothing is to be renamed, or the file is known with another text', async () => {
    const input = { file_path: 'b.ts', symbol: 'total', new_name: 'sum' };
    const before = await readFile(bench.at('a.ts'), 'utf8');
    assert.match(await bench.say('Rename', input, { meanwhile: () => writeFile(bench.at('b.ts'), 'other\n') }), /^Nothing was renamed: b\.ts changed/);
    await writeFile(bench.at('b.ts'), 'total\n');
    use(wordServices([], { rename: async () => [] }));
    assert.match(await bench.say('Rename', input), /no place is known where total at b\.ts:1 would be renamed/);
    use(wordServices([], { rename: async () => [{ path: bench.at('a.ts'), line: 40, character: 1, endLine: 40, endCharacter: 2, newText: 'x' }] }));
    assert.match(await bench.say('Rename', input), /know another text of a\.ts/);
    use(wordServices([], { rename: async () => { throw new TurnstoneError('invalid_input', 'You cannot rename this element.'); } }));
    assert.equal(await bench.say('Rename', input), 'You cannot rename this element.');
    assert.equal(await readFile(bench.at('a.ts'), 'utf8'), before);
    assert.deepEqual(bench.history, []);
  });
});

describe('a rename in a session', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  it('is reviewed file by file: what the user changes stays, and one rejection rejects all', async () => {
    const rename = (id: string) => turn({ reply: message([toolUse('Rename', { file_path: 'b.ts', symbol: 'total', new_name: 'sum' }, { id })]) });
    harness = await EngineHarness.start([rename('r1'), rename('r2'), turn({ reply: message('done') })], { files: { 'a.ts': 'export const total = 1;\n', 'b.ts': 'total;\n' } });
    const session = await harness.open({ languageServices: wordServices([harness.path('a.ts'), harness.path('b.ts')]) });
    harness.answer = ({ proposal }) => {
      if (proposal?.path.endsWith('b.ts') && harness.requests.length === 2) return { behavior: 'deny', reason: 'not there' };
      return { behavior: 'allow', ...(proposal?.path.endsWith('b.ts') && { finalText: 'sum + 1;\n' }) };
    };
    await runTurn(session, 'rename it');
    assert.deepEqual(harness.requests.map(({ title }) => title), ['a.ts (1 of 2): total → sum in 2 files', 'b.ts (2 of 2): total → sum in 2 files', 'a.ts (1 of 2): total → sum in 2 files', 'b.ts (2 of 2): total → sum in 2 files']);
    const results = toolResults(harness.server.requests[2]!.body);
    assert.match(results['r1']!, /rejected this.*not there/);
    assert.match(results['r2']!, /^Changed a\.ts[\s\S]*The user changed your proposal/);
    assert.equal(await harness.read('a.ts'), 'export const sum = 1;\n');
    assert.equal(await harness.read('b.ts'), 'sum + 1;\n');
    assert.equal(session.cost.linesAdded, 2);
    assert.deepEqual((await session.planRewind(session.rewindTargets()[0]!.messageId)).files.map((file) => file.action), ['restore', 'restore']);
    harness.server.assertClean();
  });
});
