import { errorText } from '../../base/errors.ts';
import { textOf } from '../../protocol/contentBlocks.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import { builtInCommands } from '../commands/builtInCommands.ts';
import type { BuiltInCommand } from '../commands/builtInCommands.ts';
import { customCommands } from '../commands/customCommands.ts';
import type { CommandPlaces, CustomCommand } from '../commands/customCommands.ts';
import { expandCommand } from '../commands/expandCommand.ts';
import { initPrompt } from '../commands/initPrompt.ts';
import { parseSlash } from '../commands/slashCommand.ts';
import { findUnknownCommand, toSendItAnyway } from '../commands/unknownCommand.ts';
import { attachMentions } from './attachMentions.ts';
import type { AttachFacts } from './attachMentions.ts';

export type Prompt = string | readonly ContentBlock[];

/** What a prompt turns out to be. */
export type PromptKind =
  | { readonly kind: 'prompt'; readonly trouble?: string | undefined }
  | { readonly kind: 'built-in'; readonly command: BuiltInCommand; readonly args: string }
  | { readonly kind: 'custom'; readonly command: CustomCommand; readonly args: string };

/** What goes with a prompt to the model. */
export interface ProcessedInput {
  /** Told after the prompt, as a message of our own. */
  readonly blocks: readonly ContentBlock[];
  readonly paths: readonly string[];
  readonly notices: readonly string[];
}

/** Of a prompt that we write ourselves. */
export const nothingBeside: ProcessedInput = { blocks: [], paths: [], notices: [] };

/** What looks like a command and is none is answered here, like a command: nothing is sent. */
export async function kindOfPrompt(prompt: Prompt, places: CommandPlaces): Promise<PromptKind> {
  const call = parseSlash(textOf(prompt));
  if (!call) return { kind: 'prompt' };
  const builtIn = builtInCommands.find(({ name }) => name === call.name);
  if (builtIn) return { kind: 'built-in', command: builtIn, args: call.args };
  try {
    const customs = await customCommands(places);
    const custom = customs.find(({ name }) => name === call.name);
    if (custom) return { kind: 'custom', command: custom, args: call.args };
    const unknown = await findUnknownCommand(textOf(prompt), [...builtInCommands, ...customs].map(({ name }) => name), places.files);
    if (!unknown) return { kind: 'prompt' };
    return { kind: 'built-in', command: { name: call.name, description: '', source: 'built-in', answer: () => `${unknown.text} ${toSendItAnyway}` }, args: call.args };
  } catch (thrown) {
    return { kind: 'prompt', trouble: `The commands of this project could not be read, so /${call.name} was sent as it is: ${errorText(thrown)}` };
  }
}

export interface InputFacts extends Omit<AttachFacts, 'isTyped'> {
  /** The output of a command line that a custom command asks for. */
  readonly shellOutput: (command: string) => Promise<string>;
}

/** Mentions, a command's text, the output of its command lines. Never throws for what is on the disk. */
export async function processInput(prompt: Prompt, kind: PromptKind, facts: InputFacts): Promise<ProcessedInput> {
  const typed = await attachMentions(textOf(prompt), { ...facts, isTyped: true });
  if (kind.kind === 'prompt') return { ...typed, notices: [...(kind.trouble ? [kind.trouble] : []), ...typed.notices] };
  const isCustom = kind.kind === 'custom';
  const text = isCustom ? await commandText(kind.command, kind.args, facts) : initPrompt;
  const named = isCustom ? await attachMentions(kind.command.body, { ...facts, isTyped: kind.command.source === 'user' }) : { blocks: [], paths: [], notices: [] };
  const block: ContentBlock = { type: 'text', text: `<command name="${kind.command.name}">\n${text.trim()}\n</command>` };
  return {
    blocks: [block, ...named.blocks, ...typed.blocks],
    paths: [...typed.paths, ...named.paths],
    notices: [...typed.notices, ...named.notices],
  };
}

async function commandText(command: CustomCommand, args: string, { shellOutput }: InputFacts): Promise<string> {
  const parts: string[] = [];
  // One after the other: each may have to be asked about.
  for (const piece of expandCommand(command.body, args)) parts.push(piece.type === 'text' ? piece.text : await shellOutput(piece.command));
  return parts.join('');
}
