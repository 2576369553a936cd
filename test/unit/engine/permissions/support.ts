import { judgeShell } from '../../../../src/engine/permissions/judgeShell.ts';
import { whyWriteAsks } from '../../../../src/engine/permissions/protectedPaths.ts';
import { RuleSet } from '../../../../src/engine/permissions/ruleSet.ts';
import type { PermissionRuleTexts } from '../../../../src/protocol/permissionRules.ts';

export const places = { folder: '/project', settingsFolder: '/project/.claude', homeFolder: '/home/me', foldCase: false };

export function ruleSet(texts: PermissionRuleTexts, foldCase = false): RuleSet {
  return new RuleSet((['deny', 'ask', 'allow'] as const).flatMap((behavior) => (texts[behavior] ?? []).map((text) => ({ text, behavior, source: 'the test', places: { ...places, foldCase } }))));
}

/** Names below each folder, and what links lead to. Nothing else is on this disk. */
const folders: Readonly<Record<string, readonly string[]>> = {
  '/project': ['.env', '.env.local', 'a.ts', 'b.ts', 'key.pem', 'notes', 'sub', 'secrets', 'gen', 'odd', '-o'],
  '/project/sub': ['c.ts'],
  '/project/odd': ['--compress-program=x'],
  '/project/secrets': ['token'],
};
const links: Readonly<Record<string, string>> = { '/project/notes': '/project/.env', '/project/up': '/home/me/secrets' };

export const disk = {
  realpath: async (path: string): Promise<string> => {
    const link = Object.keys(links).find((each) => path === each || path.startsWith(`${each}/`));
    return link === undefined ? path : links[link] + path.slice(link.length);
  },
  readFolder: async (path: string) => (folders[path] ?? []).map((name) => ({ name, kind: 'file' as const })),
  stat: async () => undefined,
};

/** What the rules make of a command line: nothing is run. Redirections are allowed below /project/out. */
export async function verdictOf(line: string, texts: PermissionRuleTexts, shell = 'bash'): Promise<'allow' | 'ask' | 'deny'> {
  const finding = await judgeShell(line, {
    rules: ruleSet(texts),
    files: disk,
    cwd: '/project',
    homeFolder: '/home/me',
    foldCase: false,
    shell,
    whyWriteAsks: (path) => whyWriteAsks(path, { roots: ['/project'], dataRoot: '/home/me/.turnstone' }),
    mayRedirect: async (path, { isSaid }) => isSaid || path.startsWith('/project/out/'),
  });
  if (finding.deny !== undefined) return 'deny';
  return finding.ask === undefined && finding.guard === undefined && finding.allow !== undefined ? 'allow' : 'ask';
}
