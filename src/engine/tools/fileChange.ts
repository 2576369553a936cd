import { errorText, systemErrorCode, TurnstoneError } from '../../base/errors.ts';
import { plural } from '../../base/text.ts';
import type { HunkVerdict, Proposal } from '../../protocol/fileChange.ts';
import type { ToolProgress } from '../../protocol/messages.ts';
import { mergeUserChanges } from '../fileHistory/mergeUserChanges.ts';
import type { AcceptedWrite } from '../review/planWrites.ts';
import { rebaseProposal } from '../review/rebaseProposal.ts';
import { hasByteEscapes, shownText } from '../text/byteEscapes.ts';
import { encodeText, encodingLabel, notTextError } from '../text/encoding.ts';
import type { TextEncoding } from '../text/encoding.ts';
import { withLineEndingsOf, withLineFeeds } from '../text/lineEndings.ts';
import { unifiedDiff } from '../text/unifiedDiff.ts';
import { encodingForNew, hashText, readCurrentContent, seenFrom } from './currentContent.ts';
import type { ContentPorts } from './currentContent.ts';
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
  const proposed = context.proposedFiles?.get(file.targetPath);
  // The model knows what it has just proposed itself.
  if (proposed) return { file, text: proposed.text, hash: hashText(proposed.text, context), encoding: proposed.encoding };
  const content = await readCurrentContent(file.openPath, context, { encoding: context.readFileState.get(file.targetPath)?.encoding });
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
  const state = { before: { ...before, encoding: stored.encoding }, proposal, note };
  return { title: file.shown, paths: [file.path], realPaths: [file.targetPath], proposal, encoding: stored.encoding, rebase: rebaseIn([state], context), state };
}

/** For the plan of a tool that makes these changes. */
export function rebaseIn(states: readonly FileChangeState[], context: ContentPorts): NonNullable<ToolPlan<unknown>['rebase']> {
  return async (shown, right) => {
    const state = states.find(({ proposal }) => proposal.targetPath === shown.targetPath);
    const now = state && (await contentNow(state.before, context));
    const accepted = acceptedText(shown, right);
    if (!now || now === 'other' || accepted === undefined) return { kind: 'gone', proposal: shown };
    return rebaseProposal(shown, accepted, now.text);
  };
}

/**
 * Writes what was accepted, if the file still is what it was accepted for. What the file holds afterwards is read back
 * and told, whoever changed it: the user in the review, or a formatter on saving. Without `write` the proposal is taken
 * as it is.
 */
export async function* runFileChange(state: FileChangeState, write: AcceptedWrite = asProposed(state), context: ToolContext): AsyncGenerator<ToolProgress, ToolOutcome, void> {
  const { proposal, before } = state;
  const now = await contentNow(before, context);
  const fitting = now === 'other' ? undefined : onWhatIsThere(write, now.text);
  if (now === 'other' || !fitting) return failure(`${before.file.shown} changed while this proposal waited. Nothing was written. Read it again, then make the change to what it holds now.`);
  const isAsPlanned = now.text === before.text;
  await context.fileHistory.beforeWrite(proposal.targetPath, recordedCall(context));
  try {
    await store(isAsPlanned ? before : { ...before, ...now }, fitting.to, context);
  } catch (error) {
    return failure(notWritten(before.file, error));
  } finally {
    await context.fileHistory.afterWrite(proposal.targetPath, recordedCall(context));
  }
  return tell(state, fitting, context);
}

export function asProposed({ proposal }: FileChangeState): AcceptedWrite {
  return { from: proposal.before, proposed: proposal.after, to: proposal.after };
}

/** Undefined where both changed the same lines, or the write allows no change by others. */
function onWhatIsThere(write: AcceptedWrite, now: string | undefined): AcceptedWrite | undefined {
  const { from, proposed, to, follows } = write;
  if (now === from) return write;
  if (!follows || from === undefined || now === undefined) return undefined;
  const merged = mergeUserChanges({ base: from, present: now, target: to });
  if (merged.conflicts.length > 0) return undefined;
  // What others changed is not the user's doing.
  const mergedProposal = proposed === to ? merged : mergeUserChanges({ base: from, present: now, target: proposed });
  return { ...write, from: now, proposed: mergedProposal.conflicts.length > 0 ? proposed : mergedProposal.text, to: merged.text };
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
  return new TurnstoneError('not_text', unreadableText(file.shown));
}

export function unreadableText(shown: string): string {
  return `Some bytes of ${shown} are no text; they are shown as ${replacementCharacter} and can't be written that way. Nothing was changed. Change the lines around them, and choose old_string and new_string so that neither has that character.`;
}

/** A mark at the start says how the file is to be stored; only a file that has two has one in its text. */
function withoutMark(text: string, before: FileBefore): { readonly text: string; readonly encoding: TextEncoding } {
  if (!text.startsWith(byteOrderMark) || before.text?.startsWith(byteOrderMark)) return { text, encoding: before.encoding };
  return { text: text.slice(1), encoding: { ...before.encoding, bom: true } };
}

