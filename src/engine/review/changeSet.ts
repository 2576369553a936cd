import { errorText } from '../../base/errors.ts';
import { displayPath } from '../../base/paths.ts';
import type { HunkVerdict, Proposal } from '../../protocol/fileChange.ts';
import type { PermissionAnswer } from '../../protocol/permissions.ts';
import { acceptedText, unreadableText } from '../tools/fileChange.ts';
import { encodeText, utf8 } from '../text/encoding.ts';
import type { TextEncoding } from '../text/encoding.ts';
import type { SetFile, SetRecording, ToolContext, ToolOutcome } from '../tools/tool.ts';
import { hunksBetween, hunkVerdicts } from './hunks.ts';
import { planWrites } from './planWrites.ts';
import type { AcceptedWrite, WriteStep } from './planWrites.ts';

export type Allowed = Extract<PermissionAnswer, { behavior: 'allow' }>;

/** One edit call that the user has decided. */
export interface DecidedCall {
  readonly proposals: readonly Proposal[];
  /** One for each proposal, or undefined when the call was refused. */
  readonly answers: readonly Allowed[] | undefined;
  /** How the files are, or will be, stored. */
  readonly encoding?: TextEncoding | undefined;
  /** A command of the same answer runs before it is written, and may have changed the file in its own way. */
  readonly followsCommand?: boolean | undefined;
  run(writes: readonly AcceptedWrite[]): Promise<ToolOutcome>;
}

/** What a decided call comes to. */
export type PlannedCall =
  | { readonly kind: 'refused' }
  | { readonly kind: 'write'; readonly writes: readonly PlacedWrite[]; readonly encoding: TextEncoding | undefined; run(): Promise<ToolOutcome> }
  /** Nothing is written for it, and why. */
  | { readonly kind: 'settled'; readonly outcome: ToolOutcome };

interface PlacedWrite extends AcceptedWrite {
  /** Absolute, links resolved. */
  readonly path: string;
}

interface Edit {
  readonly call: number;
  readonly proposal: Proposal;
  readonly answer: Allowed | undefined;
  readonly accepted: string | undefined;
  step: WriteStep;
}

/** Works out what is written for the edits of one answer, file by file. Changes nothing. */
export function planChangeSet(calls: readonly DecidedCall[], cwd: string): PlannedCall[] {
  const edits = calls.flatMap(({ proposals, answers }, call) =>
    proposals.map((proposal, index): Edit => {
      const answer = answers?.[index];
      const accepted = answer && acceptedText(answer.rebased ?? proposal, answer.finalText);
      return { call, proposal, answer, accepted, step: { kind: 'refused' } };
    }),
  );
  for (const path of new Set(edits.map(({ proposal }) => proposal.targetPath))) {
    const own = edits.filter(({ proposal }) => proposal.targetPath === path);
    const steps = planWrites(own.map(({ proposal, accepted, answer }) => ({ proposal, accepted, rebased: answer?.rebased })));
    for (const [index, edit] of own.entries()) edit.step = steps[index]!;
  }
  return calls.map((call, index) => plannedCall(call, edits.filter((edit) => edit.call === index), cwd));
}

function plannedCall(call: DecidedCall, edits: readonly Edit[], cwd: string): PlannedCall {
  if (!call.answers) return { kind: 'refused' };
  const shown = displayPath(cwd, edits[0]?.proposal.path ?? '');
  const settled = (content: string, isError: boolean): PlannedCall => ({ kind: 'settled', outcome: { content, isError } });
  if (edits.some(({ accepted }) => accepted === undefined)) return settled(unreadableText(shown), true);
  if (edits.some(({ step }) => step.kind === 'unfit')) {
    return settled(`Not made: it builds on an earlier edit of this message that the user rejected or changed, and does not fit ${shown} without it. Nothing of it was written.`, true);
  }
  const follows = call.followsCommand === true ? { follows: true } : {};
  const writes = edits.flatMap(({ proposal, step, answer }) => (step.kind === 'write' ? [{ ...step, ...follows, path: proposal.targetPath, hunks: verdictsOf(step, answer) }] : []));
  if (writes.length < edits.length) return settled(`Nothing had to be written for this: ${shown} holds what the user accepted, together with the other edits of this message.`, false);
  return { kind: 'write', writes, encoding: call.encoding, run: () => call.run(writes) };
}

