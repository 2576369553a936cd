import { errorText } from '../../base/errors.ts';
import { parentPath, resolvePath } from '../../base/paths.ts';
import type { PermissionRuleTexts, RememberedRule, RuleBehavior } from '../../protocol/permissionRules.ts';
import type { PermissionMode } from '../../protocol/permissions.ts';
import type { FileSystem } from '../ports.ts';
import type { Tool } from '../tools/tool.ts';
import { checkPermission } from './checkPermission.ts';
import type { PermissionQuestion, RuleFinding } from './checkPermission.ts';
import { because, judgeShell } from './judgeShell.ts';
import { editTools, parseRule, readTools } from './permissionRule.ts';
import { RuleSet } from './ruleSet.ts';
import type { SourcedRule } from './ruleSet.ts';
import { readSettingsRules, settingsFiles, settingsPathFor, writeSettingsRule } from './settingsRules.ts';
import type { SettingsPlaces } from './settingsRules.ts';
import { TurnstoneError } from '../../base/errors.ts';

export interface PermissionFacts extends SettingsPlaces {
  readonly files: FileSystem;
  /** The workspace's folders, links resolved. */
  readonly roots: readonly string[];
  readonly trusted: boolean;
  readonly foldCase: boolean;
  /** Name of the shell: "bash". */
  readonly shell: string;
  /** Of the host: a command line's flags. */
  readonly given?: PermissionRuleTexts | undefined;
}

export interface JudgedCall {
  readonly toolName: string;
  readonly access: Tool['access'];
  readonly input: { readonly [field: string]: unknown };
  /** Absolute: as given, and with links resolved. */
  readonly paths: readonly string[];
  readonly realPaths: readonly string[];
  readonly mode: PermissionMode;
}

/**
 * The rules of one session: of the settings files, of the host, and those added while it runs. Rules that deny or ask
 * count wherever they come from; a project's own rules allow something only when the workspace is trusted.
 */
export class SessionPermissions {
  readonly #facts: PermissionFacts;
  readonly #added: SourcedRule[] = [];
  #rules = new RuleSet([]);
  #problems: readonly string[] = [];

  private constructor(facts: PermissionFacts) {
    this.#facts = facts;
  }

  static async open(facts: PermissionFacts): Promise<SessionPermissions> {
    const permissions = new SessionPermissions(facts);
    await permissions.refresh();
    return permissions;
  }

