import { findUnknownCommand } from '../engine/commands/unknownCommand.ts';
import type { UnknownCommand } from '../engine/commands/unknownCommand.ts';
import type { Session } from '../engine/session.ts';
import { nodeFileSystem } from '../platform/nodeFileSystem.ts';

/** Before a prompt is sent: the command that it begins with and that this session does not have. */
export async function unknownCommand(prompt: string, session: Pick<Session, 'commands'>): Promise<UnknownCommand | undefined> {
  if (!prompt.startsWith('/')) return undefined;
  return findUnknownCommand(prompt, (await session.commands()).map(({ name }) => name), nodeFileSystem);
}
