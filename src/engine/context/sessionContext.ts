import type { Clock } from '../../base/abort.ts';
import type { Environment, FileSystem, Git } from '../ports.ts';
import type { ContextPart } from './contextNote.ts';
import { gitContext } from './gitContext.ts';
import { memoryFiles } from './memoryFiles.ts';

export interface ContextSources {
  readonly files: FileSystem;
  readonly git: Git;
  readonly clock: Clock;
  readonly environment: Environment;
  readonly cwd: string;
  /** False: nothing that could run code of the workspace, so no git (its configuration can name programs). */
  readonly trusted: boolean;
}

/** Gathers what the model is told beside the conversation (SPEC X2, X3). Git is looked at once per session. */
export class SessionContext {
  readonly #sources: ContextSources;
  #git: Promise<string | undefined> | undefined;

  constructor(sources: ContextSources) {
    this.#sources = sources;
  }

  /** After a `/clear`, a checkout: git is looked at again. */
  invalidateGit(): void {
    this.#git = undefined;
  }

  async parts(signal: AbortSignal): Promise<readonly ContextPart[]> {
    const { files, git, clock, environment, cwd, trusted } = this.#sources;
    if (trusted) this.#git ??= gitContext(git, cwd, signal).finally(() => signal.aborted && this.invalidateGit());
    const [memory, gitText] = await Promise.all([memoryFiles(files, cwd, environment.homeFolder), this.#git]);
    return [
      ...memory.map((file) => ({ name: `instructions ${file.path}`, text: file.text.trim() })),
      ...(gitText === undefined ? [] : [{ name: 'git', text: gitText }]),
      { name: 'date', text: `Today is ${new Date(clock.now()).toISOString().slice(0, 10)}.` },
    ];
  }
}
