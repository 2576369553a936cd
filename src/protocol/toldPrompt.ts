/** What stands in a user's name in a transcript: what they said, or what a program answered them without the model. */
export type ToldPrompt = { readonly kind: 'said' | 'output'; readonly text: string };

const output = /^\s*<(local-command-stdout|local-command-stderr|bash-stdout)>/;
const tag = /<\/?(?:local-command-stdout|local-command-stderr|bash-stdout|bash-stderr)>/g;

/**
 * Pure. Claude Code writes commands and their output into the conversation, in tags of its own: here they read as they
 * were typed and printed. Every other text stays as it is.
 */
export function readPrompt(text: string): ToldPrompt {
  if (output.test(text)) return { kind: 'output', text: text.replaceAll(tag, '').trim() };
  if (/^\[Request interrupted by user[^\]]*\]$/.test(text.trim())) return { kind: 'output', text: 'Interrupted.' };
  const command = /^\s*<command-(?:name|message)>/.test(text) ? within(text, 'command-name') : undefined;
  if (command !== undefined) return { kind: 'said', text: `${command} ${within(text, 'command-args') ?? ''}`.trim() };
  const shell = /^\s*<bash-input>/.test(text) ? within(text, 'bash-input') : undefined;
  return { kind: 'said', text: shell === undefined ? text : `! ${shell}` };
}

function within(text: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^]*?)</${name}>`).exec(text)?.[1]?.trim();
}
