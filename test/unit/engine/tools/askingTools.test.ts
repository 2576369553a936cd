import assert from 'node:assert/strict';
import type { UserAnswer, UserQuestion } from '../../../../src/protocol/userQuestions.ts';
import { EngineHarness, resultOf, runTurn, toolResults } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { turn } from '../../../support/scriptedTurn.ts';

const questions = [
  { question: 'Which database?', header: 'Database', options: [{ label: 'SQLite', description: 'one file' }, { label: 'Postgres', description: 'a server' }], multiSelect: false },
  { question: 'What else?', header: 'Extras', options: [{ label: 'Tests', description: '' }, { label: 'Docs', description: '' }], multiSelect: true },
];

describe('tools that ask the user', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  const toolNames = (index: number): string[] => (harness.server.requests[index]!.body.tools ?? []).map((tool) => String(tool['name']));

  it('AskUser tells the answers, in the order of the questions', async () => {
    harness = await EngineHarness.start([turn({ reply: message([toolUse('AskUser', { questions }, { id: 'q' })]) }), turn({ reply: message('ok') })]);
    const asked: (readonly UserQuestion[])[] = [];
    const answers: UserAnswer[] = [{ chosen: ['SQLite'] }, { chosen: ['Tests', 'Docs'], other: 'and a logo' }];
    const session = await harness.open({ askUser: async (list) => { asked.push(list); return answers; } });
    await runTurn(session, 'begin');
    assert.deepEqual(asked, [questions]);
    assert.equal(toolResults(harness.server.requests[1]!.body)['q'], 'Which database?\n- SQLite\n\nWhat else?\n- Tests\n- Docs\n- in their own words: and a logo');
    assert.deepEqual(harness.requests, []);
    harness.server.assertClean();
  });

  it('AskUser bears a user who does not answer, and one who interrupts', async () => {
    harness = await EngineHarness.start([turn({ reply: message([toolUse('AskUser', { questions }, { id: 'q1' })]) }), turn({ reply: message([toolUse('AskUser', { questions }, { id: 'q2' })]) }), turn({ reply: message('ok') })]);
    let calls = 0;
    const session = await harness.open({
      askUser: () => {
        if (++calls === 1) return Promise.resolve(undefined);
        session.interrupt();
        return new Promise(() => {});
      },
    });
    assert.equal(resultOf(await runTurn(session, 'begin')).subtype, 'error_during_execution');
    await runTurn(session, 'go on');
    const results = toolResults(harness.server.requests[2]!.body);
    assert.match(results['q1']!, /did not want to answer/);
    assert.match(results['q2']!, /interrupted/);
    harness.server.assertClean();
  });

  it('AskUser is not offered where nobody can be asked', async () => {
    harness = await EngineHarness.start([turn({ reply: message('hi') })]);
    await runTurn(await harness.open(), 'hi');
    assert.ok(!toolNames(0).includes('AskUser'));
    assert.ok(toolNames(0).includes('ExitPlanMode'));
  });

  it('ExitPlanMode puts the plan to the user, and then edits are possible again', async () => {
    const plan = '# Add a file\n\n1. Write a.txt';
    const write = toolUse('Write', { file_path: 'a.txt', content: 'a\n' });
    harness = await EngineHarness.start([
      turn({ reply: message([write]) }),
      turn({ reply: message([toolUse('ExitPlanMode', { plan }, { id: 'p1' })]) }),
      turn({ reply: message([toolUse('ExitPlanMode', { plan }, { id: 'p2' })]) }),
      turn({ reply: message([write]) }),
      turn({ reply: message([toolUse('ExitPlanMode', { plan }, { id: 'p3' })]) }),
      turn({ reply: message('done') }),
    ]);
    let asked = 0;
    harness.answer = ({ toolName }) => (toolName === 'ExitPlanMode' && ++asked === 1 ? { behavior: 'deny', reason: 'with a test' } : { behavior: 'allow' });
    const session = await harness.open({ permissionMode: 'plan' });
    await runTurn(session, 'plan it');
    assert.deepEqual(harness.requests.map(({ toolName, title }) => [toolName, title]), [['ExitPlanMode', 'Add a file …'], ['ExitPlanMode', 'Add a file …'], ['Write', 'a.txt']]);
    const results = toolResults(harness.server.requests[5]!.body);
    assert.match(results['p1']!, /rejected this.*with a test/);
    assert.match(results['p2']!, /agrees to the plan/);
    assert.match(results['p3']!, /Plan mode is not on/);
    assert.equal(session.permissionMode, 'default');
    assert.equal(await harness.read('a.txt'), 'a\n');
    harness.server.assertClean();
  });
});
