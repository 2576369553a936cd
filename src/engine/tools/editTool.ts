import * as z from 'zod';
import { TurnstoneError } from '../../base/errors.ts';
import { applyEdit } from '../text/editMatch.ts';
import { planFileChange, readBeforeChange, runFileChange } from './fileChange.ts';
import { fileNotFound, locateFile } from './locateFile.ts';
import { defineTool } from './tool.ts';

export const editTool = defineTool({
  name: 'Edit',
  description: [
    'Replaces text in a file, exactly. The file must have been read with Read first.',
    'old_string is the text as Read shows it, without line numbers and the tab after them, with all its white space. It must fit one place only: add surrounding lines until it does, or set replace_all.',
    'Line ends are taken care of: write plain \\n. Everything outside of old_string stays byte for byte as it is.',
    'An empty old_string makes a new file or fills an empty one.',
    'The user may change the proposal before accepting it; the result then says how.',
  ].join('\n'),
  input: () => z.object({
    file_path: z.string().min(1).describe('Path of the file, absolute or relative to the working folder.'),
    old_string: z.string().describe('The text to replace.'),
    new_string: z.string().describe('The text to put in its place; empty to delete it.'),
    replace_all: z.boolean().optional().describe('Replace every place where old_string stands. Default: false.'),
  }),
  access: 'edit',
  concurrencySafe: false,
  async plan(input, context) {
    const file = await locateFile(input.file_path, context);
    const before = await readBeforeChange(file, context);
    if (before.text === undefined && input.old_string !== '') throw await fileNotFound(file, context);
    if (before.text === undefined) return planFileChange(before, input.new_string, context);
    const edit = { oldString: input.old_string, newString: input.new_string, replaceAll: input.replace_all ?? false };
    const outcome = applyEdit(before.text, edit);
    if (!outcome.ok) throw new TurnstoneError('invalid_input', `${file.shown}: ${outcome.message}`);
    return planFileChange(before, outcome.text, context, outcome.note);
  },
  run: (call, context) => runFileChange(call.plan.state, call.writes?.[0], context),
});
