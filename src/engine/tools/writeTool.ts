import * as z from 'zod';
import { withLineEndingsOf } from '../text/lineEndings.ts';
import { planFileChange, readBeforeChange, runFileChange } from './fileChange.ts';
import { locateFile } from './locateFile.ts';
import { defineTool } from './tool.ts';

export const writeTool = defineTool({
  name: 'Write',
  description: [
    'Writes a whole file: makes a new one, with its folders, or replaces all that an existing one holds.',
    'An existing file must have been read with Read first. To change a part of a file use Edit instead.',
    'The text is written exactly as given, trailing white space included. An existing file keeps its encoding, byte order mark and line ends: write plain \\n.',
    'The user may change the text before accepting it; the result then says how.',
  ].join('\n'),
  input: () => z.object({
    file_path: z.string().min(1).describe('Path of the file, absolute or relative to the working folder.'),
    content: z.string().describe('The whole new text of the file.'),
  }),
  access: 'edit',
  concurrencySafe: false,
  async plan(input, context) {
    const before = await readBeforeChange(await locateFile(input.file_path, context), context);
    return planFileChange(before, before.text === undefined ? input.content : withLineEndingsOf(before.text, input.content), context);
  },
  run: (call, context) => runFileChange(call.plan.state, call.writes?.[0], context),
});
