import type { PermissionMode } from './permissions.ts';

/** What each mode is called wherever it is shown. */
export const modeLabels: Readonly<Record<PermissionMode, string>> = {
  default: 'Ask before changes',
  acceptEdits: 'Accept edits',
  plan: 'Plan only',
  bypassPermissions: 'Ask nothing',
};
