import assert from 'node:assert/strict';
import { checkPermission } from '../../../../src/engine/permissions/checkPermission.ts';
import type { PermissionQuestion } from '../../../../src/engine/permissions/checkPermission.ts';

const base: PermissionQuestion = { mode: 'default', access: 'read', realPaths: ['/w/src/a.ts'], roots: ['/w'], dataRoot: '/home/u/.turnstone', trusted: true };

const cases: [name: string, question: Partial<PermissionQuestion>, behavior: 'allow' | 'ask' | 'deny'][] = [
  ['reading in the workspace', {}, 'allow'],
  ['reading outside', { realPaths: ['/etc/passwd'] }, 'ask'],
  ['reading a neighbour whose name begins alike', { realPaths: ['/w-secret/a'] }, 'ask'],
  ['reading outside, bypass', { realPaths: ['/etc/passwd'], mode: 'bypassPermissions' }, 'allow'],
  ['reading in an untrusted workspace', { trusted: false }, 'allow'],
  ['editing, default', { access: 'edit' }, 'ask'],
  ['editing, acceptEdits', { access: 'edit', mode: 'acceptEdits' }, 'allow'],
  ['editing outside, acceptEdits', { access: 'edit', mode: 'acceptEdits', realPaths: ['/etc/hosts'] }, 'ask'],
  ['editing through a link that leads outside', { access: 'edit', mode: 'acceptEdits', realPaths: ['/w/link.md', '/home/u/real.md'] }, 'ask'],
  ['editing .git', { access: 'edit', mode: 'acceptEdits', realPaths: ['/w/.git/hooks/pre-commit'] }, 'ask'],
  ['editing .GIT', { access: 'edit', mode: 'acceptEdits', realPaths: ['/w/.GIT/config'] }, 'ask'],
  ['editing .vscode', { access: 'edit', mode: 'acceptEdits', realPaths: ['/w/.vscode/tasks.json'] }, 'ask'],
  ['editing a start-up file', { access: 'edit', mode: 'acceptEdits', realPaths: ['/w/.bashrc'] }, 'ask'],
  ['editing our own data', { access: 'edit', mode: 'acceptEdits', roots: ['/home/u'], realPaths: ['/home/u/.turnstone/settings.json'] }, 'ask'],
  ['editing, plan', { access: 'edit', mode: 'plan' }, 'deny'],
  ['editing, bypass', { access: 'edit', mode: 'bypassPermissions', realPaths: ['/etc/hosts'] }, 'allow'],
  ['editing, untrusted, bypass', { access: 'edit', mode: 'bypassPermissions', trusted: false }, 'deny'],
  ['a command, default', { access: 'execute' }, 'ask'],
  ['a command, acceptEdits', { access: 'execute', mode: 'acceptEdits' }, 'ask'],
  ['a command, plan', { access: 'execute', mode: 'plan' }, 'deny'],
  ['a command, bypass', { access: 'execute', mode: 'bypassPermissions' }, 'allow'],
  ['a command, untrusted', { access: 'execute', trusted: false }, 'deny'],
  ['the todo list, plan', { access: 'own', mode: 'plan' }, 'allow'],
];

describe('checkPermission', () => {
  for (const [name, question, behavior] of cases) {
    it(`${name}: ${behavior}`, () => assert.equal(checkPermission({ ...base, ...question }).behavior, behavior));
  }
});
