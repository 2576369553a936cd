/** A command as a list for completion shows it. */
export interface SlashCommandInfo {
  /** Without the slash; folders of a custom command are joined by colons: "gsd:quick". */
  readonly name: string;
  readonly description: string;
  /** What to write behind it: "[focus]". */
  readonly argumentHint?: string | undefined;
  readonly source: 'built-in' | 'project' | 'user';
}

export interface SlashCall {
  readonly name: string;
  /** What stands behind the name, as written. */
  readonly args: string;
}

/** The command that a prompt begins with; undefined for anything else, paths like `/usr/bin` among it. */
export function parseSlash(prompt: string): SlashCall | undefined {
  const match = /^\/([A-Za-z][\w.:-]*)(?:\s+([\s\S]*))?$/.exec(prompt.trim());
  return match ? { name: match[1]!, args: (match[2] ?? '').trim() } : undefined;
}

/** Arguments at blanks, quoted ones whole. */
export function splitArguments(args: string): readonly string[] {
  return [...args.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map((match) => match[1]?.replace(/\\(["\\])/g, '$1') ?? match[2] ?? match[3]!);
}
