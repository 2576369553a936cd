import { TurnstoneError, errorText } from '../../base/errors.ts';
import { parentPath } from '../../base/paths.ts';
import type { PermissionRuleTexts, RememberedRule, RuleBehavior, RuleCheck } from '../../protocol/permissionRules.ts';
import type { PermissionMode, PermissionRequest } from '../../protocol/permissions.ts';
import type { FileSystem } from '../ports.ts';
import type { Tool } from '../tools/tool.ts';
import { checkPermission } from './checkPermission.ts';
import type { RuleFinding } from './checkPermission.ts';
import { describeRule } from './describeRule.ts';
import { judgeCall } from './judgeCall.ts';
import type { JudgedCall, JudgeFacts } from './judgeCall.ts';
import { because } from './judgeShell.ts';
import { parseRule } from './permissionRule.ts';
import { RuleSet } from './ruleSet.ts';
import type { SourcedRule } from './ruleSet.ts';
import { readSettingsRules, settingsFiles, settingsPathFor, writeSettingsRule } from './settingsRules.ts';
import type { FoundRules, SettingsFile } from './settingsRules.ts';

export interface PermissionFacts extends JudgeFacts {
  readonly files: FileSystem;
  /** Of the host: a command line's flags. */
  readonly given?: PermissionRuleTexts | undefined;
  /** Of the session as it was saved: rules that allow. */
  readonly saved?: readonly string[] | undefined;
}

/**
 * The rules of one session: of the settings files, of the host, and those added while it runs. Rules that deny or ask
 * count wherever they come from; a project's own rules allow something only when the workspace is trusted.
 */
export class SessionPermissions {
  readonly #facts: PermissionFacts;
  readonly #added: string[];
  /** By path, as it was when it could be read. */
  readonly #lastRead = new Map<string, FoundRules>();
  #sourced: readonly SourcedRule[] = [];
  #rules = new RuleSet([]);
  #problems: readonly string[] = [];
  #unknown: string | undefined;
  readonly #news: string[] = [];

  private constructor(facts: PermissionFacts) {
    this.#facts = facts;
    this.#added = [...(facts.saved ?? [])];
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

  /** Rules that allow something in this session alone, to be kept with it. */
  get sessionRules(): readonly string[] {
    return this.#added;
  }

  /** Reads the settings files again: they may have changed since the last turn. */
  async refresh(): Promise<void> {
    const { files, given = {} } = this.#facts;
    const places = settingsFiles(this.#facts);
    const found = await Promise.all(places.map(async (place) => this.#withLastRead(place, await readSettingsRules(place.path, files))));
    const byFile = found.flatMap(({ rules }, index) => {
      const { path, level, folder } = places[index]!;
      const counts = (behavior: RuleBehavior): boolean => behavior !== 'allow' || level === 'user' || this.#facts.trusted;
      return rules.filter(({ behavior }) => counts(behavior)).map((rule) => ({ ...rule, source: path, places: this.#places(folder, parentPath(path)) }));
    });
    const byHost = (['deny', 'ask', 'allow'] as const).flatMap((behavior) => (given[behavior] ?? []).map((text) => this.#own(text, behavior, 'given at the start')));
    this.#sourced = [...byHost, ...this.#added.map((text) => this.#own(text, 'allow', 'this session')), ...byFile];
    this.#rules = new RuleSet(this.#sourced);
    this.#unknown = found.find(({ isUnknown }) => isUnknown)?.problems[0];
    this.#problems = [...found.flatMap(({ problems }) => problems), ...this.#rules.problems];
  }

  /** What the rules say about a call that is about to be made. */
  async judge(call: JudgedCall, rules = this.#rules): Promise<RuleFinding> {
    const finding = await judgeCall(call, rules, this.#facts);
    // Who may have forbidden something must not be passed over because of a comma.
    return call.access === 'own' || this.#unknown === undefined ? finding : { ...finding, ask: finding.ask ?? this.#unknown };
  }

  /** What a rule that allows would do, and whether the same call would then go through. */
  async check(rule: string, call: JudgedCall): Promise<RuleCheck> {
    const parsed = parseRule(rule);
    if ('problem' in parsed) return { problem: parsed.problem, fits: false };
    const rules = new RuleSet([...this.#sourced, this.#own(rule.trim(), 'allow', 'this session')]);
    const verdict = checkPermission({ ...this.#facts, ...call, rules: await this.judge(call, rules) });
    return { covers: describeRule(parsed.rule, this.#facts.cwd), fits: verdict.behavior === 'allow' };
  }

  /** The same for a call that waits for the user. */
  checkFor(rule: string, { toolName, input, paths = [] }: Pick<PermissionRequest, 'toolName' | 'input' | 'paths'>, session: { readonly tools: readonly Tool[]; readonly mode: PermissionMode }): Promise<RuleCheck> {
    const access = session.tools.find(({ name }) => name === toolName)?.access ?? 'execute';
    return this.check(rule, { toolName, access, input, paths, realPaths: paths, mode: session.mode });
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
    const text = rule.trim();
    const parsed = parseRule(text);
    if ('problem' in parsed) throw new TurnstoneError('invalid_input', `The rule was not saved. ${parsed.problem}`);
    if (level !== 'session') await writeSettingsRule(settingsPathFor(level, this.#facts), { text, behavior: 'allow' }, this.#facts.files);
    else if (!this.#added.includes(text)) this.#added.push(text);
    await this.refresh();
  }

  /** Keeps a rule that came with an answer. Trouble is news for the user: the answer itself stands. */
  async remember(remembered: RememberedRule): Promise<void> {
    await this.add(remembered).catch((thrown: unknown) => void this.#news.push(errorText(thrown)));
  }

  /** What has to be told, once. */
  takeNews(): readonly string[] {
    return this.#news.splice(0);
  }

  /** What was known of a file that cannot be read now still forbids; it allows nothing any more. */
  #withLastRead({ path }: SettingsFile, found: FoundRules): FoundRules {
    if (!found.isUnknown) {
      this.#lastRead.set(path, found);
      return found;
    }
    const before = this.#lastRead.get(path)?.rules.filter(({ behavior }) => behavior !== 'allow') ?? [];
    return { ...found, rules: [...found.rules, ...before] };
  }

  #own(text: string, behavior: RuleBehavior, source: string): SourcedRule {
    return { text, behavior, source, places: this.#places(this.#facts.cwd, this.#facts.cwd) };
  }

  #places(folder: string, settingsFolder: string) {
    const { homeFolder, foldCase } = this.#facts;
    return { folder, settingsFolder, homeFolder, foldCase };
  }
}
