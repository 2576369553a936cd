import { displayPath, isInside, parentPath } from '../../base/paths.ts';
import { isInterpreter } from './codeInLine.ts';
import { parseRule } from './permissionRule.ts';
import { readShell } from './shellCommand.ts';
import { isRunner, nameOf, unwrap } from './shellWrappers.ts';

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
    // What a hidden folder holds are settings of many programs.
    const covered = rest.length > 0 ? (first.startsWith('.') ? [first, ...rest].join('/') : `${first}/**`) : first;
    return patternSigns.test(first.startsWith('.') ? covered : first) ? undefined : `Edit(/${covered})`;
  }
  if (!['Read', 'Grep', 'Glob'].includes(toolName) || !path.startsWith('/') || path === parentPath(path) || patternSigns.test(path)) return undefined;
  // A search names the folder itself; a file stands for its neighbours, but not in a home folder or one of the system.
  const folder = parentPath(path);
  const isShared = folder.split('/').length > (/^\/(home|Users)\//.test(folder) ? 3 : 2) && !folder.includes('/.');
  return toolName === 'Read' && isShared ? `Read(/${folder}/**)` : `Read(/${path})`;
}

/** They mean something else in a rule. */
const patternSigns = /[*?[\]!#{}\\]/;

/** Programs whose second word says what they do, and that run no other program out of their arguments. */
const withSubcommands = new Set(['npm', 'pnpm', 'yarn', 'bun', 'git', 'cargo', 'go', 'make', 'just', 'task', 'docker', 'kubectl', 'gh', 'dotnet', 'mvn', 'gradle', './gradlew', 'pip', 'pip3', 'uv', 'poetry', 'composer', 'bundle', 'rake', 'mix', 'terraform', 'helm', 'brew', 'apt', 'systemctl', 'nx', 'turbo', 'deno']);
/** Their next word names a script or a program. */
const runners = new Set(['run', 'exec', 'run-script', 'compose']);
/** What comes behind these decides: foreign code is brought in or run, something is lost, or leaves this machine. */
const decidedByTheRest = new Set([
  'install', 'i', 'ci', 'add', 'get', 'init', 'create', 'dlx', 'x', 'eval', 'tool', 'generate', 'script', 'plugin', 'extension', 'alias', 'api', 'node', 'clone', 'submodule', 'bisect', 'rebase', 'config', 'set', 'pkg', 'remote', 'push', 'publish', 'deploy', 'upload', 'release', 'login',
  'reset', 'clean', 'checkout', 'restore', 'switch', 'rm', 'remove', 'delete', 'prune', 'uninstall', 'apply', 'destroy', 'upgrade', 'update', 'start', 'stop', 'restart', 'enable', 'disable', 'edit', 'link', 'cp', 'secret', 'auth',
]);
/** Their second word runs what the third names in a place of its own, with rights of its own. */
const containers = new Set(['docker', 'kubectl']);
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
  if (decidedByTheRest.has(start[1]!) || (containers.has(start[0]!) && runners.has(start[1]!)) || (start[0] === 'deno' && count > 2) || /[:]/.test(start[1]!) && start[0] === 'mvn') return exact;
  if (count > 2 && (isInterpreter(start[2] ?? '') || isRunner(start[2] ?? '') || start[0] === 'go')) return exact;
  if (start.length < count || start.slice(1).some((word) => word.startsWith('-') || !plainWord.test(word))) return exact;
  return `Bash(${start.join(' ')}:*)`;
}
