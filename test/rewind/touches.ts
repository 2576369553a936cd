/** By name: "folder", "link → target", or mode and content. */
export type Tree = ReadonlyMap<string, string>;

/** A change by the agent or by a rewind, as the model knows it: from the trees before and after. */
export interface Touch {
  readonly prompt: number;
  /** The call that did it; undefined for a rewind. */
  readonly call: string | undefined;
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface Expectation {
  /** What each path must be. */
  readonly files: ReadonlyMap<string, string | undefined>;
  readonly changedSince: ReadonlySet<string>;
  /** Files of the user where the agent only made folders: asked about where a folder was empty, else no part of it. */
  readonly maybeAsked: ReadonlySet<string>;
}

/** Which of the agent's changes: of one call, one file, one message. */
export interface Part {
  readonly call?: string | undefined;
  readonly name?: string | undefined;
  readonly prompt?: number | undefined;
}

/** What taking these changes back has to give, from how the tree is `now`. */
export function expectationOf(now: Tree, touches: readonly Touch[]): Expectation {
  const [files, left, gaps] = [new Map<string, string | undefined>(), new Map<string, string | undefined>(), new Set<string>()];
  const asFile = new Set<string>();
  for (const { name, before, after } of touches) {
    // Where only folders came and went, what somebody else put there counts as what was there.
    if (!files.has(name) || (!asFile.has(name) && !isFolder(before))) files.set(name, before);
    else if (left.get(name) !== before) gaps.add(name);
    left.set(name, after);
    if (!isFolder(before) || !isFolder(after)) asFile.add(name);
  }
  // And as long as the agent did nothing to it, it is none of its business.
  const maybeAsked = new Set([...files.keys()].filter((name) => !asFile.has(name) && !isFolder(now.get(name))));
  for (const name of maybeAsked) files.delete(name);
  const changedSince = new Set([...files.keys()].filter((name) => now.get(name) !== files.get(name) && (gaps.has(name) || now.get(name) !== left.get(name))));
  return { files, changedSince, maybeAsked };
}

export function isIn({ call, name, prompt }: Touch, part: Part): boolean {
  return (part.call === undefined || part.call === call) && (part.name === undefined || part.name === name) && (part.prompt === undefined || part.prompt === prompt);
}

/** Or nothing: folders go with what is in them. */
function isFolder(what: string | undefined): boolean {
  return what === undefined || what === 'folder';
}
