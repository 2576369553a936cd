import { baseName, displayPath, isAbsolutePath, isInside, parentPath, resolvePath } from '../../base/paths.ts';
import { errorText } from '../../base/errors.ts';
import type { Environment } from '../ports.ts';
import { readCurrentContent } from '../tools/currentContent.ts';
import type { ContentPorts } from '../tools/currentContent.ts';
import { findImports, looksLikeFile, onlyImports } from './findImports.ts';

export interface MemoryFile {
  /** Absolute, as it was found or named. */
  readonly path: string;
  /** Links resolved. */
  readonly realPath: string;
  readonly text: string;
  /** SHA-256 of the text, as the read-file state has it; undefined for one that was left out. */
  readonly hash: string | undefined;
}

/** What was found, in the order in which it is told, and what could not be taken, for the user. */
export interface MemoryScan {
  readonly files: readonly MemoryFile[];
  readonly problems: readonly string[];
}

export interface MemoryFacts extends ContentPorts {
  readonly environment: Environment;
  readonly cwd: string;
  /** The workspace's folders, links resolved. */
  readonly roots: readonly string[];
  readonly trusted: boolean;
}

/** Of one folder, most general first. */
export const memoryNames = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md'];
/** More than this is not instructions any more. In bytes. */
const sizeLimit = 100_000;
/** From a memory file to what its imports import in turn. */
const maxDepth = 5;

/**
 * Instruction files of the user, then of the folders from the root down to the workspace, each followed by what it
 * imports. A file is told once, by whatever name or link it is reached. What is not there is no error.
 */
export function memoryFiles(facts: MemoryFacts): Promise<MemoryScan> {
  const folders: string[] = [];
  for (let folder = facts.cwd; ; folder = parentPath(folder)) {
    folders.unshift(folder);
    if (parentPath(folder) === folder) break;
  }
  const user = resolvePath(facts.environment.homeFolder, '.claude/CLAUDE.md');
  return readMemory([user, ...folders.flatMap(memoryPathsOf)], facts);
}

export function memoryPathsOf(folder: string): string[] {
  return memoryNames.map((name) => resolvePath(folder, name));
}

/** Reads these files where they exist, with their imports. `seen` holds real paths that are told already. */
export async function readMemory(paths: readonly string[], facts: MemoryFacts, seen: Set<string> = new Set()): Promise<MemoryScan> {
  const reader = new MemoryReader(facts, seen);
  // Read together, followed one by one: the order decides who tells a file that two of them import.
  const found = await Promise.all([...new Set(paths)].map((path) => reader.read(path)));
  for (const file of found) if (file) await reader.take(file, []);
  return { files: reader.files, problems: reader.problems };
}

class MemoryReader {
  readonly files: MemoryFile[] = [];
  readonly problems: string[] = [];
  readonly #facts: MemoryFacts;
  readonly #seen: Set<string>;

  constructor(facts: MemoryFacts, seen: Set<string>) {
    this.#facts = facts;
    this.#seen = seen;
  }

  async read(path: string): Promise<MemoryFile | undefined> {
    const { files } = this.#facts;
    try {
      const stat = await files.stat(path);
      if (stat?.kind !== 'file') return undefined;
      const realPath = await files.realpath(path);
      if (stat.size > sizeLimit) return { path, realPath, hash: undefined, text: `(${path} is ${stat.size} bytes long and was left out; at most ${sizeLimit} are taken)` };
      const content = await readCurrentContent(path, this.#facts, { stat });
      if (content.kind === 'text') return { path, realPath, text: content.text, hash: content.hash };
      return { path, realPath, hash: undefined, text: `(${path} is no text and was left out)` };
    } catch (thrown) {
      return { path, realPath: path, hash: undefined, text: `(${path} could not be read: ${errorText(thrown)})` };
    }
  }

  /** Keeps a file and follows its imports. `chain` leads to it: real paths, outermost first. */
  async take(file: MemoryFile, chain: readonly string[]): Promise<void> {
    if (this.#seen.has(file.realPath)) return;
    this.#seen.add(file.realPath);
    if (!onlyImports(file.text) && file.text.trim() !== '') this.files.push(file);
    if (file.hash === undefined) this.problems.push(`Instructions: ${file.text.slice(1, -1)}.`);
    else for (const name of findImports(file.text)) await this.#follow(name, file, [...chain, file.realPath]);
  }

  async #follow(name: string, importer: MemoryFile, chain: readonly string[]): Promise<void> {
    const path = this.#resolve(name, importer);
    const imported = await this.read(path);
    if (!imported) {
      if (looksLikeFile(name)) this.#refuse(name, importer, 'there is no such file');
      return;
    }
    const start = chain.indexOf(imported.realPath);
    if (start >= 0) return this.#refuse(name, importer, `it is part of a circle: ${[...chain.slice(start), imported.realPath].map((each) => this.#shown(each)).join(' → ')}`);
    if (chain.length > maxDepth) return this.#refuse(name, importer, `imports go ${maxDepth} files deep at most`);
    const trouble = this.#whyOutside(imported.realPath, importer);
    if (trouble !== undefined) return this.#refuse(name, importer, trouble);
    await this.take(imported, chain);
  }

  #resolve(name: string, importer: MemoryFile): string {
    if (name.startsWith('~/')) return resolvePath(this.#facts.environment.homeFolder, name.slice(2));
    return isAbsolutePath(name) ? resolvePath(name, '.') : resolvePath(parentPath(importer.path), name);
  }

  /**
   * A file that came with a project must not make us read the user's other files: beside the workspace and the folders
   * that hold it only what lies openly in the user's folder counts, and only after trust. The user's own file may import anything.
   */
  #whyOutside(realPath: string, importer: MemoryFile): string | undefined {
    const { environment, roots, cwd, trusted } = this.#facts;
    const { homeFolder, dataRoot } = environment;
    const own = resolvePath(homeFolder, '.claude');
    if (isInside(own, importer.path) && !isInside(own, cwd)) return undefined;
    if (isInside(dataRoot, realPath)) return 'it belongs to Turnstone itself';
    if ([...roots, cwd, parentPath(importer.path), parentPath(importer.realPath), own].some((folder) => isInside(folder, realPath))) return undefined;
    if (!trusted) return 'it is outside the workspace, which is not trusted';
    const hidden = displayPath(homeFolder, realPath).split(/[\\/]/).some((part) => part.startsWith('.'));
    return isInside(homeFolder, realPath) && !hidden ? undefined : 'it is outside the workspace; import it from ~/.claude/CLAUDE.md instead';
  }

  #refuse(name: string, importer: MemoryFile, why: string): void {
    this.problems.push(`${baseName(importer.path)} (${this.#shown(importer.path)}) imports @${name}, which was left out: ${why}.`);
  }

  #shown(path: string): string {
    return displayPath(this.#facts.cwd, path);
  }
}
