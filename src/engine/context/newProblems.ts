import { displayPath } from '../../base/paths.ts';
import type { CodeDiagnostic, LanguageServices } from '../ports.ts';

/** More than this is one broken import away from being none: the first ones tell enough. */
const maxShown = 20;

/**
 * Problems that the editor shows after the agent's edits and did not show when the turn began. Errors count
 * anywhere, warnings only in files that were edited. Lines are not compared: an edit moves what it does not cause.
 */
export class NewProblems {
  readonly #services: LanguageServices | undefined;
  readonly #cwd: string;
  /** How often each problem was there. Undefined until a turn has begun. */
  #baseline: ReadonlyMap<string, number> | undefined;
  readonly #edited = new Set<string>();

  constructor(services: LanguageServices | undefined, cwd: string) {
    this.#services = services;
    this.#cwd = cwd;
  }

  /** Takes the baseline of a turn. */
  async begin(signal: AbortSignal): Promise<void> {
    this.#edited.clear();
    this.#baseline = this.#services && counted(await this.#services.diagnostics(undefined, signal));
  }

  edited(path: string): void {
    this.#edited.add(path);
  }

  /** For the model; undefined when there is nothing new. Each problem is told once. */
  async take(signal: AbortSignal): Promise<string | undefined> {
    if (!this.#services || !this.#baseline || this.#edited.size === 0) return undefined;
    const now = await this.#services.diagnostics(undefined, signal);
    const left = new Map(this.#baseline);
    const news = now.filter((problem) => {
      const known = left.get(keyOf(problem)) ?? 0;
      left.set(keyOf(problem), known - 1);
      return known <= 0 && (problem.severity === 'error' || (problem.severity === 'warning' && this.#edited.has(problem.path)));
    });
    this.#baseline = counted(now);
    if (news.length === 0) return undefined;
    const lines = news.slice(0, maxShown).map((each) => `${displayPath(this.#cwd, each.path)}:${each.line}:${each.character}: ${each.severity}: ${each.message.replace(/\n\s*/g, ' – ')}`);
    if (news.length > maxShown) lines.push(`(${news.length - maxShown} more; Diagnostics shows them.)`);
    return `Problems that the editor shows since your edits:\n${lines.join('\n')}`;
  }
}

function counted(problems: readonly CodeDiagnostic[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const problem of problems) counts.set(keyOf(problem), (counts.get(keyOf(problem)) ?? 0) + 1);
  return counts;
}

function keyOf({ path, severity, source, code, message }: CodeDiagnostic): string {
  return JSON.stringify([path, severity, source, code, message]);
}
