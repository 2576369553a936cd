import { relative } from 'node:path';
import { TurnstoneError } from '../base/errors.ts';
import { cutText } from '../base/text.ts';
import type { RewindOutcome, RewindPlan } from '../protocol/rewind.ts';
import type { Session } from '../sdk/index.ts';
import type { CommandHost } from './commandHost.ts';
import { openSession } from './openSession.ts';
import type { RewindArguments } from './parseArguments.ts';

/** Puts the files (and the conversation, if asked) back to a user message, or takes that back, and prints what it did. */
export async function goBack(args: RewindArguments, host: CommandHost): Promise<number> {
  const endpoint = { apiKey: async () => undefined, apiKeySource: 'none' };
  const session = await openSession(args.session, { endpoint, canUseTool: async () => ({ behavior: 'deny', byUser: false }) }, host);
  // A rewind is finished once it has begun: a stop signal only sets the exit code.
  host.signals.callOnStop(() => {});
  try {
    const plan = await planOf(args, session);
    await sayNotCovered(plan, args, host);
    const changedSince = plan.files.filter((file) => file.changedSince).map((file) => file.path);
    if (args.dryRun) return await sayPlan(plan, args, { host, cwd: session.cwd });
    if (changedSince.length > 0 && !args.overwrite) throw changedSinceError(changedSince, session.cwd);
    const choice = { skip: [], overwrite: changedSince };
    const outcome = args.to ? await session.rewind(args.to.messageId, { ...choice, scope: args.to.scope }) : await session.undoRewind(choice);
    const undo = args.to && `turnstone --resume ${session.sessionId} --undo-rewind`;
    await host.output.write(args.outputFormat === 'text' ? report(outcome, undo, session.cwd) : `${JSON.stringify({ type: 'rewind', ...outcome, notCovered: plan.notCovered, ...(undo && { undo }) })}\n`);
    for (const { path, reason } of outcome.failed) host.log.error(`Not restored: ${relative(session.cwd, path)}: ${reason}`);
    return outcome.failed.length > 0 ? 1 : 0;
  } finally {
    await session.dispose();
  }
}

async function planOf({ to }: RewindArguments, session: Session): Promise<RewindPlan> {
  if (!to) {
    if (!session.canUndoRewind) throw new TurnstoneError('invalid_input', 'Nothing was changed: there is no rewind to take back. That is possible until something new is said.');
    return session.planUndoRewind();
  }
  requireTarget(session, to.messageId);
  return session.planRewind(to.messageId);
}

/** Before anything is done: what no rewind brings back. */
async function sayNotCovered({ notCovered, besideCommands = [] }: RewindPlan, { outputFormat }: RewindArguments, { output, log }: CommandHost): Promise<void> {
  const gaps = notCovered.map(({ name, reason }) => `not covered: ${name} (${reason})`);
  for (const line of [...gaps, ...besideCommands.map((command) => `may be the work of: \`${command}\`, which ran at the same time`)]) {
    if (outputFormat === 'text') await output.write(`${line}\n`);
    else log.warn(line);
  }
}

async function sayPlan(plan: RewindPlan, { outputFormat }: RewindArguments, { host, cwd }: { readonly host: CommandHost; readonly cwd: string }): Promise<number> {
  const words = { restore: 'restore', recreate: 'bring back', delete: 'delete' };
  const lines = plan.files.map((file) => `would ${words[file.action]} ${relative(cwd, file.path)}${file.changedSince ? ' (changed since: needs --overwrite)' : ''}`);
  const text = `${[...lines, ...(lines.length === 0 ? ['No file would have to be changed.'] : [])].join('\n')}\n`;
  await host.output.write(outputFormat === 'text' ? text : `${JSON.stringify({ type: 'rewind-plan', ...plan })}\n`);
  return 0;
}

function requireTarget(session: Session, messageId: string): void {
  const targets = session.rewindTargets();
  if (targets.some((target) => target.messageId === messageId)) return;
  const known = targets.slice(0, 10).map((target) => `  ${target.messageId}  ${cutText(target.text.replace(/\s+/g, ' '), 60)}`);
  const list = known.length > 0 ? ` It has, newest first:\n${known.join('\n')}` : '';
  throw new TurnstoneError('not_found', `Nothing was changed: this session has no user message ${messageId} to go back to.${list}`);
}

function changedSinceError(paths: readonly string[], cwd: string): TurnstoneError {
  const list = paths.map((path) => `  ${relative(cwd, path)}`).join('\n');
  return new TurnstoneError('stale_file', `Nothing was changed: these files were changed after the agent wrote them.\n${list}\nAdd --overwrite to go back all the same; their present content is kept, so that this can be undone.`);
}

function report(outcome: RewindOutcome, undo: string | undefined, cwd: string): string {
  const lines = [
    ...outcome.restored.map((path) => `restored ${relative(cwd, path)}`),
    ...outcome.deleted.map((path) => `deleted ${relative(cwd, path)}`),
    ...(undo === undefined ? [] : [`To take this back: ${undo}`]),
  ];
  if (outcome.restored.length + outcome.deleted.length + outcome.failed.length === 0) lines.unshift('No file had to be changed.');
  return `${lines.join('\n')}\n`;
}