  /** Rules that have no effect and files that could not be read, for the user. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Reads the settings files again: they may have changed since the last turn. */
  async refresh(): Promise<void> {
    const { files, given = {} } = this.#facts;
    const places = settingsFiles(this.#facts);
    const found = await Promise.all(places.map((place) => readSettingsRules(place.path, files)));
    const sourced = found.flatMap(({ rules }, index) => {
      const { path, level, folder } = places[index]!;
      const counts = (behavior: RuleBehavior): boolean => behavior !== 'allow' || level === 'user' || this.#facts.trusted;
      return rules.filter(({ behavior }) => counts(behavior)).map((rule) => ({ ...rule, source: path, places: this.#places(folder, parentPath(path)) }));
    });
    const byHost = (['deny', 'ask', 'allow'] as const).flatMap((behavior) => (given[behavior] ?? []).map((text) => this.#own(text, behavior, 'given at the start')));
    this.#rules = new RuleSet([...byHost, ...this.#added, ...sourced]);
    this.#problems = [...found.flatMap(({ problem }) => problem ?? []), ...this.#rules.problems];
  }

  /** What the rules say about a call that is about to be made. */
  async judge(call: JudgedCall): Promise<RuleFinding> {
    const tool = this.#byTool(call);
    if (tool.deny !== undefined) return tool;
    const detail = await this.#byDetail(call);
    if (detail.deny !== undefined) return detail;
    return { ask: tool.ask ?? detail.ask, allow: mayNotBeAllowed.has(call.toolName) ? undefined : (tool.allow ?? detail.allow) };
  }

  /** Why what a path holds may not be shown or kept, as far as its name tells. Absolute. */
  whyDenied(path: string): string | undefined {
    const rule = this.#rules.forPath('deny', path, { family: 'read' });
    return rule && because(rule);
  }

  /** The same for the path as it is given and for what it leads to. For everything that reads on its own: snapshots, searches. */
  async whyReadDenied(path: string): Promise<string | undefined> {
    if (!this.deniesPaths) return undefined;
    return this.whyDenied(path) ?? this.whyDenied(await this.#facts.files.realpath(path));
  }

  async isDenied(path: string): Promise<boolean> {
    return (await this.whyReadDenied(path)) !== undefined;
  }

  /** False: no path needs to be asked about. */
  get deniesPaths(): boolean {
    return this.#rules.has('deny', 'path');
  }

  /** Keeps a rule that allows. Rejects when it says nothing clear or could not be saved; then nothing has changed. */
  async add({ rule, level }: RememberedRule): Promise<void> {
    const parsed = parseRule(rule);
    if ('problem' in parsed) throw new TurnstoneError('invalid_input', `The rule was not saved. ${parsed.problem}`);
    if (level === 'session') this.#added.push(this.#own(rule.trim(), 'allow', 'this session'));
    else await writeSettingsRule(settingsPathFor(level, this.#facts), { text: rule.trim(), behavior: 'allow' }, this.#facts.files);
    await this.refresh();
  }

  /** Like `add`, but trouble is told at the next turn: the answer itself stands. */
  async remember(remembered: RememberedRule, log: { warn(text: string): void }): Promise<void> {
    await this.add(remembered).catch((thrown: unknown) => {
      log.warn(errorText(thrown));
      this.#problems = [...this.#problems, errorText(thrown)];
    });
  }

  #own(text: string, behavior: RuleBehavior, source: string): SourcedRule {
    return { text, behavior, source, places: this.#places(this.#facts.cwd, this.#facts.cwd) };
  }

  #places(folder: string, settingsFolder: string) {
    const { homeFolder, foldCase } = this.#facts;
    return { folder, settingsFolder, homeFolder, foldCase };
  }

  #byTool({ toolName }: JudgedCall): RuleFinding {
    const deny = this.#rules.forTool('deny', toolName);
    const ask = this.#rules.forTool('ask', toolName);
    const allow = toolName === 'Bash' ? undefined : this.#rules.forTool('allow', toolName);
    // A tool's bare name lets nobody read everywhere: outside the workspace a rule has to name the place.
    return { deny: deny && because(deny), ask: ask && because(ask), allow: readTools.has(toolName) ? undefined : allow?.text };
  }

  async #byDetail(call: JudgedCall): Promise<RuleFinding> {
    const rules = this.#rules;
    if (call.toolName === 'Bash') return this.#shell(call);
    if (call.toolName === 'WebFetch') {
      const url = String(call.input['url'] ?? '');
      const [deny, ask, allow] = (['deny', 'ask', 'allow'] as const).map((behavior) => rules.forUrl(behavior, url));
      return { deny: deny && because(deny), ask: ask && because(ask), allow: allow?.text };
    }
    return this.#paths(call);
  }

  #paths({ toolName, access, paths, realPaths }: JudgedCall): RuleFinding {
    if (access !== 'read' && access !== 'edit') return {};
    const use = { family: access === 'edit' || editTools.has(toolName) ? 'edit' : 'read', tool: toolName } as const;
    const all = [...paths, ...realPaths];
    const first = (behavior: RuleBehavior) => all.map((path) => this.#rules.forPath(behavior, path, use)).find((rule) => rule !== undefined);
    const deny = first('deny');
    const ask = first('ask');
    const isFolder = toolName === 'Grep' || toolName === 'Glob';
    const allowed = realPaths.map((path) => this.#rules.forPath('allow', path, use) ?? (isFolder ? this.#rules.forPath('allow', `${path}/anything`, use) : undefined));
    return { deny: deny && because(deny), ask: ask && because(ask), allow: allowed.length > 0 && !allowed.includes(undefined) ? allowed[0]?.text : undefined };
  }

  #shell({ input, mode }: JudgedCall): Promise<RuleFinding> {
    const { files, cwd, homeFolder, foldCase, shell, roots, dataRoot, trusted } = this.#facts;
    const facts = { mode, roots, dataRoot, homeFolder, trusted };
    return judgeShell(String(input['command'] ?? ''), {
      rules: this.#rules,
      files,
      cwd,
      homeFolder,
      foldCase,
      shell,
      mayRedirect: async (path, { isWritten, isSaid }) => {
        const access: PermissionQuestion['access'] = isWritten ? 'edit' : 'read';
        const realPaths = [await files.realpath(resolvePath(cwd, path))];
        const rules = this.#paths({ toolName: isWritten ? 'Edit' : 'Read', access, input: {}, paths: [path], realPaths, mode });
        return checkPermission({ ...facts, mode: isSaid && mode === 'default' ? 'acceptEdits' : mode, access, realPaths, rules }).behavior === 'allow';
      },
    });
  }
}

/** The user's word is what they are for. */
const mayNotBeAllowed = new Set(['ExitPlanMode', 'AskUser']);
