import { displayPath, isInside, parentPath } from '../../base/paths.ts';
import { parseRule } from './permissionRule.ts';
import { readShell } from './shellCommand.ts';
import { nameOf, unwrap } from './shellWrappers.ts';

export interface SuggestionFacts {
  readonly toolName: string;
  readonly input: { readonly [field: string]: unknown };
  /** Absolute, links resolved. */
  readonly paths: readonly string[];
  readonly cwd: string;
}

/** A rule that would allow the same next time, as narrow as is of use; undefined where there is none to propose. Pure. */
export function suggestRule(facts: SuggestionFacts): string | undefined {
  const rule = suggestion(facts);
  return rule !== undefined && 'rule' in parseRule(rule) ? rule : undefined;
}

function suggestion({ toolName, input, paths, cwd }: SuggestionFacts): string | undefined {
  if (toolName.startsWith('mcp__')) return toolName;
  if (toolName === 'Bash') return commandSuggestion(String(input['command'] ?? '').trim());
  if (toolName === 'WebFetch') {
    const url = String(input['url'] ?? '');
    return URL.canParse(url) ? `WebFetch(domain:${new URL(url).hostname})` : undefined;
  }
  const [path, ...others] = paths;
  if (path === undefined || others.some((other) => other !== path)) return undefined;
  if (['Edit', 'Write', 'MultiEdit', 'NotebookEdit'].includes(toolName)) {
    if (!isInside(cwd, path)) return undefined;
    const [first = '', ...rest] = displayPath(cwd, path).replaceAll('\\', '/').split('/');
    return /[*?[\]!#{}\\]/.test(first) ? undefined : `Edit(/${rest.length > 0 ? `${first}/**` : first})`;
  }
  // The root itself would be everything.
  const folder = parentPath(path);
  return ['Read', 'Grep', 'Glob'].includes(toolName) && folder !== parentPath(folder) && folder.startsWith('/') && !/[*?[\]!#{}\\]/.test(folder) ? `Read(/${folder}/**)` : undefined;
}

/** Programs whose second word says what they do, and that run no other program out of their arguments. */
const withSubcommands = new Set(['npm', 'pnpm', 'yarn', 'bun', 'git', 'cargo', 'go', 'make', 'just', 'task', 'docker', 'kubectl', 'gh', 'dotnet', 'mvn', 'gradle', './gradlew', 'pip', 'pip3', 'uv', 'poetry', 'composer', 'bundle', 'rake', 'mix', 'terraform', 'helm', 'brew', 'apt', 'systemctl', 'nx', 'turbo', 'deno']);
/** Their next word names a script or a program. */
const runners = new Set(['run', 'exec', 'run-script', 'dlx', 'x', 'compose']);
const plainWord = /^[\w./:@-]+$/;
const maxLength = 300;

function commandSuggestion(command: string): string | undefined {
  if (command.length > maxLength || /[\n*]/.test(command) || command === '') return undefined;
  const exact = `Bash(${command})`;
  const reading = readShell(command);
  const [first] = reading.commands;
  if (!first || reading.commands.length > 1 || reading.doubts.length > 0 || reading.redirects.length > 0 || first.assignments.length > 0) return exact;
  const { words, wrapperWords } = unwrap(first.words);
  const values = words.map(({ value }) => value);
  if (wrapperWords !== 0 || !withSubcommands.has(nameOf(words)) || values[0] !== nameOf(words) && values[0] !== './gradlew') return exact;
  const count = runners.has(values[1] ?? '') ? 3 : 2;
  const start = values.slice(0, count);
  if (start.length < count || start.slice(1).some((word) => word.startsWith('-') || !plainWord.test(word))) return exact;
  return `Bash(${start.join(' ')}:*)`;
}
