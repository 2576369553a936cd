import { relative } from 'node:path';
import { TurnstoneError } from '../base/errors.ts';
import { cutText, inSeconds, plural } from '../base/text.ts';
import type { RewindChoice, RewindFile, RewindOutcome, RewindPlan } from '../protocol/rewind.ts';
import type { Session } from '../sdk/index.ts';
import type { CommandHost } from './commandHost.ts';
import { openSession } from './openSession.ts';
import { ownCommand } from './ownCommand.ts';
import type { RewindArguments } from './parseArguments.ts';

type FileChoice = Omit<RewindChoice, 'scope'>;

/** Puts the files (and the conversation, if asked) back to a user message, or takes that back, or makes it again, and prints what it did. */
export async function goBack(args: RewindArguments, host: CommandHost): Promise<number> {
  const endpoint = { apiKey: async () => undefined, apiKeySource: 'none' };
  const session = await openSession(args.session, { endpoint, canUseTool: async () => ({ behavior: 'deny', byUser: false }) }, host);
  // A rewind is finished once it has begun: a stop signal only sets the exit code.
  host.signals.callOnStop(() => {});
  try {
    const plan = await planOf(args, session);
    await sayDoubts(plan, args, { host, cwd: session.cwd });
    const { choice, undecided } = decide(plan.files, args.changed);
    if (args.dryRun) return await sayPlan(plan, choice, args, { host, cwd: session.cwd });
    if (undecided.length > 0) throw undecidedError(undecided, args.changed.merge, session.cwd);
    const outcome = await go(args, session, choice);
    const next = `${ownCommand()} --resume ${session.sessionId} ${args.to === 'undo' ? '--redo' : '--undo-rewind'}`;
    await host.output.write(args.outputFormat === 'text' ? report(outcome, plan, { next, isUndo: args.to === 'undo', cwd: session.cwd }) : `${JSON.stringify({ type: 'rewind', ...outcome, notCovered: plan.notCovered, [args.to === 'undo' ? 'redo' : 'undo']: next })}\n`);
    for (const { path, reason } of outcome.failed) host.log.error(`Not restored: ${relative(session.cwd, path)}: ${reason}`);
    return outcome.failed.length > 0 ? 1 : 0;
  } finally {
    await session.dispose();
  }
}

async function planOf({ to }: RewindArguments, session: Session): Promise<RewindPlan> {
  if (to === 'undo') {
    if (!session.canUndoRewind) throw new TurnstoneError('invalid_input', `Nothing was changed: there is no rewind to take back.${session.canRedoRewind ? ' The last one was taken back already; --redo makes it again.' : ''}`);
    return session.planUndoRewind();
  }
  if (to === 'redo') {
    if (!session.canRedoRewind) throw new TurnstoneError('invalid_input', 'Nothing was changed: there is no rewind to make again. That is possible after --undo-rewind, until something new is said.');
    return session.planRedoRewind();
  }
  requireTarget(session, to.messageId);
  return session.planRewind(to.messageId);
}

function go({ to }: RewindArguments, session: Session, choice: FileChoice): Promise<RewindOutcome> {
  if (to === 'undo') return session.undoRewind(choice);
  return to === 'redo' ? session.redoRewind(choice) : session.rewind(to.messageId, { ...choice, scope: to.scope });
}

/** What the options say about files that others changed since; a merge with conflicts is none. */
function decide(files: readonly RewindFile[], { merge, otherwise }: RewindArguments['changed']): { readonly choice: FileChoice; readonly undecided: readonly RewindFile[] } {
  const changed = files.filter((file) => file.changedSince);
  const merged = merge ? changed.filter((file) => file.merge?.conflicts.length === 0) : [];
  const others = changed.filter((file) => !merged.includes(file));
  const paths = (list: readonly RewindFile[]): string[] => list.map(({ path }) => path);
  const choice = { merge: paths(merged), overwrite: otherwise === 'overwrite' ? paths(others) : [], skip: otherwise === 'skip' ? paths(others) : [] };
  return { choice, undecided: otherwise === undefined ? others : [] };
}

