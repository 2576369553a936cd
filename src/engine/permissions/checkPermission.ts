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
}

export type PermissionVerdict =
  | { readonly behavior: 'allow' }
  | { readonly behavior: 'ask'; readonly reason?: string | undefined }
  | { readonly behavior: 'deny'; readonly message: string };

const allow: PermissionVerdict = { behavior: 'allow' };

/** Decides from the mode and the paths alone (SPEC V5); what it answers with `ask` is put to the user. */
export function checkPermission(question: PermissionQuestion): PermissionVerdict {
  const { mode, access } = question;
  if (access === 'own') return allow;
  if (access === 'consent') return mode === 'bypassPermissions' ? allow : { behavior: 'ask' };
  if (access === 'read') return mode === 'bypassPermissions' ? allow : checkRead(question);
  if (!question.trusted) return { behavior: 'deny', message: 'This workspace is not trusted: nothing is run and nothing is changed in it. Reading and answering work.' };
  if (mode === 'plan') return { behavior: 'deny', message: 'Plan mode: nothing is run and nothing is changed. Present the plan with ExitPlanMode instead.' };
  if (mode === 'bypassPermissions') return allow;
  if (access === 'execute') return { behavior: 'ask' };
  const reason = whyEditAsks(question);
  if (reason) return { behavior: 'ask', reason };
  return mode === 'acceptEdits' ? allow : { behavior: 'ask' };
}

function checkRead(question: PermissionQuestion): PermissionVerdict {
  const outside = question.realPaths.find((path) => !isInWorkspace(question, path) && !isInside(question.dataRoot, path));
  return outside === undefined ? allow : { behavior: 'ask', reason: `${outside} is outside the workspace.` };
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
