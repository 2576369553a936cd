import { baseName, parentPath, resolvePath } from '../../base/paths.ts';
import type { FileSystem } from '../ports.ts';
import type { RuleFinding } from './checkPermission.ts';
import { findForbidding, findPerhapsForbidding, isOpaqueLine, rulesAllowing, ruleSayingWhole } from './commandRules.ts';
import { expandGlob } from './expandGlob.ts';
import { wordsPerhapsRun } from './hiddenCommands.ts';
import { ruleName } from './ruleSet.ts';
import type { RuleSet, SourcedRule } from './ruleSet.ts';
import { readShell } from './shellCommand.ts';
import type { ShellReading } from './shellCommand.ts';
import { showsTracked } from './shellHistory.ts';
import { foldersOf, maxNamed, namedPaths } from './shellPaths.ts';
import type { NamedPath } from './shellPaths.ts';
import { nameOf, possibleCommands } from './shellWrappers.ts';
import { linksOnTheWay, readsFolders, readsUnknown } from './unknownReads.ts';

export interface ShellFacts {
  readonly rules: RuleSet;
  readonly files: Pick<FileSystem, 'realpath' | 'readFolder' | 'stat'>;
  readonly cwd: string;
  readonly homeFolder: string;
  readonly foldCase: boolean;
  /** Name of the shell that runs it: "bash". */
  readonly shell: string;
  /** Absolute paths of what git keeps of the workspace; undefined where there is no git. */
  readonly trackedFiles?: (() => Promise<readonly string[] | undefined>) | undefined;
  /** Why writing this path is always asked about; undefined: it is a file like others. */
  readonly whyWriteAsks: (path: string) => string | undefined;
  /** Whether a file may be written or read by redirection without asking. The path is absolute; `isSaid`: a rule names the whole line. */
  readonly mayRedirect: (path: string, use: { readonly isWritten: boolean; readonly isSaid: boolean }) => Promise<boolean>;
}

/** Shells whose lines mean what bash's grammar says. zsh runs code out of patterns. */
const readableShells = new Set(['bash', 'sh', 'dash']);

/** What the rules say about a command line. It is read, never run; the disk is only asked which files are there. */
export async function judgeShell(line: string, facts: ShellFacts): Promise<RuleFinding> {
  const { rules } = facts;
  const reading = readShell(line);
  const denied = findForbidding(reading.isTooMuch ? readShell(startOf(line)) : reading, rules.commands('deny'), line);
  if (denied) return { deny: because(rules.forCommand(denied)) };
  const named = namedPaths(reading, facts);
  const about = await pathsAbout(named, line, facts);
  if (about.deny !== undefined) return { deny: about.deny };
  if (reading.isTooMuch || named.length >= maxNamed) return { ask: 'There is more in the command line than can be looked through.' };
  const asked = findForbidding(reading, rules.commands('ask'), line);
  if (asked) return { ask: because(rules.forCommand(asked)) };
  if (about.ask !== undefined) return { ask: about.ask };
  const hidesSomething = isOpaqueLine(reading);
  if (hidesSomething && (rules.has('deny', 'command') || rules.has('ask', 'command') || rules.has('deny', 'path'))) return { ask: 'It cannot be told what this command line runs, and there are rules that forbid something.' };
  const open = findPerhapsForbidding(reading, [...rules.commands('deny'), ...rules.commands('ask')]);
  if (open) return { ask: `A part of it is known only when it runs. ${because(rules.forCommand(open))}` };
  const perhaps = wordsPerhapsRun(reading);
  const meant = rules.commands('deny').find(({ words }) => words.length > 0 && words.slice(0, 2).every((word) => perhaps.has(word)));
  if (meant) return { ask: `It may run ${meant.words[0]}. ${because(rules.forCommand(meant))}` };
  if (rules.has('deny', 'path') && readsFolders(reading)) return { ask: 'It reads whole folders, and there may be files in them that rules forbid to read. Grep leaves those out.' };
  if (rules.has('deny', 'path') && (readsUnknown(reading) || linksOnTheWay(reading))) return { ask: 'It cannot be told which files it reads, and there are rules that forbid some.' };
  if (rules.has('deny', 'path') && showsTracked(reading) && (await tracksDenied(facts))) return { ask: 'It shows what git keeps, and rules forbid to read some of these files.' };
  const allow = await allowing(reading, line, facts);
  if (allow === undefined) return {};
  const isWide = rules.forTool('allow', 'Bash') !== undefined || ruleSayingWhole(line, rules.commands('allow')) !== undefined;
  return { allow, guard: (await whyWritesAsk(named, line, facts)) ?? (isWide ? undefined : ((await whyFoldersAsk(reading, facts)) ?? (await whyNamesAsk(reading, facts)))) };
}

