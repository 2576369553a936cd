import assert from 'node:assert/strict';
import { describeTestRun, readTestRun } from '../../../src/demo/testRun.ts';

const report = (place: string): string => `✔ one (0.7ms)
✖ two (1.07ms)
ℹ tests 2
ℹ pass 1
ℹ fail 1

✖ failing tests:

test at test/cart.test.ts:24:1
✖ two (1.07ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  59 !== 531

      at TestContext.<anonymous> (${place}:25:10)
      at Test.runInAsyncScope (node:async_hooks:227:14)
`;
const fileIn = (text: string): string | undefined => readTestRun({ text, isError: true }).failures[0]?.file;

describe('readTestRun', () => {
  it('reads counts, names, values and places', () => {
    const run = readTestRun({ text: report('file:///home/me/cart.test.ts'), isError: true });
    assert.deepEqual(run.failures, [{ name: 'two', file: '/home/me/cart.test.ts', line: 25, actual: 59, expected: 531 }]);
    assert.equal(describeTestRun(run), 'One test passes, one fails:\n\n- two (got 59, expected 531)');
  });

  it('understands the places of all systems', () => {
    assert.equal(fileIn(report('/home/me/cart.test.ts')), '/home/me/cart.test.ts');
    assert.equal(fileIn(report('file:///home/me/my%20cart/cart.test.ts')), '/home/me/my cart/cart.test.ts');
    assert.equal(fileIn(report('file:///C:/Users/me/cart.test.ts')), 'C:/Users/me/cart.test.ts');
    assert.equal(fileIn(report('x').replace(/^ +at .*\n/gm, '')), 'test/cart.test.ts');
  });

  it('sees through colours', () => {
    const escape = String.fromCodePoint(27);
    assert.equal(describeTestRun(readTestRun({ text: `${escape}[34mℹ pass 3${escape}[39m\n${escape}[34mℹ fail 0${escape}[39m`, isError: false })), 'All 3 tests pass.');
  });

  it('shows the output when it is no report', () => {
    assert.equal(describeTestRun(readTestRun({ text: 'npm error Missing script: "test"', isError: true })), 'The test run failed:\n\n```\nnpm error Missing script: "test"\n```');
  });
});