/**
 * What a review gave back, as it is to be written; undefined when bytes that are no text got lost in it. An editor's
 * document has one kind of line end only: where the proposal has both, they are put back line by line.
 */
export function acceptedText(proposal: Proposal, finalText: string | undefined): string | undefined {
  if (finalText === undefined || finalText === proposal.after) return proposal.after;
  if (hasByteEscapes(proposal.after)) return keepByteEscapes(proposal.after, finalText);
  // One that has both comes from a host that has put them back itself.
  return hasBothEnds(proposal.after) && !hasBothEnds(finalText) ? withLineEndingsOf(proposal.after, withLineFeeds(finalText)) : finalText;
}

function hasBothEnds(text: string): boolean {
  const windows = text.split('\r\n').length - 1;
  return windows > 0 && windows < text.split('\n').length - 1;
}

/** What the file holds now; 'other' when it is no text any more, or another file goes by its name. */
export async function contentNow(before: FileBefore, context: ContentPorts): Promise<Pick<FileBefore, 'text' | 'encoding'> | 'other'> {
  if ((await context.files.realpath(before.file.path)) !== before.file.targetPath) return 'other';
  const openPath = context.documents.unsavedText(before.file.path) === undefined ? before.file.targetPath : before.file.path;
  const now = await readCurrentContent(openPath, context, { encoding: before.encoding.name });
  if (now.kind === 'absent') return { text: undefined, encoding: before.encoding };
  return now.kind === 'text' && !now.isMisread ? { text: now.text, encoding: now.encoding } : 'other';
}

async function store(before: FileBefore, text: string, context: ToolContext): Promise<void> {
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

async function tell(state: FileChangeState, { from, proposed, to, hunks }: AcceptedWrite, context: ToolContext): Promise<ToolOutcome> {
  const { proposal, note, before: { file, encoding } } = state;
  const now = await readCurrentContent(file.targetPath, context, { encoding: encoding.name });
  if (now.kind !== 'text') {
    context.readFileState.forget(file.targetPath);
    return failure(`${file.shown} was written, but another program replaced or removed it at once. Look at it again.`);
  }
  const byOthers = unifiedDiff(proposal.before ?? '', from ?? '');
  const change = unifiedDiff(from ?? '', now.text);
  const byUser = unifiedDiff(proposed, to);
  const onSaving = unifiedDiff(to, now.text);
  const isCut = byOthers.isCut || byUser.isCut || onSaving.isCut;
  if (isCut) context.readFileState.forget(file.targetPath);
  else context.readFileState.record(file.targetPath, { ...seenFrom(now, context), whole: context.readFileState.get(file.targetPath)?.whole ?? true });
  const kind = from === undefined ? 'create' : 'modify';
  return {
    content: [
      kind === 'create' ? `Created ${file.shown} (${plural(change.linesAdded, 'line')}).` : `Changed ${file.shown}: ${plural(change.linesAdded, 'line')} added, ${change.linesRemoved} removed.`,
      ...(note === undefined ? [] : [note]),
      ...(byOthers.text === '' ? [] : [`It was no longer what you knew when this was written, so your change was merged into it. From what you knew to what it held then:\n${byOthers.text}`]),
      ...hunkLines(hunks),
      ...(byUser.text === '' ? [] : [`The user changed your proposal before accepting it. The file holds the user's version; keep it. From your proposal to theirs:\n${byUser.text}`]),
      ...(onSaving.text === '' ? [] : [`The file was changed further when it was saved, for example by a formatter. From what was written to what it holds now:\n${onSaving.text}`]),
      ...(isCut ? ['This was too much to show. Read the file again before you change it.'] : []),
      ...(kind === 'create' ? [] : [snippetAround(now.text, change.hunks)]),
    ].filter(Boolean).map(shownText).join('\n'),
    result: {
      kind: 'edit',
      change: { path: file.path, kind, linesAdded: change.linesAdded, linesRemoved: change.linesRemoved, diff: shownText(change.text), ...(byUser.text !== '' && { userDiff: shownText(byUser.text) }), ...(isMoreThanAccepted(hunks) && { hunks }) },
    },
  };
}

function isMoreThanAccepted(hunks: readonly HunkVerdict[] = []): boolean {
  return hunks.some(({ verdict, reason }) => verdict !== 'accepted' || reason !== undefined);
}

/** In the order of the proposal, where the user did more than to accept it. */
function hunkLines(hunks: readonly HunkVerdict[] = []): string[] {
  if (!isMoreThanAccepted(hunks)) return [];
  const words = { accepted: 'accepted', rejected: 'rejected', edited: 'changed by the user' };
  const lines = hunks.map(({ firstLine, lineCount, verdict, reason }) => {
    const place = lineCount === 0 ? `before line ${firstLine} (lines removed)` : lineCount === 1 ? `line ${firstLine}` : `lines ${firstLine}-${firstLine + lineCount - 1}`;
    return `- ${place} of your proposal: ${words[verdict]}${reason === undefined ? '' : `. They say: ${reason}`}`;
  });
  return [`The user decided about each part of it:\n${lines.join('\n')}`];
}
