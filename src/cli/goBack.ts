import { relative } from 'node:path';
import { TurnstoneError } from '../base/errors.ts';
import { cutText } from '../base/text.ts';
import type { RewindOutcome, RewindPlan } from '../protocol/rewind.ts';
import type { Session } from '../sdk/index.ts';
import type { CommandHost } from './commandHost.ts';
import { openSession } from './openSession.ts';
import type { RewindArguments } from './parseArguments.ts';

/** Puts the files (and the conversation, if asked) back to a user message and prints what it did. */
export async function goBack(args: RewindArguments, host: CommandHost): Promise<number> {
  const endpoint = { apiKey: async () => undefined, apiKeySource: 'none' };
  const session = await openSession(args.session, { endpoint, canUseTool: async () => ({ behavior: 'deny' }) }, host);
  // A rewind is finished once it has begun: a stop signal only sets the exit code.
  host.signals.callOnStop(() => {});
  try {
    requireTarget(session, args.messageId);
    const plan = await session.planRewind(args.messageId);
    const changedSince = plan.files.filter((file) => file.changedSince).map((file) => file.path);
    if (changedSince.length > 0 && !args.overwrite) throw changedSinceError(changedSince, session.cwd);
    const outcome = await session.rewind(args.messageId, { scope: args.scope, skip: [], overwrite: changedSince });
    await host.output.write(args.outputFormat === 'text' ? report(outcome, plan, session.cwd) : `${JSON.stringify({ type: 'rewind', ...outcome, notCovered: plan.notCovered })}\n`);
    for (const { path, reason } of outcome.failed) host.log.error(`Not restored: ${relative(session.cwd, path)}: ${reason}`);
    return outcome.failed.length > 0 ? 1 : 0;
  } finally {
    await session.dispose();
  }
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

function report(outcome: RewindOutcome, plan: RewindPlan, cwd: string): string {
  const lines = [
    ...outcome.restored.map((path) => `restored ${relative(cwd, path)}`),
    ...outcome.deleted.map((path) => `deleted ${relative(cwd, path)}`),
    ...plan.notCovered.map(({ name, reason }) => `not covered: ${name} (${reason})`),
  ];
  if (outcome.restored.length + outcome.deleted.length + outcome.failed.length === 0) lines.unshift('No file had to be changed.');
  return `${lines.join('\n')}\n`;
}
