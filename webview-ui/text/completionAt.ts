/** What is being typed and can be completed: a command at the start of the text, or a file behind an `@`. */
export interface CompletionPlace {
  readonly kind: 'command' | 'file';
  /** Without the slash or `@`. */
  readonly prefix: string;
  /** Where the slash or `@` stands; what is chosen replaces the text from here to the caret. */
  readonly start: number;
}

/** Longer ones are no name that somebody is looking for. */
const maxPrefix = 200;

/** Pure: what could be completed at the caret. */
export function completionAt(text: string, caret: number): CompletionPlace | undefined {
  const before = text.slice(0, caret);
  const command = /^\/([\w.:-]*)$/.exec(before);
  const file = /(?:^|[\s([{])@(?:"([^"\n]*)|([^\s"@`]*))$/.exec(before);
  const prefix = command?.[1] ?? file?.[1] ?? file?.[2];
  if (prefix === undefined || prefix.length > maxPrefix) return undefined;
  if (command) return { kind: 'command', prefix, start: 0 };
  return { kind: 'file', prefix, start: before.lastIndexOf('@', caret - prefix.length - 1) };
}

/** Pure: the text with the choice in it, and where the caret goes. */
export function complete(text: string, caret: number, { start }: Pick<CompletionPlace, 'start'>, insert: string): { readonly text: string; readonly caret: number } {
  const rest = text.slice(caret);
  const chosen = insert.endsWith(' ') && rest.startsWith(' ') ? insert.slice(0, -1) : insert;
  return { text: text.slice(0, start) + chosen + rest, caret: start + chosen.length };
}
