import { resolvePath } from '../../base/paths.ts';
import type { RuleBehavior } from '../../protocol/permissionRules.ts';
import type { PermissionMode } from '../../protocol/permissions.ts';
import type { FileSystem } from '../ports.ts';
import type { Tool } from '../tools/tool.ts';
import { checkPermission } from './checkPermission.ts';
import type { RuleFinding } from './checkPermission.ts';
import { because, judgeShell } from './judgeShell.ts';
import { editTools, readTools } from './permissionRule.ts';
import { whyWriteAsks } from './protectedPaths.ts';
import { ruleName } from './ruleSet.ts';
import type { RuleSet, SourcedRule } from './ruleSet.ts';

export interface JudgedCall {
  readonly toolName: string;
  readonly access: Tool['access'];
  readonly input: { readonly [field: string]: unknown };
  /** Absolute: as given, and with links resolved. */
  readonly paths: readonly string[];
  readonly realPaths: readonly string[];
  readonly mode: PermissionMode;
}

export interface JudgeFacts {
  readonly files: Pick<FileSystem, 'realpath' | 'readFolder' | 'stat'>;
  readonly cwd: string;
  /** The workspace's folders, links resolved. */
  readonly roots: readonly string[];
  readonly homeFolder: string;
  readonly dataRoot: string;
  readonly trusted: boolean;
  readonly foldCase: boolean;
  /** Name of the shell: "bash". */
  readonly shell: string;
  /** Absolute paths of what git keeps of the workspace; undefined where there is no git. */
  readonly trackedFiles?: (() => Promise<readonly string[] | undefined>) | undefined;
}

/** The user's word is what they are for. */
const mayNotBeAllowed = new Set(['ExitPlanMode', 'AskUser']);

/** What a set of rules says about a call that is about to be made. The disk is only asked which files are there. */
export async function judgeCall(call: JudgedCall, rules: RuleSet, facts: JudgeFacts): Promise<RuleFinding> {
  const tool = byTool(call, rules);
  if (tool.deny !== undefined) return tool;
  const detail = await byDetail(call, rules, facts);
  if (detail.deny !== undefined) return detail;
  return { ask: tool.ask ?? detail.ask, guard: detail.guard, allow: mayNotBeAllowed.has(call.toolName) ? undefined : (tool.allow ?? detail.allow) };
}

function byTool({ toolName }: JudgedCall, rules: RuleSet): RuleFinding {
  const finding = findingOf((behavior) => rules.forTool(behavior, toolName));
  // A tool's bare name lets nobody read everywhere: outside the workspace a rule has to name the place. What a command line does is looked at first.
  return readTools.has(toolName) || toolName === 'Bash' ? { ...finding, allow: undefined } : finding;
}

async function byDetail(call: JudgedCall, rules: RuleSet, facts: JudgeFacts): Promise<RuleFinding> {
  if (call.toolName === 'Bash') return shellFinding(call, rules, facts);
  if (call.toolName === 'WebFetch') return findingOf((behavior) => rules.forUrl(behavior, String(call.input['url'] ?? '')));
  return pathsFinding(call, rules);
}

function findingOf(find: (behavior: RuleBehavior) => SourcedRule | undefined): RuleFinding {
  const [deny, ask, allow] = (['deny', 'ask', 'allow'] as const).map(find);
  return { deny: deny && because(deny), ask: ask && because(ask), allow: allow && ruleName(allow) };
}

/** One path is enough to be denied or asked about; to be allowed all of them have to be. */
function pathsFinding({ toolName, access, paths, realPaths }: Pick<JudgedCall, 'toolName' | 'access' | 'paths' | 'realPaths'>, rules: RuleSet): RuleFinding {
  if (access !== 'read' && access !== 'edit') return {};
  const use = { family: access === 'edit' || editTools.has(toolName) ? 'edit' : 'read', tool: toolName } as const;
  const isFolder = toolName === 'Grep' || toolName === 'Glob';
  const allowed = realPaths.map((path) => rules.forPath('allow', path, use) ?? (isFolder ? rules.forPath('allow', `${path}/anything`, use) : undefined));
  return findingOf((behavior) => {
    if (behavior === 'allow') return allowed.includes(undefined) ? undefined : allowed[0];
    return [...paths, ...realPaths].map((path) => rules.forPath(behavior, path, use)).find((rule) => rule !== undefined);
  });
}

function shellFinding({ input, mode }: JudgedCall, rules: RuleSet, facts: JudgeFacts): Promise<RuleFinding> {
  const { files, cwd } = facts;
  return judgeShell(String(input['command'] ?? ''), {
    ...facts,
    rules,
    whyWriteAsks: (path) => whyWriteAsks(path, facts),
    mayRedirect: async (path, { isWritten, isSaid }) => {
      const access = isWritten ? 'edit' : 'read';
      const realPaths = [await files.realpath(resolvePath(cwd, path))];
      const finding = pathsFinding({ toolName: isWritten ? 'Edit' : 'Read', access, paths: [path], realPaths }, rules);
      return checkPermission({ ...facts, mode: isSaid && mode === 'default' ? 'acceptEdits' : mode, access, realPaths, rules: finding }).behavior === 'allow';
    },
  });
}
