import * as z from 'zod';

/** What a rule says. Deny goes before ask, ask before allow, whatever level they come from. */
export type RuleBehavior = 'allow' | 'ask' | 'deny';

/** Where a rule can be kept: this session only, `.claude/settings.local.json`, `.claude/settings.json`, the user's own settings. */
export const ruleLevelSchema = z.enum(['session', 'local', 'project', 'user']);
export type RuleLevel = z.infer<typeof ruleLevelSchema>;

/** Rules as they are written: `Bash(npm test:*)`, `Read(./.env)`. */
export interface PermissionRuleTexts {
  readonly allow?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** A rule to keep beside an answer, so that the same is not asked again. */
export interface RememberedRule {
  readonly rule: string;
  readonly level: RuleLevel;
}

/** What a rule that someone is typing would do. */
export interface RuleCheck {
  /** Why it is no rule, and what to write. */
  readonly problem?: string | undefined;
  /** What it covers, in words. */
  readonly covers?: string | undefined;
  /** The same call would not be asked about again. */
  readonly fits: boolean;
}
