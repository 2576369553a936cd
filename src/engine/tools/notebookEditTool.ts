import * as z from 'zod';
import { TurnstoneError } from '../../base/errors.ts';
import { editNotebook } from '../text/notebookEdit.ts';
import { planFileChange, readBeforeChange, runFileChange } from './fileChange.ts';
import { fileNotFound, locateFile } from './locateFile.ts';
import { defineTool } from './tool.ts';

export const notebookEditTool = defineTool({
  name: 'NotebookEdit',
  description: [
    'Changes one cell of a Jupyter notebook (.ipynb): replaces its source, inserts a new cell, or deletes it. The notebook must have been read with Read first.',
    'Outputs stay as they are until the cell is run again. Everything else in the file stays byte for byte.',
  ].join('\n'),
  input: () => z.object({
    notebook_path: z.string().min(1).describe('Path of the notebook, absolute or relative to the working folder.'),
    cell_id: z.string().optional().describe('Id of the cell, or its number as Read shows it, from 1. For insert: the new cell comes after this one, or first when it is left out.'),
    new_source: z.string().describe('The whole new source of the cell; not used by delete.'),
    cell_type: z.enum(['code', 'markdown']).optional().describe('Needed for insert; for replace: makes it a cell of this type.'),
    edit_mode: z.enum(['replace', 'insert', 'delete']).optional().describe('Default: replace.'),
  }),
  access: 'edit',
  concurrencySafe: false,
  async plan(input, context) {
    const file = await locateFile(input.notebook_path, context);
    const before = await readBeforeChange(file, context);
    if (before.text === undefined) throw await fileNotFound(file, context);
    const newId = crypto.randomUUID().slice(0, 8);
    const outcome = editNotebook(before.text, { mode: input.edit_mode ?? 'replace', cellId: input.cell_id, cellType: input.cell_type, source: input.new_source, newId });
    if (!outcome.ok) throw new TurnstoneError('invalid_input', `${file.shown} was not changed: ${outcome.message}.`);
    return planFileChange(before, outcome.text, context);
  },
  run: (call, context) => runFileChange(call.plan.state, call.writes?.[0], context),
});
