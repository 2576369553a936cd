import * as z from 'zod';
import { TurnstoneError } from '../../base/errors.ts';
import { plural } from '../../base/text.ts';
import type { FileChange } from '../../protocol/fileChange.ts';
import type { CodeEdit } from '../ports.ts';
import type { AcceptedWrite } from '../review/planWrites.ts';
import { applyRangeEdits } from '../text/textEdits.ts';
import { codePlaceFields, findCodePlace, languageServicesOf } from './codePlace.ts';
import { asProposed, contentNow, planFileChange, readBeforeChange, rebaseIn, runFileChange } from './fileChange.ts';
import type { FileChangeState } from './fileChange.ts';
import { locateFile } from './locateFile.ts';
import { defineTool } from './tool.ts';
import type { ToolContext } from './tool.ts';

export const renameTool = defineTool({
  name: 'Rename',
  description: [
    "Renames a variable, function, class or other name everywhere it is used, by the editor's language services. The files need not have been read.",
    'Each file is reviewed by the user; nothing is written unless all of them are accepted.',
  ].join('\n'),
  input: () => z.object({ ...codePlaceFields(), new_name: z.string().min(1).describe('The new name.') }),
  access: 'edit',
  needs: 'languageServices',
  concurrencySafe: false,
  standsAlone: true,
  async plan(input, context) {
    const place = await findCodePlace(input, context);
    const edits = await languageServicesOf(context).rename(place.position, input.new_name, context.signal);
    const states = await planFiles(edits, context);
    if (states.length === 0) throw new TurnstoneError('invalid_input', `Nothing was changed: no place is known where ${place.title} would be renamed.`);
    return {
      title: `${input.symbol ?? place.title} → ${input.new_name} in ${plural(states.length, 'file')}`,
      paths: states.map(({ proposal }) => proposal.path),
      proposals: states.map(({ proposal }) => proposal),
      rebase: rebaseIn(states, context),
      state: states,
    };
  },
  async *run({ plan: { state: states }, writes = states.map(asProposed) }, context) {
    for (const [index, { before }] of states.entries()) {
      const now = await contentNow(before, context);
      if (now === 'other' || now.text !== writes[index]?.from) return { content: `Nothing was renamed: ${before.file.shown} changed while the proposal waited. Try again.`, isError: true };
    }
    const told: string[] = [];
    const changes: FileChange[] = [];
    let failed = false;
    for (const [index, state] of states.entries()) {
      const outcome = yield* changeUnread(state, writes[index], context);
      told.push(String(outcome.content).split('\nIt now reads:')[0]!);
      if (outcome.result?.kind === 'edit') changes.push(outcome.result.change);
      failed ||= outcome.isError === true;
    }
    return { content: told.join('\n'), isError: failed, result: { kind: 'edits', changes } };
  },
});

async function planFiles(edits: readonly CodeEdit[], context: ToolContext): Promise<FileChangeState[]> {
  const byPath = new Map<string, CodeEdit[]>();
  for (const edit of edits) byPath.set(edit.path, [...(byPath.get(edit.path) ?? []), edit]);
  const states: FileChangeState[] = [];
  for (const [path, own] of byPath) {
    const file = await locateFile(path, context);
    const before = await readBeforeChange(file, context, { mustBeRead: false });
    const after = before.text === undefined ? undefined : applyRangeEdits(before.text, own);
    if (after === undefined) throw new TurnstoneError('stale_file', `Nothing was changed: the language services know another text of ${file.shown} than it holds now. Save it and try again.`);
    if (after !== before.text) states.push((await planFileChange(before, after, context)).state);
  }
  return states;
}

/** What the model has not read it does not know afterwards either. */
async function* changeUnread(state: FileChangeState, write: AcceptedWrite | undefined, context: ToolContext): ReturnType<typeof runFileChange> {
  const { targetPath } = state.before.file;
  const wasKnown = context.readFileState.check(targetPath, state.before.hash ?? '') === 'fresh';
  try {
    return yield* runFileChange(state, write, context);
  } finally {
    if (!wasKnown) context.readFileState.forget(targetPath);
  }
}
