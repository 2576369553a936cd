import { errorText } from '../../base/errors.ts';
import type { FileSystem } from '../ports.ts';
import { joinPath } from '../transcript/transcriptPath.ts';
import type { StoredResult } from './toolResultBudget.ts';

/** Where a session keeps results that are too large for the model: beside its transcript. */
export function resultFolderOf(transcriptPath: string): string {
  return joinPath(transcriptPath.replace(/\.jsonl$/, ''), 'tool-results');
}

/** Writes results to their files, each once. What could not be written is tried again before the next request. */
export class ResultFiles {
  readonly #files: FileSystem;
  readonly #done = new Set<string>();
  #toldOfTrouble = false;

  constructor(files: FileSystem) {
    this.#files = files;
  }

  /** Returns a text for the user, once, when the disk made trouble. */
  async write(results: readonly StoredResult[]): Promise<string | undefined> {
    let trouble: string | undefined;
    for (const { path, text } of results) {
      if (this.#done.has(path)) continue;
      try {
        // A file that is there is of an earlier process: the text of a result never changes.
        if (!(await this.#files.stat(path))) await this.#files.writeFile(path, new TextEncoder().encode(text), { mode: 0o600 });
        this.#done.add(path);
      } catch (thrown) {
        trouble ??= `A tool result that is too long to be shown to the model could not be kept in ${path} (${errorText(thrown)}). All of it is in the session; the model sees its beginning and its end.`;
      }
    }
    if (trouble === undefined || this.#toldOfTrouble) return undefined;
    this.#toldOfTrouble = true;
    return trouble;
  }
}
