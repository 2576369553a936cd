import { resolvePath } from '../../base/paths.ts';
import { cutText } from '../../base/text.ts';
import type { FileSystem } from '../ports.ts';
import { listField, splitFrontmatter, textField } from '../text/frontmatter.ts';
import { builtInCommands } from './builtInCommands.ts';
import type { SlashCommandInfo } from './slashCommand.ts';

/** A command that is a Markdown file: a prompt with blanks to fill in. */
export interface CustomCommand extends SlashCommandInfo {
  readonly source: 'project' | 'user';
  readonly path: string;
  readonly body: string;
  /** Calls that need no question while its turn runs: "Bash(git status:*)". */
  readonly allowedTools: readonly string[];
  /** For its turn only. */
  readonly model?: string | undefined;
}

export interface CommandPlaces {
  readonly files: FileSystem;
  readonly cwd: string;
  readonly homeFolder: string;
}

const maxDepth = 6;
/** Bytes. A prompt longer than this is no prompt. */
const sizeLimit = 256 * 1024;

/** Commands of the project, then those of the user; a project's command goes before one of the user, a built-in before both. */
export async function customCommands(places: CommandPlaces): Promise<readonly CustomCommand[]> {
  const project = await commandsIn(resolvePath(places.cwd, '.claude/commands'), 'project', places.files);
  const user = await commandsIn(resolvePath(places.homeFolder, '.claude/commands'), 'user', places.files);
  const taken = new Set(builtInCommands.map(({ name }) => name));
  return [...project, ...user].filter(({ name }) => !taken.has(name) && taken.add(name));
}

async function commandsIn(folder: string, source: CustomCommand['source'], files: FileSystem): Promise<CustomCommand[]> {
  const found = await markdownFiles(folder, [], files);
  const commands = await Promise.all(found.map(({ path, name }) => readCommand(path, { name, source }, files)));
  return commands.filter((command) => command !== undefined).sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function markdownFiles(folder: string, names: readonly string[], files: FileSystem): Promise<{ path: string; name: string }[]> {
  if (names.length > maxDepth || (await files.stat(folder))?.kind !== 'folder') return [];
  const found: { path: string; name: string }[] = [];
  for (const entry of await files.readFolder(folder)) {
    const path = resolvePath(folder, entry.name);
    const kind = entry.kind === 'link' ? (await files.stat(path))?.kind : entry.kind;
    if (kind === 'folder') found.push(...(await markdownFiles(path, [...names, entry.name], files)));
    else if (kind === 'file' && /\.md$/i.test(entry.name)) found.push({ path, name: [...names, entry.name.slice(0, -3)].join(':') });
  }
  return found;
}

async function readCommand(path: string, { name, source }: Pick<CustomCommand, 'name' | 'source'>, files: FileSystem): Promise<CustomCommand | undefined> {
  const stat = await files.stat(path);
  // A command whose name has a blank cannot be called.
  if (!stat || stat.size > sizeLimit || !/^[A-Za-z][\w.:-]*$/.test(name)) return undefined;
  const head = splitFrontmatter(new TextDecoder().decode(await files.readFile(path)));
  const hint = textField(head, 'argument-hint') ?? (listField(head, 'argument-hint').length > 0 ? `[${listField(head, 'argument-hint').join(', ')}]` : undefined);
  return {
    name,
    source,
    path,
    body: head.body,
    description: textField(head, 'description') ?? firstLine(head.body),
    argumentHint: hint,
    allowedTools: listField(head, 'allowed-tools'),
    model: textField(head, 'model'),
  };
}

function firstLine(body: string): string {
  const line = body.split('\n').map((each) => each.replace(/^#+\s*/, '').trim()).find(Boolean) ?? '';
  return line.length > 100 ? `${cutText(line, 99)}…` : line;
}
