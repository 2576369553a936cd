import { TurnstoneError, errorText } from '../../base/errors.ts';
import { isJsonObject, tryParseJson } from '../../base/json.ts';
import { resolvePath } from '../../base/paths.ts';
import type { RuleBehavior, RuleLevel } from '../../protocol/permissionRules.ts';
import type { FileSystem } from '../ports.ts';
import { jsonStyleOf, writeJson } from '../text/jsonStyle.ts';

export interface SettingsPlaces {
  readonly files: Pick<FileSystem, 'readFile' | 'stat' | 'writeFile' | 'realpath'>;
  readonly cwd: string;
  readonly homeFolder: string;
  readonly dataRoot: string;
}

export interface SettingsFile {
  readonly path: string;
  readonly level: Exclude<RuleLevel, 'session'>;
  /** What its relative patterns count from. */
  readonly folder: string;
}

/** Where rules are looked for, the user's first. */
export function settingsFiles({ cwd, homeFolder, dataRoot }: SettingsPlaces): readonly SettingsFile[] {
  return [
    { path: resolvePath(homeFolder, '.claude/settings.json'), level: 'user', folder: cwd },
    { path: resolvePath(dataRoot, 'settings.json'), level: 'user', folder: cwd },
    { path: resolvePath(cwd, '.claude/settings.json'), level: 'project', folder: cwd },
    { path: resolvePath(cwd, '.claude/settings.local.json'), level: 'local', folder: cwd },
  ];
}

export interface FoundRules {
  readonly rules: readonly FoundRule[];
  /** What in it has no effect, for the user. */
  readonly problems: readonly string[];
  /** What it forbids cannot be told. */
  readonly isUnknown?: boolean | undefined;
}

export interface FoundRule {
  readonly text: string;
  readonly behavior: RuleBehavior;
  /** Where in the file: "permissions.deny, entry 2". */
  readonly entry: string;
}

const behaviors = ['deny', 'ask', 'allow'] as const;

/** The rules of one settings file. What is not there has none; never rejects. */
export async function readSettingsRules(path: string, files: SettingsPlaces['files']): Promise<FoundRules> {
  const unknown = (what: string, rules: readonly FoundRule[] = []): FoundRules => ({ rules, isUnknown: true, problems: [`${path} ${what}. It may hold rules that forbid something, so everything is asked about until that is repaired.`] });
  try {
    if (!(await files.stat(path))) return { rules: [], problems: [] };
    const text = await textOf(path, files);
    if (text.trim() === '') return { rules: [], problems: [] };
    const value = tryParseJson(text);
    if (!isJsonObject(value)) return unknown('is not valid JSON', rulesInText(text));
    const permissions = value['permissions'] ?? {};
    if (!isJsonObject(permissions)) return unknown('has permissions that are no object');
    const lists = behaviors.map((behavior) => rulesOf(permissions[behavior] ?? [], behavior));
    const rules = lists.flatMap((list) => list.rules);
    const lost = behaviors.find((_, index) => lists[index]!.isLost);
    if (lost !== undefined) return unknown(`has a permissions.${lost} that is no list`, rules);
    return { rules, problems: lists.flatMap(({ wrong }) => wrong.map((entry) => `${path}: ${entry} is not a text and has no effect.`)) };
  } catch (thrown) {
    return unknown(`could not be read (${errorText(thrown)})`);
  }
}

/** A single text in place of a list is understood all the same. */
function rulesOf(list: unknown, behavior: RuleBehavior): { readonly rules: readonly FoundRule[]; readonly wrong: readonly string[]; readonly isLost: boolean } {
  if (typeof list === 'string') return { rules: [{ text: list, behavior, entry: `permissions.${behavior}` }], wrong: [], isLost: false };
  if (!Array.isArray(list)) return { rules: [], wrong: [], isLost: true };
  const entries = list.map((text: unknown, index) => ({ text, behavior, entry: `permissions.${behavior}, entry ${index + 1}` }));
  return { rules: entries.filter((each): each is FoundRule => typeof each.text === 'string'), wrong: entries.filter(({ text }) => typeof text !== 'string').map(({ entry }) => entry), isLost: false };
}

/** What a text forbids that is almost JSON: a comma too many, a comment, the marks of a merge. It allows nothing. */
function rulesInText(text: string): FoundRule[] {
  return [...text.matchAll(/"(deny|ask)"\s*:\s*\[((?:"(?:[^"\\\n]|\\.)*"|[^\]"])*)/g)].flatMap(([, behavior, list]) =>
    [...list!.matchAll(/"(?:[^"\\\n]|\\.)*"/g)].flatMap(([quoted]) => {
      const rule = tryParseJson(quoted);
      return typeof rule === 'string' ? [{ text: rule, behavior: behavior as 'deny' | 'ask', entry: `permissions.${behavior}` }] : [];
    }),
  );
}

/** Where a rule of this level is kept. */
export function settingsPathFor(level: Exclude<RuleLevel, 'session'>, { cwd, dataRoot }: SettingsPlaces): string {
  if (level === 'user') return resolvePath(dataRoot, 'settings.json');
  return resolvePath(cwd, level === 'project' ? '.claude/settings.json' : '.claude/settings.local.json');
}

/**
 * Adds a rule to a settings file, whatever else it holds kept, and its layout too as far as JSON has one. Rejects with
 * `configuration` when the file is not valid JSON: it is left as it is.
 */
export async function writeSettingsRule(path: string, { text, behavior }: { readonly text: string; readonly behavior: RuleBehavior }, files: SettingsPlaces['files']): Promise<void> {
  const before = (await files.stat(path)) ? await textOf(path, files) : '{\n  }\n';
  const value = before.trim() === '' ? {} : tryParseJson(before);
  const permissions = isJsonObject(value) ? (value['permissions'] ?? {}) : undefined;
  const list = isJsonObject(permissions) ? (permissions[behavior] ?? []) : undefined;
  if (!isJsonObject(value) || !isJsonObject(permissions) || !Array.isArray(list)) {
    throw new TurnstoneError('configuration', `The rule ${text} was not saved: ${path} is not valid JSON or its permissions are not as expected. The file was left as it is.`);
  }
  if (list.includes(text)) return;
  const after = { ...value, permissions: { ...permissions, [behavior]: [...list, text] } };
  const style = jsonStyleOf(before);
  const json = writeJson(after, style, 0);
  await files.writeFile(path, new TextEncoder().encode(`${json}${style.lineEnding}`));
}

async function textOf(path: string, files: SettingsPlaces['files']): Promise<string> {
  return new TextDecoder('utf-8').decode(await files.readFile(path));
}
