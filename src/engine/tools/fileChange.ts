import { throwIfAborted } from '../../base/abort.ts';
import { errorText, systemErrorCode, TurnstoneError } from '../../base/errors.ts';
import { plural } from '../../base/text.ts';
import type { Proposal } from '../../protocol/fileChange.ts';
import type { ToolProgress } from '../../protocol/messages.ts';
import { hasByteEscapes, shownText } from '../text/byteEscapes.ts';
import { encodeText, encodingLabel, notTextError } from '../text/encoding.ts';
import type { TextEncoding } from '../text/encoding.ts';
import { withLineEndingsOf, withLineFeeds } from '../text/lineEndings.ts';
import { unifiedDiff } from '../text/unifiedDiff.ts';
import { encodingForNew, readCurrentContent, seenFrom } from './currentContent.ts';
import type { LocatedFile } from './locateFile.ts';
import { snippetAround } from './snippet.ts';
import { keepByteEscapes } from './keepByteEscapes.ts';
import { recordedCall } from './tool.ts';
import type { ToolContext, ToolOutcome, ToolPlan } from './tool.ts';

/** What a file holds before a change, and how it is stored. */
export interface FileBefore {
  readonly file: LocatedFile;
  /** undefined when it does not exist. */
  readonly text: string | undefined;
  readonly hash: string | undefined;
  readonly encoding: TextEncoding;
}

export interface FileChangeState {
  readonly before: FileBefore;
  readonly proposal: Proposal;
  /** For the model, where the change is not quite what it asked for. */
  readonly note?: string | undefined;
}

const byteOrderMark = '\ufeff';
/** Stands for bytes that are no text wherever a text is shown. */
const replacementCharacter = '\ufffd';

/**
 * Looks at a file that is to be changed. Throws, with what to do, when it is no text, or when the model does not know
 * what it holds now. A file that is missing or empty needs no reading: nothing can be lost. `mustBeRead: false` is for
 * changes that do not come out of the model's memory.
 */
export async function readBeforeChange(file: LocatedFile, context: ToolContext, options: { readonly mustBeRead?: boolean } = {}): Promise<FileBefore> {
  const content = await readCurrentContent(file.openPath, context, context.readFileState.get(file.targetPath)?.encoding);
  if (content.kind === 'absent') return { file, text: undefined, hash: undefined, encoding: encodingForNew(file.path, context) };
  if (content.kind === 'folder') throw new TurnstoneError('invalid_input', `${file.shown} is a folder, not a file.`);
  if (content.kind === 'other') throw new TurnstoneError('invalid_input', `${file.shown} is a device or a pipe, not a file.`);
  if (content.kind === 'binary') throw notTextError(file.shown);
  if (content.isMisread) throw misreadError(file, content.encoding);
  if (content.text !== '' && options.mustBeRead !== false) requireFresh(file, content.hash, context);
  return { file, text: content.text, hash: content.hash, encoding: content.encoding };
}

/** Makes the plan of a change. Rejects when nothing would change, or when the file's encoding cannot hold the text. `note` goes with the result. */
export async function planFileChange(before: FileBefore, after: string, context: ToolContext, note?: string): Promise<ToolPlan<FileChangeState>> {
  const { file, text } = before;
  if (after === text) throw new TurnstoneError('invalid_input', `${file.shown} already holds exactly this text. Nothing was changed.`);
  const stored = withoutMark(after, before);
  if (before.encoding.hasEscapes && after.split(replacementCharacter).length > (text ?? '').split(replacementCharacter).length) throw unreadableError(file);
  await encodeText(stored.text, stored.encoding, context.encodings);
  const proposal: Proposal = { path: file.path, targetPath: file.targetPath, before: text, after: stored.text };
  return { title: file.shown, paths: [file.path], proposal, state: { before: { ...before, encoding: stored.encoding }, proposal, note } };
}

/**
 * Writes what was accepted, if the file still is what the proposal was made from. What the file holds afterwards is
 * read back and told, whoever changed it: the user in the review, or a formatter on saving.
 */
export async function* runFileChange(state: FileChangeState, finalText: string | undefined, context: ToolContext): AsyncGenerator<ToolProgress, ToolOutcome, void> {
  const { proposal, before } = state;
  const accepted = acceptedText(proposal, finalText);
  if (accepted === undefined) return failure(unreadableError(before.file).modelMessage);
  if (await changedSincePlan(before, context)) {
    return failure(`${before.file.shown} changed while this proposal waited. Nothing was written. Read it again, then make the change to what it holds now.`);
  }
  throwIfAborted(context.signal);
  await context.fileHistory.beforeWrite(proposal.targetPath, recordedCall(context));
  try {
    await write(before, accepted, context);
  } catch (error) {
    return failure(notWritten(before.file, error));
  } finally {
    await context.fileHistory.afterWrite(proposal.targetPath, recordedCall(context));
  }
  return tell(state, accepted, context);
}

function requireFresh(file: LocatedFile, hash: string, context: ToolContext): void {
  const freshness = context.readFileState.check(file.targetPath, hash);
  if (freshness === 'never-read') {
    throw new TurnstoneError('stale_file', `${file.shown} was not read yet. Nothing was changed. Read it first, then change it.`);
  }
  if (freshness === 'changed') {
    throw new TurnstoneError('stale_file', `${file.shown} was changed since you read it, by the user or by another program. Nothing was changed. Read it again, then make the change to what it holds now.`);
  }
}

