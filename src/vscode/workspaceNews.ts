import * as vscode from 'vscode';
import type { EngineOptions } from '../sdk/options.ts';

type TreeNews = NonNullable<EngineOptions['news']>;

/** More than this is a checkout or an installation: to look at everything is as quick. */
const maxPaths = 5_000;
/** Inside repositories and installed packages, where no single file is kept. */
const mayBeExcluded = /(^|\/)(\.git|\.hg|\.svn|node_modules)(\/|$)/;

/** What the watchers told of, for any number of readers. */
export class WorkspaceNews {
  /** Paths by when they were told of last, counted; oldest first. */
  readonly #told = new Map<string, number>();
  #count = 0;
  /** What came before it is not known any more. */
  #forgottenUntil = 0;

  add(path: string): void {
    this.#told.delete(path);
    this.#told.set(path, ++this.#count);
    if (this.#told.size <= maxPaths) return;
    this.#told.clear();
    this.#forgottenUntil = this.#count;
  }

  /** Tells what comes from now on. */
  follow(): TreeNews {
    let seen = this.#count;
    return {
      take: () => {
        const since = seen;
        seen = this.#count;
        if (since < this.#forgottenUntil || !watchesEverything()) return undefined;
        return [...this.#told].flatMap(([path, at]) => (at > since ? [path] : []));
      },
    };
  }
}

function watchesEverything(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).every(({ uri }) => {
    const excluded = vscode.workspace.getConfiguration('files', uri).get<Record<string, boolean>>('watcherExclude', {});
    return uri.scheme === 'file' && Object.entries(excluded).every(([pattern, isOn]) => !isOn || mayBeExcluded.test(pattern));
  });
}
