import { TurnstoneError } from '../base/errors.ts';
import { createEngine, forkSession, latestSessionId } from '../sdk/index.ts';
import type { EngineOptions, Session } from '../sdk/index.ts';
import type { CommandHost } from './commandHost.ts';
import type { SessionChoice } from './parseArguments.ts';
import { checkpoint } from './startupProfile.ts';

/** Opens a new session in the current folder, or the chosen one, and says on standard error what had to be repaired. */
export async function openSession(choice: SessionChoice | undefined, options: Omit<EngineOptions, 'cwd' | 'resume'>, host: CommandHost): Promise<Session> {
  checkpoint('engine loaded');
  const cwd = currentFolder();
  const chosen = await chosenSession(choice, cwd);
  const resume = chosen !== undefined && choice?.fork ? (await forkSession({ session: chosen })).sessionId : chosen;
  const session = await createEngine({ ...options, cwd, resume, mirror: host.mirror, log: host.log });
  for (const notice of session.notices) host.log.warn(notice);
  checkpoint('session open');
  return session;
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new TurnstoneError('not_found', 'The current folder is not there any more, so nothing was done. Change to a folder that exists and try again.', { cause: error });
  }
}

async function chosenSession(choice: SessionChoice | undefined, cwd: string): Promise<string | undefined> {
  if (choice === undefined) return undefined;
  if (choice.kind === 'resume') return choice.session;
  const latest = await latestSessionId({ cwd });
  if (latest === undefined) throw new TurnstoneError('not_found', `There is no session of ${cwd} to go on with. Leave out --continue to begin one.`);
  return latest;
}
