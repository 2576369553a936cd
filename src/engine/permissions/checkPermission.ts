import { isInside } from '../../base/paths.ts';
import type { Decider, PermissionMode } from '../../protocol/permissions.ts';
import type { Tool } from '../tools/tool.ts';
import { whyWriteAsks } from './protectedPaths.ts';

export interface PermissionQuestion {
  readonly mode: PermissionMode;
  readonly access: Tool['access'];
  /** Every path the call touches, links resolved. */
  readonly realPaths: readonly string[];
  readonly roots: readonly string[];
  readonly dataRoot: string;
  readonly trusted: boolean;
  /** What the user's rules say about the call. */
  readonly rules?: RuleFinding | undefined;
}

/** `deny` and `ask` are sentences that say which rule it was, `allow` names it. */
export interface RuleFinding {
  readonly deny?: string | undefined;
  readonly ask?: string | undefined;
  readonly allow?: string | undefined;
  /** Why no rule may allow it: a command writes where every edit is asked about. */
  readonly guard?: string | undefined;
}

export type PermissionVerdict =
  /** Without `by` nothing had to be decided: it reads in the workspace, or changes only the session itself. */
  | { readonly behavior: 'allow'; readonly by?: Decider | undefined; readonly rule?: string | undefined }
  | { readonly behavior: 'ask'; readonly reason?: string | undefined }
  | { readonly behavior: 'deny'; readonly message: string; readonly by: Decider };

/**
 * Decides from the rules, the mode and the paths alone; what it answers with `ask` is put to the user. What a rule denies
 * is denied in every mode; no rule allows what the mode, the trust or the place of a file forbids.
 */
export function checkPermission(question: PermissionQuestion): PermissionVerdict {
  const { mode, access, rules = {} } = question;
  if (rules.deny !== undefined) return { behavior: 'deny', by: 'rule', message: `${rules.deny} Nothing was read, run or changed. Go on without it, or ask the user.` };
  if (access === 'own') return rules.ask === undefined ? { behavior: 'allow' } : { behavior: 'ask', reason: rules.ask };
  const changes = access === 'edit' || access === 'execute';
  if (changes && !question.trusted) return { behavior: 'deny', by: 'trust', message: 'This workspace is not trusted: nothing is run and nothing is changed in it. Reading and answering work.' };
  if (changes && mode === 'plan') return { behavior: 'deny', by: 'mode', message: 'Plan mode: nothing is run and nothing is changed. Present the plan with ExitPlanMode instead.' };
  if (rules.ask !== undefined) return { behavior: 'ask', reason: rules.ask };
  if (mode === 'bypassPermissions') return { behavior: 'allow', by: 'mode' };
  if (access === 'read') return checkRead(question);
  const reason = access === 'edit' ? whyEditAsks(question) : rules.guard;
  if (reason) return { behavior: 'ask', reason };
  if (rules.allow !== undefined) return { behavior: 'allow', by: 'rule', rule: rules.allow };
  return access === 'edit' && mode === 'acceptEdits' ? { behavior: 'allow', by: 'mode' } : { behavior: 'ask' };
}

function checkRead({ realPaths, roots, dataRoot, rules }: PermissionQuestion): PermissionVerdict {
  const outside = realPaths.find((path) => ![...roots, dataRoot].some((root) => isInside(root, path)));
  if (outside === undefined) return { behavior: 'allow' };
  return rules?.allow === undefined ? { behavior: 'ask', reason: `${outside} is outside the workspace.` } : { behavior: 'allow', by: 'rule', rule: rules.allow };
}

function whyEditAsks({ realPaths, roots, dataRoot }: PermissionQuestion): string | undefined {
  for (const path of realPaths) {
    const why = whyWriteAsks(path, { roots, dataRoot });
    if (why !== undefined) return why;
  }
  return undefined;
}