/** Of a line that is too much to be looked through: its first words are looked at all the same. */
function startOf(line: string): string {
  return /^[^;&|\n<>`$(){}'"\\]{0,1000}/.exec(line)![0];
}

/** Names the rules that allow all of it. */
async function allowing(reading: ShellReading, line: string, facts: ShellFacts): Promise<string | undefined> {
  const { rules } = facts;
  const whole = rules.forTool('allow', 'Bash');
  if (whole) return ruleName(whole);
  if (!readableShells.has(facts.shell)) return undefined;
  const allow = rules.commands('allow');
  const found = rulesAllowing(line, reading, allow);
  if (found.length === 0 || !(await redirectsAllowed(reading, ruleSayingWhole(line, allow) !== undefined, facts))) return undefined;
  return found.flatMap((rule) => rules.forCommand(rule) ?? []).map(ruleName).join(', ');
}

/** A command that writes where every edit is asked about is asked about too, as far as its words tell. */
async function whyWritesAsk(named: readonly NamedPath[], line: string, facts: ShellFacts): Promise<string | undefined> {
  for (const path of named) {
    if (!path.isWritten || harmlessDevices.test(path.path)) continue;
    for (const place of await placesOf(path, line, facts)) {
      const why = facts.whyWriteAsks(place);
      if (why !== undefined) return `It may write there: ${why}`;
    }
  }
  return undefined;
}

/** Elsewhere the same words run the scripts of another project, and git obeys the settings of another repository. */
async function whyFoldersAsk(reading: ShellReading, facts: ShellFacts): Promise<string | undefined> {
  const goesTo = reading.commands.filter(({ words }) => nameOf(words) === 'cd').map(({ words }) => words.slice(1).map(({ value }) => value));
  if (goesTo.length === 0) return undefined;
  if (goesTo.some((values) => values.includes('-') || values.every((value) => value.startsWith('-')))) return 'It goes to a folder that cannot be told from its words.';
  const folders = foldersOf(reading, facts).filter((folder) => folder !== facts.cwd);
  for (const folder of folders) {
    for (const place of new Set([folder, await facts.files.realpath(folder).catch(() => folder)])) {
      const why = facts.whyWriteAsks(place);
      if (why !== undefined) return `It goes there: ${why}`;
    }
  }
  const runsGit = reading.commands.some(({ words }) => possibleCommands(words).some((command) => nameOf(command) === 'git'));
  return runsGit && folders.length > 0 ? `It runs git in ${folders[0]}. A repository there could have settings that make git run something.` : undefined;
}

/** A star becomes the names of files, and one that begins with a dash is an option. */
async function whyNamesAsk(reading: ShellReading, facts: ShellFacts): Promise<string | undefined> {
  for (const { words } of reading.commands) {
    const end = nameOf(words) === 'find' ? -1 : words.findIndex(({ value }) => value === '--');
    for (const { value } of words.slice(1, end < 0 ? undefined : end).filter((word) => word.hasGlob && /^[-*?[@+!]/.test(word.value))) {
      for (const folder of foldersOf(reading, facts)) {
        const found = await expandGlob(`${folder}/${value.split('/')[0]}`, facts.files, { foldCase: facts.foldCase, hidden: false });
        const option = found.map(baseName).find((name) => name.startsWith('-'));
        if (option !== undefined) return `${value} stands for a file named ${option} too, which would be taken for an option.`;
      }
    }
  }
  return undefined;
}

const harmlessDevices = /^\/dev\/(null|zero|u?random|stdout|stderr|stdin|tty)$/;

async function pathsAbout(all: readonly NamedPath[], line: string, facts: ShellFacts): Promise<{ readonly deny?: string | undefined; readonly ask?: string | undefined }> {
  const { rules } = facts;
  if (!rules.has('deny', 'path') && !rules.has('ask', 'path')) return {};
  let ask: string | undefined;
  for (const named of all) {
    for (const path of await placesOf(named, line, facts)) {
      const family = named.isWritten ? 'edit' : 'read';
      const deny = rules.forPath('deny', path, { family });
      if (deny && named.isCertain) return { deny: because(deny) };
      const found = deny ?? rules.forPath('ask', path, { family });
      if (found) ask ??= because(found);
    }
  }
  return { ask };
}

/** The path as written and with links resolved, and something in it: who names a folder may mean what it holds. */
async function placesOf(named: NamedPath, line: string, { files, foldCase }: ShellFacts): Promise<string[]> {
  const paths = named.hasGlob ? [named.path, ...(await expandGlob(named.path, files, { foldCase, hidden: /dotglob/.test(line) }))] : [named.path];
  if (/\/\.\.(\/|$)/.test(named.written)) paths.push(await walked(named.written, files));
  const all = new Set<string>();
  for (const path of paths) for (const each of [path, await files.realpath(path).catch(() => path)]) all.add(each).add(`${each}/anything`);
  return [...all];
}

/** What was kept only earlier is not looked for. */
async function tracksDenied({ rules, trackedFiles }: ShellFacts): Promise<boolean> {
  return ((await trackedFiles?.()) ?? []).some((path) => rules.forPath('deny', path, { family: 'read' }) !== undefined);
}

/** Where the system ends that goes along a path step by step. */
async function walked(path: string, files: ShellFacts['files']): Promise<string> {
  let at = '/';
  for (const name of path.split('/')) at = name === '..' ? parentPath(at) : await files.realpath(resolvePath(at, name)).catch(() => resolvePath(at, name));
  return at;
}

async function redirectsAllowed(reading: ShellReading, isSaid: boolean, { cwd, mayRedirect }: ShellFacts): Promise<boolean> {
  const changesFolder = reading.commands.some(({ words }) => words[0]?.value === 'cd');
  for (const { operator, target } of reading.redirects) {
    if (!target.isFixed || target.hasGlob) return false;
    if (/^\/dev\/(null|stdout|stderr)$/.test(target.value)) continue;
    if (target.value.startsWith('~') || (changesFolder && !target.value.startsWith('/'))) return false;
    // The shell opens connections under these names.
    if (/^\/dev\/(tcp|udp)\//.test(target.value)) return false;
    if (!(await mayRedirect(resolvePath(cwd, target.value), { isWritten: operator !== '<', isSaid }))) return false;
  }
  return true;
}

export function because(rule: SourcedRule | undefined): string {
  return rule === undefined ? 'A rule forbids it.' : `The rule ${rule.text} (${rule.source}) ${rule.behavior === 'deny' ? 'forbids' : 'asks about'} it.`;
}
