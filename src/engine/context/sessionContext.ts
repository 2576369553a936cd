import { isInside, parentPath } from '../../base/paths.ts';
import { errorText, systemErrorCode } from '../../base/errors.ts';
import type { SessionMessage } from '../../protocol/messages.ts';
import type { SessionPermissions } from '../permissions/sessionPermissions.ts';
import type { Git, LanguageServices } from '../ports.ts';
import type { ReadFileState } from '../tools/readFileState.ts';
import type { ContextPart } from './contextNote.ts';
import { gitContext } from './gitContext.ts';
import { gitMarks, isGitState } from './gitMarks.ts';
import { memoryFiles, memoryPathsOf, readMemory } from './memoryFiles.ts';
import type { MemoryFacts, MemoryFile, MemoryScan } from './memoryFiles.ts';
import { NewProblems } from './newProblems.ts';
import { isAbout, readRules } from './rules.ts';
import type { Rule } from './rules.ts';
import { shownWhole } from './shownWhole.ts';

export interface ContextSources extends MemoryFacts {
  readonly git: Git;
  readonly languageServices?: LanguageServices | undefined;
  readonly readFileState: ReadFileState;
  readonly permissions?: SessionPermissions | undefined;
}

export interface Gathered {
  readonly files: readonly MemoryFile[];
  readonly gitText: string | undefined;
}

/** Gathers what the model is told beside the conversation. Git is looked at once, until its state changes. */
export class SessionContext {
  readonly #sources: ContextSources;
  #git: { readonly marks: string | undefined; readonly text: Promise<string | undefined> } | undefined;
  /** Folders whose memory files were looked at in this turn. */
  readonly #loadedNestedMemoryPaths = new Set<string>();
  readonly #touched = new Set<string>();
  readonly #problems = new Set<string>();
  readonly #toldProblems = new Set<string>();
  /** Real paths of what is told at the start of each turn. */
  #base: ReadonlySet<string> = new Set();
  #rules: readonly Rule[] = [];

  readonly #newProblems: NewProblems;

  constructor(sources: ContextSources) {
    this.#sources = sources;
    this.#newProblems = new NewProblems(sources.languageServices, sources.cwd);
  }

  beginTurn(): void {
    this.#loadedNestedMemoryPaths.clear();
    this.#touched.clear();
  }

  /** After a `/clear`: git is looked at again. */
  invalidateGit(): void {
    this.#git = undefined;
  }

  /** A change outside, told by the host. */
  fileChanged(path: string): void {
    if (isGitState(path)) this.invalidateGit();
  }

  /** The model has to do with this file: memory files that lie on the way to it count from now on. Absolute. */
  touch(path: string, how: 'read' | 'edit' = 'read'): void {
    this.#touched.add(path);
    if (how === 'edit') this.#newProblems.edited(path);
  }

  /** What the editor finds wrong since the agent's edits in this turn, for the model. */
  async newProblems(signal: AbortSignal): Promise<string | undefined> {
    return this.#newProblems.take(signal).catch((thrown: unknown) => this.#noteEditor(thrown));
  }

  /** Looks at everything that is told before a prompt; what of it is news, {@link parts} says. */
  async gather(signal: AbortSignal): Promise<Gathered> {
    await this.#sources.permissions?.refresh();
    this.#note(this.#sources.permissions?.problems ?? []);
    const [memory, rules, gitText] = await Promise.all([
      memoryFiles(this.#sources),
      readRules(this.#sources),
      this.#gitText(signal),
      this.#newProblems.begin(signal).catch((thrown: unknown) => this.#noteEditor(thrown)),
    ]);
    this.#note(memory.problems, rules.problems);
    this.#rules = rules.rules;
    const always = rules.rules.filter((rule) => rule.globs.length === 0).map((rule) => rule.file);
    const files = [...memory.files, ...always];
    this.#base = new Set(files.map((file) => file.realPath));
    return { files, gitText };
  }

  /** `messages` is the conversation so far: a memory file that it shows whole is not told again. */
  parts({ files, gitText }: Gathered, messages: readonly SessionMessage[]): readonly ContextPart[] {
    return [
      ...this.#asParts(files, messages),
      ...(gitText === undefined ? [] : [{ name: 'git', text: gitText }]),
      { name: 'date', text: `Today is ${new Date(this.#sources.clock.now()).toISOString().slice(0, 10)}.` },
    ];
  }

  /** Memory files of the folders that were touched since the last call, and rules about what was touched there. */
  async nestedParts(messages: readonly SessionMessage[]): Promise<readonly ContextPart[]> {
    const touched = [...this.#touched];
    this.#touched.clear();
    const folders = touched.flatMap((path) => this.#foldersTo(path)).filter((folder) => !this.#loadedNestedMemoryPaths.has(folder));
    for (const folder of folders) this.#loadedNestedMemoryPaths.add(folder);
    const scan = await readMemory([...new Set(folders)].flatMap(memoryPathsOf), this.#sources, new Set(this.#base));
    this.#note(scan.problems);
    const rules = this.#rules.filter((rule) => touched.some((path) => isAbout(rule, path, this.#sources.cwd)));
    return this.#asParts([...scan.files, ...rules.map((rule) => rule.file)], messages);
  }

  /** What could not be taken, each said once per session. */
  takeProblems(): readonly string[] {
    const news = [...this.#problems].filter((problem) => !this.#toldProblems.has(problem));
    for (const problem of news) this.#toldProblems.add(problem);
    return news;
  }

  /** For `/memory`: everything that would be told now. */
  async memory(): Promise<MemoryScan> {
    const [memory, rules] = await Promise.all([memoryFiles(this.#sources), readRules(this.#sources)]);
    return { files: [...memory.files, ...rules.rules.map((rule) => rule.file)], problems: [...memory.problems, ...rules.problems] };
  }

  #noteEditor(thrown: unknown): undefined {
    this.#note([`The editor's list of problems could not be read: ${errorText(thrown)}`]);
  }

  #note(...problems: readonly (readonly string[])[]): void {
    for (const problem of problems.flat()) this.#problems.add(problem);
  }

  #asParts(files: readonly MemoryFile[], messages: readonly SessionMessage[]): ContextPart[] {
    if (files.length === 0) return [];
    const shown = shownWhole(this.#sources.readFileState, messages);
    return files.filter((file) => !shown(file)).map((file) => ({ name: `instructions ${file.path}`, text: file.text.trim() }));
  }

  /** From just below the working folder (or another root) down to the folder of the file. */
  #foldersTo(path: string): string[] {
    const { cwd, roots } = this.#sources;
    const root = [cwd, ...roots].find((each) => isInside(each, path));
    if (root === undefined) return [];
    const folders: string[] = [];
    for (let folder = parentPath(path); isInside(root, folder); folder = parentPath(folder)) {
      if (folder === cwd) break;
      folders.unshift(folder);
      if (folder === root) break;
    }
    return folders;
  }

  async #gitText(signal: AbortSignal): Promise<string | undefined> {
    const { files, git, cwd, trusted } = this.#sources;
    // Its configuration can name programs: before trust nothing of git is run.
    if (!trusted) return undefined;
    const marks = await gitMarks(files, cwd).catch((thrown: unknown) => `unreadable: ${systemErrorCode(thrown)}`);
    if (this.#git?.marks !== marks) this.#git = undefined;
    this.#git ??= { marks, text: gitContext(git, cwd, signal).finally(() => signal.aborted && this.invalidateGit()) };
    return this.#git.text;
  }
}
