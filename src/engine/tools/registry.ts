import { askUserTool } from './askUserTool.ts';
import { bashOutputTool } from './bashOutputTool.ts';
import { bashTool } from './bashTool.ts';
import { definitionTool } from './definitionTool.ts';
import { diagnosticsTool } from './diagnosticsTool.ts';
import { editTool } from './editTool.ts';
import { exitPlanModeTool } from './exitPlanModeTool.ts';
import { globTool } from './globTool.ts';
import { grepTool } from './grepTool.ts';
import { killShellTool } from './killShellTool.ts';
import { multiEditTool } from './multiEditTool.ts';
import { notebookEditTool } from './notebookEditTool.ts';
import { readTool } from './readTool.ts';
import { referencesTool } from './referencesTool.ts';
import { renameTool } from './renameTool.ts';
import { symbolsTool } from './symbolsTool.ts';
import { taskTool } from './taskTool.ts';
import { todoWriteTool } from './todoWriteTool.ts';
import type { Tool, ToolContext } from './tool.ts';
import { webFetchTool } from './webFetchTool.ts';
import { writeTool } from './writeTool.ts';

/** In the order in which the model is told of them; it must not change within a session, or the prompt cache is lost. */
export const builtInTools: readonly Tool[] = [
  readTool,
  editTool,
  multiEditTool,
  writeTool,
  notebookEditTool,
  globTool,
  grepTool,
  bashTool,
  bashOutputTool,
  killShellTool,
  taskTool,
  todoWriteTool,
  exitPlanModeTool,
  askUserTool,
  diagnosticsTool,
  definitionTool,
  referencesTool,
  symbolsTool,
  renameTool,
  webFetchTool,
];

/** The tools that can work with what there is. */
export function toolsFor(available: Pick<ToolContext, NonNullable<Tool['needs']>>): readonly Tool[] {
  return builtInTools.filter((tool) => tool.needs === undefined || available[tool.needs] !== undefined);
}
