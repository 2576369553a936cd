import assert from 'node:assert/strict';
import { NewProblems } from '../../../../src/engine/context/newProblems.ts';
import type { CodeDiagnostic, LanguageServices } from '../../../../src/engine/ports.ts';
import { EngineHarness, resultOf, runTurn } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

const signal = new AbortController().signal;
let problems: CodeDiagnostic[] = [];
const services: LanguageServices = {
  diagnostics: async () => problems,
  definitions: async () => [],
  references: async () => [],
  symbols: async () => [],
  rename: async () => [],
};
const problem = (path: string, text: string, severity: CodeDiagnostic['severity'] = 'error', line = 1): CodeDiagnostic => ({ path, line, character: 2, severity, message: text, source: 'ts' });

describe('NewProblems', () => {
  let news: NewProblems;
  beforeEach(async () => {
    problems = [problem('/w/a.ts', 'old'), problem('/w/a.ts', 'twice'), problem('/w/b.ts', 'old', 'warning')];
    news = new NewProblems(services, '/w');
    await news.begin(signal);
  });

  it('tells what came after an edit, once, wherever old problems have moved', async () => {
    news.edited('/w/a.ts');
    problems = [problem('/w/a.ts', 'old', 'error', 40), problem('/w/a.ts', 'twice', 'error', 3), problem('/w/a.ts', 'twice', 'error', 9), problem('/w/c.ts', 'broken\n  there', 'error', 7)];
    assert.equal(await news.take(signal), 'Problems that the editor shows since your edits:\na.ts:9:2: error: twice\nc.ts:7:2: error: broken – there');
    assert.equal(await news.take(signal), undefined);
  });

  it('tells warnings only of edited files, and nothing before an edit', async () => {
    problems = [...problems, problem('/w/a.ts', 'unused', 'warning'), problem('/w/z.ts', 'unused', 'warning'), problem('/w/a.ts', 'hint', 'hint')];
    assert.equal(await news.take(signal), undefined);
    news.edited('/w/a.ts');
    assert.match((await news.take(signal))!, /edits:\na\.ts:1:2: warning: unused$/);
  });

  it('tells a problem again that was gone and came back', async () => {
    news.edited('/w/a.ts');
    problems = [];
    assert.equal(await news.take(signal), undefined);
    problems = [problem('/w/a.ts', 'old')];
    assert.match((await news.take(signal))!, /old/);
  });

  it('tells the first of very many', async () => {
    news.edited('/w/a.ts');
    problems = Array.from({ length: 30 }, (_, i) => problem('/w/a.ts', `p${i}`));
    assert.match((await news.take(signal))!, /p19\n\(10 more; Diagnostics shows them\.\)$/);
  });

  it('reaches the model before the request that follows the edit; an editor that fails does not fail the turn', async () => {
    const harness = await EngineHarness.start(
      [
        turn({
          reply: () => {
            problems = [problem(harness.path('n.ts'), 'made by the edit')];
            return message([toolUse('Write', { file_path: harness.path('n.ts'), content: 'n' })]);
          },
        }),
        turn({ reply: message('ok'), times: 2 }),
      ],
    );
    try {
      const session = await harness.open({ languageServices: services });
      await runTurn(session, 'go');
      assert.match(JSON.stringify(harness.server.requests[1]!.body.messages), /n\.ts:1:2: error: made by the edit/);
      const failing = { ...services, diagnostics: () => Promise.reject(new Error('no editor')) };
      const messages = await runTurn(await harness.open({ languageServices: failing }), 'go');
      assert.equal(resultOf(messages).subtype, 'success');
      assert.ok(messages.some((each) => each.type === 'system' && each.subtype === 'notice' && /no editor/.test(each.text)));
      harness.server.assertClean();
    } finally {
      await harness.close();
    }
  });
});