/** Undefined where the proposal was taken as it was. */
function verdictsOf({ from = '', proposed, to }: AcceptedWrite, answer: Allowed | undefined): HunkVerdict[] | undefined {
  const reasons = new Map((answer?.hunkReasons ?? []).map(({ hunk, reason }) => [hunk, reason]));
  if (proposed === to && reasons.size === 0) return undefined;
  const verdicts = hunkVerdicts(from, proposed, to);
  return hunksBetween(from, proposed).map(({ newStart, newCount }, index) => ({
    firstLine: newStart + 1,
    lineCount: newCount,
    verdict: verdicts[index]!,
    ...(reasons.has(index) && { reason: reasons.get(index) }),
  }));
}

/**
 * Writes everything that was accepted, in order, or nothing: when one write fails, those before it are taken back, and a
 * process that dies among them leaves that to the next one. Returns the outcome of each call, undefined for one that was
 * refused. Never rejects for what the file system did.
 */
export async function writeChangeSet(planned: readonly PlannedCall[], context: Omit<ToolContext, 'signal' | 'toolUseId'>): Promise<(ToolOutcome | undefined)[]> {
  const { readFileState, fileHistory } = context;
  const files = await filesOf(planned, context);
  if (files.length === 0) return planned.map(settledOnly);
  const seen = new Map(files.map(({ path }) => [path, readFileState.get(path)]));
  let set: SetRecording;
  try {
    set = await fileHistory.beginSet(files);
  } catch (thrown) {
    return planned.map((call) => (call.kind === 'write' ? unexpected(thrown) : settledOnly(call)));
  }
  const outcomes: (ToolOutcome | undefined)[] = [];
  for (const call of planned) {
    const outcome = call.kind === 'write' ? await call.run().catch(unexpected) : settledOnly(call);
    outcomes.push(outcome);
    if (call.kind !== 'write' || !outcome?.isError) continue;
    const left = await set.takeBack();
    for (const [path, known] of seen) if (known) readFileState.record(path, known);
    else readFileState.forget(path);
    const count = planned.filter(({ kind }) => kind === 'write').length;
    return count === 1 && left.length === 0 ? outcomes.concat(planned.slice(outcomes.length).map(settledOnly)) : planned.map((each) => (each.kind === 'write' ? (each === call ? withRest(outcome, left) : notKept(outcome, left)) : settledOnly(each)));
  }
  set.end();
  return outcomes;
}

/** What each path will hold after each of its writes; one that its encoding can't hold will not be written. */
async function filesOf(planned: readonly PlannedCall[], { digest, encodings }: Pick<ToolContext, 'digest' | 'encodings'>): Promise<SetFile[]> {
  const hashes = new Map<string, string[]>();
  for (const call of planned) {
    if (call.kind !== 'write') continue;
    for (const { path, to } of call.writes) {
      const hash = await encodeText(to, call.encoding ?? utf8, encodings).then((bytes) => digest.sha256(bytes), () => '');
      hashes.set(path, [...(hashes.get(path) ?? []), hash]);
    }
  }
  return [...hashes].map(([path, each]) => ({ path, hashes: each }));
}

function settledOnly(call: PlannedCall): ToolOutcome | undefined {
  return call.kind === 'settled' ? call.outcome : undefined;
}

function unexpected(thrown: unknown): ToolOutcome {
  return { content: `It could not be written: ${errorText(thrown)}`, isError: true };
}

type Left = readonly { readonly path: string; readonly reason: string }[];

function withRest(outcome: ToolOutcome, left: Left): ToolOutcome {
  return { ...outcome, content: `${String(outcome.content)}${leftText(left) || '\nThe edits of this message that were to be written together with it were taken back, so that none of them is made without the others.'}` };
}

function notKept(cause: ToolOutcome, left: Left): ToolOutcome {
  return { content: `Nothing of this is in the file: another edit of the same message could not be written, so those that were to be written together with it were taken back. That one said: ${String(cause.content).split('\n')[0]}${leftText(left)}`, isError: true };
}

function leftText(left: Left): string {
  return left.length === 0 ? '' : `\nNot all could be taken back; look at these files again: ${left.map(({ path, reason }) => `${path} (${reason})`).join('; ')}`;
}
