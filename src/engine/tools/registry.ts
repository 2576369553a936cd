import { bashTool } from './bashTool.ts';
import { editTool } from './editTool.ts';
import { globTool } from './globTool.ts';
import { grepTool } from './grepTool.ts';
import { multiEditTool } from './multiEditTool.ts';
import { notebookEditTool } from './notebookEditTool.ts';
import { readTool } from './readTool.ts';
import { todoWriteTool } from './todoWriteTool.ts';
import type { Tool } from './tool.ts';
import { writeTool } from './writeTool.ts';

/** In the order in which the model is told of them; it must not change within a session, or the prompt cache is lost. */
export const builtInTools: readonly Tool[] = [readTool, editTool, multiEditTool, writeTool, notebookEditTool, globTool, grepTool, bashTool, todoWriteTool];
