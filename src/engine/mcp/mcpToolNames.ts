import type { Digest } from '../ports.ts';

/** Characters of a whole name. The API takes 128 by now, gateways and other clouds no more than 64. */
const maxName = 64;
const maxServer = 30;
const hashLength = 8;

/**
 * A server's part of its tools' names, by server: valid, without a double underscore, and each another. Those of a project
 * take what the user's servers leave: rules for these must not come to mean others. Pure.
 */
export function serverNames(own: readonly string[], ofProject: readonly string[], digest: Digest): ReadonlyMap<string, string> {
  const naming = { max: maxServer, valid: (name: string) => name.replace(/[^A-Za-z0-9-]+/g, '_').replace(/^_+|_+$/g, '') || 'server', digest };
  const first = uniqueNames(own, naming);
  return new Map([...first, ...uniqueNames(ofProject, naming, new Set(first.values()))]);
}

/** `mcp__server__tool` by tool, for one server; `server` is its part as {@link serverNames} gives it. Pure. */
export function toolNames(server: string, tools: readonly string[], digest: Digest): ReadonlyMap<string, string> {
  const prefix = `mcp__${server}__`;
  const names = uniqueNames(tools, { max: maxName - prefix.length, valid: (name) => name.replace(/[^A-Za-z0-9_-]/g, '_') || 'tool', digest });
  return new Map([...names].map(([tool, name]) => [tool, `${prefix}${name}`]));
}

interface Naming {
  readonly max: number;
  readonly valid: (name: string) => string;
  readonly digest: Digest;
}

/** Who has a valid name keeps it; others keep what can be kept of theirs, with a mark of the whole where that is cut or taken. */
function uniqueNames(names: readonly string[], { max, valid, digest }: Naming, gone: ReadonlySet<string> = new Set()): ReadonlyMap<string, string> {
  const kept = new Map<string, string>();
  const isOwn = (name: string): boolean => valid(name) === name && name.length <= max && !gone.has(name);
  const taken = new Set([...gone, ...names.filter(isOwn)]);
  for (const name of [...new Set(names)].sort()) {
    const changed = valid(name);
    const isFree = isOwn(name) || (changed.length <= max && !taken.has(changed));
    const start = valid(changed.slice(0, max - hashLength - 1));
    const marked = (whole: string): string => `${start}_${digest.sha256(new TextEncoder().encode(whole)).slice(0, hashLength)}`;
    let own = isFree ? changed : marked(name);
    // Another may be called just like that.
    for (let round = 1; !isOwn(name) && taken.has(own); round++) own = marked(`${name}\0${round}`);
    taken.add(own);
    kept.set(name, own);
  }
  return kept;
}
