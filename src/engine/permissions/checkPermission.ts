import { baseName, isInside } from '../../base/paths.ts';
import type { PermissionMode } from '../../protocol/permissions.ts';
import type { Tool } from '../tools/tool.ts';

export interface PermissionQuestion {
  readonly mode: PermissionMode;
  readonly access: Tool['access'];
  /** Every path the call touches, links resolved. */
  readonly realPaths: readonly string[];
  readonly roots: readonly string[];
  readonly dataRoot: string;
  readonly homeFolder: string;
  readonly trusted: boolean;
  /** What the user's rules say about the call. */
  readonly rules?: RuleFinding | undefined;
}

/** Each is the text that says which rule it was. */
export interface RuleFinding {
  readonly deny?: string | undefined;
  readonly ask?: string | undefined;
  readonly allow?: string | undefined;
}

export type PermissionVerdict =
  | { readonly behavior: 'allow' }
  | { readonly behavior: 'ask'; readonly reason?: string | undefined }
  | { readonly behavior: 'deny'; readonly message: string };

const allow: PermissionVerdict = { behavior: 'allow' };

/**
 * Decides from the rules, the mode and the paths alone (SPEC V5); what it answers with `ask` is put to the user. What a
 * rule denies is denied in every mode; no rule allows what the mode, the trust or the place of a file forbids.
 */
export function checkPermission(question: PermissionQuestion): PermissionVerdict {
  const { mode, access, rules = {} } = question;
  if (rules.deny !== undefined) return { behavior: 'deny', message: `${rules.deny} Nothing was read, run or changed. Go on without it, or ask the user.` };
  if (access === 'own') return rules.ask === undefined ? allow : { behavior: 'ask', reason: rules.ask };
  const changes = access === 'edit' || access === 'execute';
  if (changes && !question.trusted) return { behavior: 'deny', message: 'This workspace is not trusted: nothing is run and nothing is changed in it. Reading and answering work.' };
  if (changes && mode === 'plan') return { behavior: 'deny', message: 'Plan mode: nothing is run and nothing is changed. Present the plan with ExitPlanMode instead.' };
  if (rules.ask !== undefined) return { behavior: 'ask', reason: rules.ask };
  if (mode === 'bypassPermissions') return allow;
  if (access === 'read') return checkRead(question);
  const reason = access === 'edit' ? whyEditAsks(question) : undefined;
  if (reason) return { behavior: 'ask', reason };
  if (rules.allow !== undefined) return allow;
  return access === 'edit' && mode === 'acceptEdits' ? allow : { behavior: 'ask' };
}

function checkRead(question: PermissionQuestion): PermissionVerdict {
  const outside = question.realPaths.find((path) => !isInWorkspace(question, path) && !isInside(question.dataRoot, path));
  return outside === undefined || question.rules?.allow !== undefined ? allow : { behavior: 'ask', reason: `${outside} is outside the workspace.` };
}

/** Files that could run code or widen rights later are asked about in every mode but bypass. */
function whyEditAsks(question: PermissionQuestion): string | undefined {
  for (const path of question.realPaths) {
    if (isInside(question.dataRoot, path)) return `${path} belongs to Turnstone itself.`;
    if (!isInWorkspace(question, path)) return `${path} is outside the workspace.`;
    const folder = path.split(/[\\/]/).find((part) => protectedFolders.has(part.toLowerCase()));
    if (folder) return `Files in ${folder} can change what other programs do.`;
    if (startUpFiles.has(baseName(path))) return `${baseName(path)} is run when a shell starts.`;
  }
  return undefined;
}

function isInWorkspace(question: PermissionQuestion, path: string): boolean {
  return question.roots.some((root) => isInside(root, path));
}

const protectedFolders = new Set(['.git', '.vscode', '.claude', '.turnstone', '.husky', '.ssh']);
const startUpFiles = new Set(['.bashrc', '.bash_profile', '.bash_login', '.profile', '.zshrc', '.zprofile', '.zshenv', '.zlogin', 'config.fish', '.gitconfig', '.npmrc', '.envrc', '.mcp.json']);
