import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { introduction, skills } from '../../../src/demo/skills.ts';
import type { DemoModel } from '../../../src/demo/startDemoModel.ts';
import { startDemoModel } from '../../../src/demo/startDemoModel.ts';
import type { FakeResult } from './demoAgent.ts';
import { DemoAgent } from './demoAgent.ts';

describe('the demo model at work in the sample workspace', function () {
  // These run real `npm test` processes, which take their time on a busy machine.
  this.timeout(60_000);
  let model: DemoModel;
  let agent: DemoAgent;
  before(async () => {
    model = await startDemoModel({ pace: 'instant' });
  });
  after(() => model.close());
  beforeEach(() => {
    agent = new DemoAgent(model);
  });
  afterEach(() => agent.dispose());

  it('says what it is in the first answer, and only there', async () => {
    const first = await agent.ask('Good morning!');
    assert.ok(first.startsWith(introduction));
    for (const { example } of skills) assert.ok(first.includes(example));
    const second = await agent.ask('What is the capital of France?');
    assert.ok(!second.includes(introduction));
    assert.match(second, /I don't know how to do that/);
  });

  it('gives each sentence on its list to the skill that it stands for', () => {
    for (const skill of skills) assert.equal(skills.find(each => each.pattern.test(skill.example)), skill, skill.example);
  });

  it('explains a file from what is in it', async () => {
    const answer = await agent.ask('explain cart.ts');
    assert.deepEqual(agent.calls, ['Glob **/cart.ts', 'Read cart.ts']);
    assert.match(answer, /- `total` \(function, line \d+\): What the whole cart costs, in cents\./);
    assert.match(answer, /It imports from `\.\/money\.ts`/);
  });

  it('takes a file by its mention, too', async () => {
    assert.match(await agent.ask('explain @src/cart.ts'), /What the whole cart costs, in cents/);
  });

  it('renames in the file, in the file that imports it, and runs the tests', async () => {
    const answer = await agent.ask('rename `total` to `sum` in cart.ts and run the tests');
    assert.deepEqual(agent.calls, ['Glob **/cart.ts', 'Read cart.ts', 'Edit cart.ts', 'Grep \\btotal\\b', 'Read cart.test.ts', 'Edit cart.test.ts', 'Bash npm test']);
    assert.match(agent.file('src/cart.ts'), /export function sum\(/);
    assert.doesNotMatch(agent.file('src/cart.ts'), /\btotal\b/);
    assert.match(agent.file('test/cart.test.ts'), /discount, sum \}/);
    assert.match(answer, /I renamed `total` to `sum` in cart\.ts and cart\.test\.ts\./);
    assert.match(answer, /4 tests pass, one fails:\n\n- a discount of 10 percent/);
  });

  it('renames whole words only, and nothing that is not there or would collide', async () => {
    writeFileSync(join(agent.folder, 'a.js'), 'let x = 1;\nlet max = 2;\nx += max;\nlet z = 0;\n');
    assert.match(await agent.ask('rename x to y in ./a.js'), /I renamed `x` to `y`/);
    assert.equal(agent.file('a.js'), 'let y = 1;\nlet max = 2;\ny += max;\nlet z = 0;\n');
    assert.match(await agent.ask('rename y to z in ./a.js'), /`z` is used in a\.js already \(line 4\)/);
    assert.match(await agent.ask('rename w to v in ./a.js'), /There is no `w` in a\.js/);
    assert.match(await agent.ask('rename w to v in b.js'), /I found no file named b\.js/);
  });

  it('adds a function with its test', async () => {
    const answer = await agent.ask('add a function `itemCount` to cart.ts with a test');
    assert.deepEqual(agent.calls, ['Glob **/cart.ts', 'Read cart.ts', 'Edit cart.ts', 'Glob **/cart.test.ts', 'Read cart.test.ts', 'Write cart.test.ts', 'Bash npm test']);
    assert.match(answer, /5 tests pass, one fails/);
    assert.match(await agent.ask('add a function `itemCount` to cart.ts with a test'), /already, so I changed nothing/);
    assert.match(await agent.ask('add a function `fly` to cart.ts'), /I only know `itemCount`, `isEmpty`, `removeItem`/);
  });

  for (const name of ['isEmpty', 'removeItem']) {
    it(`knows ${name} too`, async () => {
      assert.match(await agent.ask(`add a function ${name} to src/cart.ts with a test`), /5 tests pass, one fails/);
    });
  }

  it('fixes the failing test, and then has nothing to fix', async () => {
    const answer = await agent.ask('fix the failing test');
    assert.deepEqual(agent.calls, ['Bash npm test', 'Read cart.test.ts', 'Read cart.ts', 'Edit cart.ts', 'Bash npm test']);
    assert.match(agent.file('src/cart.ts'), /return total\(cart\) - percentOf\(total\(cart\), percent\);/);
    assert.match(answer, /`discount` gives 59, the test expects 531[\s\S]*All 5 tests pass\.$/);
    assert.match(await agent.ask('fix the failing test'), /There is nothing to fix/);
  });

  it('does one job after the other, from the conversation alone', async () => {
    await agent.ask('rename total to sum in cart.ts');
    await agent.ask('fix the failing test');
    assert.match(await agent.ask('run the tests'), /All 5 tests pass\./);
  });

  it('runs commands, searches, creates files, makes todo lists', async () => {
    assert.match(await agent.ask('run `echo hello`'), /has finished:\n\n```\nhello\n```/);
    assert.match(await agent.ask('find `percentOf`'), /occurs in 3 lines/);
    await agent.ask('create a file docs/notes.md with the text `Remember the milk.`');
    assert.equal(agent.file('docs/notes.md'), 'Remember the milk.\n');
    assert.match(await agent.ask('make a todo list: think, do, check'), /The list has 3 items/);
    assert.deepEqual(agent.calls.slice(-2), ['TodoWrite', 'TodoWrite']);
  });

  it('writes a long answer with headings, code, a table and lists', async () => {
    const answer = await agent.ask('write a long answer about shopping carts');
    assert.ok(answer.split(/\s+/).length > 2500);
    for (const sign of ['# On shopping carts', '\n## 10. ', '\n```ts\n', '\n| --- |', '\n- ', '\n1. ', '\n> ']) assert.ok(answer.includes(sign), sign);
  });

  describe('when a call does not end well', () => {
    const answerEdits = (content: string, isError = true) => {
      agent.intercept = (call): FakeResult | undefined => (call['name'] === 'Edit' ? { content, isError } : undefined);
    };

    it('acknowledges a refusal with its reason, and stops', async () => {
      answerEdits('The user rejected this. Nothing was changed. They say: sum is too short a name');
      const answer = await agent.ask('rename total to sum in cart.ts and run the tests');
      assert.match(answer, /That was turned down:\n\n> sum is too short a name/);
      assert.equal(agent.calls.at(-1), 'Edit cart.ts');
      agent.intercept = () => undefined;
      assert.match(await agent.ask('rename total to grandTotal in cart.ts'), /I renamed `total` to `grandTotal`/);
    });

    it('acknowledges a refusal without one', async () => {
      answerEdits('The user rejected this. Nothing was changed. Ask what they want instead, or go on without it.');
      assert.match(await agent.ask('rename total to sum in cart.ts'), /That was turned down, so nothing was changed by it/);
    });

    it('mentions that the user changed the proposal, and goes on', async () => {
      answerEdits('The edit was accepted. The user changed the proposal before accepting it:\n-sum\n+summe', false);
      assert.match(await agent.ask('rename total to sum in cart.ts'), /You changed my proposal before accepting it; I go on with your version\.[\s\S]*I renamed/);
    });

    it('reports an error of a tool and stops', async () => {
      answerEdits('old_string was not found.');
      assert.match(await agent.ask('rename total to sum in cart.ts'), /Edit did not work:\n\n> old_string was not found\./);
    });

    it('takes an interruption as an end', async () => {
      answerEdits('The user interrupted before this was decided or finished.');
      assert.match(await agent.ask('rename total to sum in cart.ts'), /You stopped me, so I leave it there\.$/);
    });

    it('does not take the words of a failing command for those of the user', async () => {
      assert.match(await agent.ask('run `echo permission denied, interrupted, rejected; exit 1`'), /failed:\n\n```\npermission denied, interrupted, rejected/);
    });

    it('calls no tool that it was not given', async () => {
      agent.toolNames = ['Read', 'Glob'];
      assert.match(await agent.ask('run the tests'), /I need the tool Bash, which is not available here/);
      assert.deepEqual(agent.calls, []);
    });
  });
});
