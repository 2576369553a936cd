import { commandRule } from './commandRules.ts';
import type { CommandRule } from './commandRules.ts';
import type { RuleBehavior } from '../../protocol/permissionRules.ts';
import { coversMcpTool } from './coversMcpTool.ts';
import { pathMatcher } from './pathScope.ts';
import type { PathMatcher, PathPlaces } from './pathScope.ts';
import { editTools, parseRule, readTools } from './permissionRule.ts';
import type { PermissionRule } from './permissionRule.ts';

export interface SourcedRule {
  readonly text: string;
  readonly behavior: RuleBehavior;
  /** For messages: a file, "this session". */
  readonly source: string;
  /** Where in a settings file. */
  readonly entry?: string | undefined;
  readonly places: PathPlaces;
}

interface ReadyRule extends SourcedRule {
  readonly rule: PermissionRule;
  readonly path?: PathMatcher | undefined;
  readonly command?: CommandRule | undefined;
}

/** All rules that count in a session. Pure: answers from the names it is given. */
export class RuleSet {
  /** Rules that say nothing clear, for the user. */
  readonly problems: readonly string[];
  readonly #rules: readonly ReadyRule[];

  constructor(sourced: readonly SourcedRule[]) {
    const problems: string[] = [];
    this.#rules = sourced.flatMap((each) => {
      const parsed = parseRule(each.text);
      if ('rule' in parsed) return [ready(each, parsed.rule)];
      problems.push(`${each.source}${each.entry === undefined ? '' : `, ${each.entry}`}: this rule has no effect. ${parsed.problem}${each.behavior === 'deny' ? ' Nothing is denied by it.' : ''}`);
      return [];
    });
    this.problems = problems;
  }

  /** Rules of `Bash(…)`. */
  commands(behavior: RuleBehavior): CommandRule[] {
    return this.#of(behavior).flatMap(({ command }) => command ?? []);
  }

  has(behavior: RuleBehavior, kind: PermissionRule['kind']): boolean {
    return this.#of(behavior).some(({ rule }) => rule.kind === kind);
  }

  /** The rule about a tool whatever it is called with. */
  forTool(behavior: RuleBehavior, tool: string): SourcedRule | undefined {
    return this.#of(behavior).find(({ rule }) => rule.kind === 'tool' && (coversTool(rule.tool, tool) || coversMcpTool(rule.tool, tool, behavior !== 'allow')));
  }

  /** The rule about a path. What must not be read must not be edited either: an edit shows it. */
  forPath(behavior: RuleBehavior, path: string, use: { readonly family: 'read' | 'edit'; readonly tool?: string | undefined }): SourcedRule | undefined {
    return this.#of(behavior).find(({ rule, path: matches }) => {
      if (rule.kind !== 'path' || !matches) return false;
      const counts = behavior === 'allow' ? rule.family === use.family && coversTool(rule.tool, use.tool ?? '') : rule.family === use.family || (rule.family === 'read' && use.family === 'edit');
      return counts && matches(path);
    });
  }

  forUrl(behavior: RuleBehavior, url: string): SourcedRule | undefined {
    if (!URL.canParse(url)) return undefined;
    const host = new URL(url).hostname.toLowerCase().replace(/\.$/, '');
    return this.#of(behavior).find(({ rule }) => rule.kind === 'domain' && coversHost(rule.domain, host, behavior !== 'allow'));
  }

  forCommand(command: CommandRule): SourcedRule | undefined {
    return this.#rules.find((rule) => rule.command === command);
  }

  #of(behavior: RuleBehavior): readonly ReadyRule[] {
    return this.#rules.filter((rule) => rule.behavior === behavior);
  }
}

/** The rule and where it stands. */
export function ruleName({ text, source }: SourcedRule): string {
  return `${text} (${source})`;
}

function ready(each: SourcedRule, rule: PermissionRule): ReadyRule {
  if (rule.kind === 'path') return { ...each, rule, path: pathMatcher(rule.pattern, each.places, each.behavior !== 'allow') };
  return rule.kind === 'command' ? { ...each, rule, command: commandRule(rule.pattern) } : { ...each, rule };
}

/** `Edit` and `Read` stand for all tools that edit and read. */
function coversTool(pattern: string, tool: string): boolean {
  if (pattern === tool) return true;
  if (pattern === 'Edit') return editTools.has(tool);
  if (pattern === 'Read') return readTools.has(tool);
  if (pattern === 'KillBash') return tool === 'KillShell';
  return pattern === 'Agent' && tool === 'Task';
}

/** What forbids a host forbids what lies below it. */
function coversHost(domain: string, host: string, isWide: boolean): boolean {
  if (domain.startsWith('*.')) return host.endsWith(domain.slice(1)) || (isWide && host === domain.slice(2));
  return host === domain || (isWide && host.endsWith(`.${domain}`));
}
