import type { DemoSkill } from './plan.ts';
import { addFunction } from './skills/addFunction.ts';
import { createFile } from './skills/createFile.ts';
import { explainFile } from './skills/explainFile.ts';
import { fixFailingTest } from './skills/fixFailingTest.ts';
import { longAnswer } from './skills/longAnswer.ts';
import { renameIdentifier } from './skills/renameIdentifier.ts';
import { runCommand } from './skills/runCommand.ts';
import { runTestsSkill } from './skills/runTestsSkill.ts';
import { searchText } from './skills/searchText.ts';
import { todoList } from './skills/todoList.ts';

/** Everything the demo model can do. The first whose pattern matches gets the job, so the particular stand first. */
export const skills: readonly DemoSkill[] = [
  todoList,
  renameIdentifier,
  addFunction,
  fixFailingTest,
  longAnswer,
  createFile,
  runCommand,
  searchText,
  explainFile,
  runTestsSkill,
];

/** Said at the start of the first answer of every conversation. */
export const introduction =
  '*This is the built-in demo model: a small script, not an AI. It understands a few sentences, and what it does with your files is real.*';

export function listOfSkills(): string {
  return `These are the sentences I understand:\n\n${skills.map(skill => `- ${skill.example}`).join('\n')}`;
}