/** Before anything is done: what no rewind brings back, and what it may take along. */
async function sayDoubts({ notCovered, besideCommands = [], files }: RewindPlan, { outputFormat }: RewindArguments, { host: { output, log }, cwd }: { readonly host: CommandHost; readonly cwd: string }): Promise<void> {
  const gaps = notCovered.map(({ name, reason }) => `not covered: ${name} (${reason})`);
  const beside = besideCommands.map((command) => `may be the work of: \`${command}\`, which ran at the same time`);
  const unwatched = files.flatMap(({ path, unwatched: by }) => (by ? [`may also hold changes of yours: ${relative(cwd, path)} (the command \`${by.command}\` ran ${inSeconds(by.ranMs)})`] : []));
  for (const line of [...gaps, ...beside, ...unwatched]) {
    if (outputFormat === 'text') await output.write(`${line}\n`);
    else log.warn(line);
  }
}

async function sayPlan(plan: RewindPlan, choice: FileChoice, { outputFormat, to }: RewindArguments, { host, cwd }: { readonly host: CommandHost; readonly cwd: string }): Promise<number> {
  const words = { restore: 'restore', recreate: 'bring back', delete: 'delete' };
  const lines = plan.files.map((file) => {
    const { path, changedSince, merge } = file;
    if (choice.skip.includes(path)) return `would leave ${relative(cwd, path)} as it is (changed since)`;
    if (choice.merge?.includes(path)) return `would merge ${relative(cwd, path)} (changed since)`;
    const needs = merge?.conflicts.length === 0 ? '--merge, --overwrite or --skip' : '--overwrite or --skip';
    return `would ${words[file.action]} ${relative(cwd, path)}${changedSince && !choice.overwrite.includes(path) ? ` (changed since: needs ${needs})` : ''}`;
  });
  const text = `${[...lines, ...(lines.length === 0 ? ['No file would have to be changed.'] : []), ...(to === 'undo' ? leavers(plan, 'would leave') : [])].join('\n')}\n`;
  await host.output.write(outputFormat === 'text' ? text : `${JSON.stringify({ type: 'rewind-plan', ...plan })}\n`);
  return 0;
}

/** Of the undoing of a rewind after more was said. */
function leavers({ messagesRemoved }: RewindPlan, verb: string): string[] {
  return messagesRemoved > 0 ? [`${plural(messagesRemoved, 'message')} ${verb} the conversation and stay in the transcript`] : [];
}

function requireTarget(session: Session, messageId: string): void {
  const targets = session.rewindTargets();
  if (targets.some((target) => target.messageId === messageId)) return;
  const known = targets.slice(0, 10).map((target) => `  ${target.messageId}  ${cutText(target.text.replace(/\s+/g, ' '), 60)}`);
  const list = known.length > 0 ? ` It has, newest first:\n${known.join('\n')}` : '';
  throw new TurnstoneError('not_found', `Nothing was changed: this session has no user message ${messageId} to go back to.${list}`);
}

function undecidedError(files: readonly RewindFile[], isMerging: boolean, cwd: string): TurnstoneError {
  const list = files.map(({ path, merge }) => `  ${relative(cwd, path)}${merge && merge.conflicts.length > 0 ? ` (${plural(merge.conflicts.length, 'conflict')})` : ''}`).join('\n');
  const keep = !isMerging && files.some(({ merge }) => merge?.conflicts.length === 0) ? 'Add --merge to keep these changes where nothing is in conflict, --skip to leave the files as they are, or' : 'Add --skip to leave them as they are, or';
  return new TurnstoneError('stale_file', `Nothing was changed: these files were changed after the agent wrote them.\n${list}\n${keep} --overwrite to go back all the same; their present content is kept, so that this can be undone.`);
}

function report(outcome: RewindOutcome, plan: RewindPlan, { next, isUndo, cwd }: { readonly next: string; readonly isUndo: boolean; readonly cwd: string }): string {
  const { restored, deleted, skipped, merged, failed } = outcome;
  const lines = [
    ...restored.map((path) => `${merged.includes(path) ? 'merged' : 'restored'} ${relative(cwd, path)}`),
    ...deleted.map((path) => `deleted ${relative(cwd, path)}`),
    ...skipped.map((path) => `left as it is: ${relative(cwd, path)}`),
    ...(isUndo ? leavers(plan, 'left') : []),
    `${isUndo ? 'To make it again' : 'To take this back'}: ${next}`,
  ];
  if (restored.length + deleted.length + skipped.length + failed.length === 0) lines.unshift('No file had to be changed.');
  return `${lines.join('\n')}\n`;
}
