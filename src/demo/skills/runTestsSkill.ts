import type { DemoJob, DemoSkill, DemoTask } from '../plan.ts';
import { describeTestRun, runTests } from '../testRun.ts';

export const runTestsSkill: DemoSkill = {
  example: 'run the tests',
  pattern: /\b(?:run|execute|start)\b.*\btests?\b|\bnpm test\b/is,
  *run(task: DemoTask): DemoJob {
    return describeTestRun(yield* runTests(task));
  },
};
