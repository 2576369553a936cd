import { builtInCommands } from './builtInCommands.ts';
import { customCommands } from './customCommands.ts';
import type { SlashCommandInfo } from './slashCommand.ts';

/** Slash commands for completion: the built-in ones, then those of the project and of the user. */
export async function knownCommands(places: Parameters<typeof customCommands>[0]): Promise<readonly SlashCommandInfo[]> {
  const infos = [...builtInCommands, ...(await customCommands(places))];
  return infos.map(({ name, description, argumentHint, source }) => ({ name, description, argumentHint, source }));
}