function misreadError(file: LocatedFile, encoding: TextEncoding): TurnstoneError {
  return new TurnstoneError(
    'not_text',
    `${file.shown} is open with unsaved changes in an encoding that it is not stored in (it looks like ${encodingLabel(encoding)}), so saving it would damage it. Nothing was changed. Ask the user to revert it in the editor, or to reopen it with its encoding.`,
  );
}

function unreadableError(file: LocatedFile): TurnstoneError {
  return new TurnstoneError(
    'not_text',
    `Some bytes of ${file.shown} are no text; they are shown as ${replacementCharacter} and can't be written that way. Nothing was changed. Change the lines around them, and choose old_string and new_string so that neither has that character.`,
  );
}

/** A mark at the start says how the file is to be stored; only a file that has two has one in its text. */
function withoutMark(text: string, before: FileBefore): { readonly text: string; readonly encoding: TextEncoding } {
  if (!text.startsWith(byteOrderMark) || before.text?.startsWith(byteOrderMark)) return { text, encoding: before.encoding };
  return { text: text.slice(1), encoding: { ...before.encoding, bom: true } };
}

/** An editor's document has one kind of line end only: where the proposal has both, they are put back line by line. */
function acceptedText(proposal: Proposal, finalText: string | undefined): string | undefined {
  if (finalText === undefined || finalText === proposal.after) return proposal.after;
  if (hasByteEscapes(proposal.after)) return keepByteEscapes(proposal.after, finalText);
  const feeds = proposal.after.split('\n').length - 1;
  const windows = proposal.after.split('\r\n').length - 1;
  const isMixed = windows > 0 && windows < feeds;
  return isMixed ? withLineEndingsOf(proposal.after, withLineFeeds(finalText)) : finalText;
}

/** Whether the file is no longer what a proposal was made from. */
export async function changedSincePlan(before: FileBefore, context: ToolContext): Promise<boolean> {
  if ((await context.files.realpath(before.file.path)) !== before.file.targetPath) return true;
  const openPath = context.documents.unsavedText(before.file.path) === undefined ? before.file.targetPath : before.file.path;
  const now = await readCurrentContent(openPath, context, before.encoding.name);
  if (now.kind === 'absent') return before.text !== undefined;
  return now.kind !== 'text' || now.text !== before.text;
}

async function write(before: FileBefore, text: string, context: ToolContext): Promise<void> {
  const { file } = before;
  if (await context.documents.write(file.path, text)) return;
  if (file.targetPath !== file.path && (await context.documents.write(file.targetPath, text))) return;
  const stored = withoutMark(text, before);
  await context.files.writeFile(file.targetPath, await encodeText(stored.text, stored.encoding, context.encodings));
}

function notWritten(file: LocatedFile, error: unknown): string {
  const code = systemErrorCode(error);
  const why = code === 'EACCES' || code === 'EPERM' || code === 'EROFS' ? 'there is no permission to write it' : code === 'ENOSPC' ? 'the disk is full' : errorText(error);
  return `${file.shown} could not be written: ${why}. It holds what it held before.`;
}

function failure(content: string): ToolOutcome {
  return { content, isError: true };
}

async function tell(state: FileChangeState, accepted: string, context: ToolContext): Promise<ToolOutcome> {
  const { proposal, note, before: { file, encoding } } = state;
  const now = await readCurrentContent(file.targetPath, context, encoding.name);
  if (now.kind !== 'text') {
    context.readFileState.forget(file.targetPath);
    return failure(`${file.shown} was written, but another program replaced or removed it at once. Look at it again.`);
  }
  const beforeText = proposal.before ?? '';
  const change = unifiedDiff(beforeText, now.text);
  const byUser = unifiedDiff(proposal.after, accepted);
  const onSaving = unifiedDiff(accepted, now.text);
  if (byUser.isCut || onSaving.isCut) context.readFileState.forget(file.targetPath);
  else context.readFileState.record(file.targetPath, { ...seenFrom(now, context), whole: context.readFileState.get(file.targetPath)?.whole ?? true });
  const kind = proposal.before === undefined ? 'create' : 'modify';
  return {
    content: [
      kind === 'create' ? `Created ${file.shown} (${plural(change.linesAdded, 'line')}).` : `Changed ${file.shown}: ${plural(change.linesAdded, 'line')} added, ${change.linesRemoved} removed.`,
      ...(note === undefined ? [] : [note]),
      ...(byUser.text === '' ? [] : [`The user changed your proposal before accepting it. The file holds the user's version; keep it. From your proposal to theirs:\n${byUser.text}`]),
      ...(onSaving.text === '' ? [] : [`The file was changed further when it was saved, for example by a formatter. From what was written to what it holds now:\n${onSaving.text}`]),
      ...(byUser.isCut || onSaving.isCut ? ['This was too much to show. Read the file again before you change it.'] : []),
      ...(kind === 'create' ? [] : [snippetAround(now.text, change.hunks)]),
    ].filter(Boolean).map(shownText).join('\n'),
    result: {
      kind: 'edit',
      change: { path: file.path, kind, linesAdded: change.linesAdded, linesRemoved: change.linesRemoved, diff: shownText(change.text), ...(byUser.text !== '' && { userDiff: shownText(byUser.text) }) },
    },
  };
}
