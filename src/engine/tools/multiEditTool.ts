import * as z from 'zod';
import { TurnstoneError } from '../../base/errors.ts';
import { applyEdit } from '../text/editMatch.ts';
import { planFileChange, readBeforeChange, runFileChange } from './fileChange.ts';
import { fileNotFound, locateFile } from './locateFile.ts';
import { defineTool } from './tool.ts';

export const multiEditTool = defineTool({
  name: 'MultiEdit',
  description: [
    'Makes several replacements in one file, as one change that is reviewed at once. The file must have been read with Read first.',
    'The edits are made in order, each on what the one before left; the rules of Edit hold for each. When one of them does not fit, none is made.',
    'To make a new file, give an empty old_string in the first edit.',
  ].join('\n'),
  input: () => z.object({
    file_path: z.string().min(1).describe('Path of the file, absolute or relative to the working folder.'),
    edits: z
      .array(
        z.object({
          old_string: z.string().describe('The text to replace.'),
          new_string: z.string().describe('The text to put in its place; empty to delete it.'),
          replace_all: z.boolean().optional().describe('Replace every place where old_string stands. Default: false.'),
        }),
      )
      .min(1)
      .describe('The replacements, in the order in which they are made.'),
  }),
  access: 'edit',
  concurrencySafe: false,
  async plan(input, context) {
    const file = await locateFile(input.file_path, context);
    const before = await readBeforeChange(file, context);
    if (before.text === undefined && input.edits[0]?.old_string !== '') throw await fileNotFound(file, context);
    let text = before.text ?? '';
    const notes: string[] = [];
    for (const [index, edit] of input.edits.entries()) {
      const outcome = applyEdit(text, { oldString: edit.old_string, newString: edit.new_string, replaceAll: edit.replace_all ?? false });
      if (!outcome.ok) throw new TurnstoneError('invalid_input', `${file.shown}, edit ${index + 1} of ${input.edits.length}: ${outcome.message} None of the edits was made.`);
      text = outcome.text;
      if (outcome.note !== undefined) notes.push(`Edit ${index + 1}: ${outcome.note}`);
    }
    return planFileChange(before, text, context, notes.length > 0 ? notes.join('\n') : undefined);
  },
  run: (call, context) => runFileChange(call.plan.state, call.writes?.[0], context),
});
