import { TurnstoneError, errorText } from '../../base/errors.ts';
import { isJsonObject, tryParseJson } from '../../base/json.ts';
import { resolvePath } from '../../base/paths.ts';
import { permissionSettingsSchema } from '../../protocol/permissionRules.ts';
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
  readonly rules: readonly { readonly text: string; readonly behavior: RuleBehavior }[];
  /** Why nothing could be taken from it. */
  readonly problem?: string | undefined;
}

/** The rules of one settings file. What is not there has none; never rejects. */
export async function readSettingsRules(path: string, files: SettingsPlaces['files']): Promise<FoundRules> {
  try {
    if (!(await files.stat(path))) return { rules: [] };
    const value = tryParseJson(await textOf(path, files));
    const parsed = permissionSettingsSchema.safeParse(value);
    const { permissions } = isJsonObject(value) ? (value as { permissions?: unknown }) : {};
    if (!isJsonObject(value)) return { rules: [], problem: `${path} is not valid JSON, so none of its permission rules count, also not those that deny. Repair it.` };
    const lists = parsed.success ? (parsed.data.permissions ?? {}) : readable(permissions);
    const rules = (['deny', 'ask', 'allow'] as const).flatMap((behavior) => (lists[behavior] ?? []).map((text) => ({ text, behavior })));
    return { rules, ...(!parsed.success && { problem: `Some permission rules in ${path} are not lists of texts and do not count. The others do.` }) };
  } catch (thrown) {
    return { rules: [], problem: `${path} could not be read, so its permission rules do not count: ${errorText(thrown)}` };
  }
}

/** Whatever is readable in settings that are wrong in part: a rule that denies must not be lost to its neighbour. */
function readable(permissions: unknown): { readonly [behavior in RuleBehavior]?: readonly string[] } {
  if (!isJsonObject(permissions)) return {};
  const textsOf = (list: unknown): string[] => (Array.isArray(list) ? list : [list]).filter((each): each is string => typeof each === 'string');
  return { allow: textsOf(permissions['allow']), ask: textsOf(permissions['ask']), deny: textsOf(permissions['deny']) };
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
