/** What each permission mode is called wherever it is shown. */
export const modeLabels = {
  default: 'Ask before changes',
  acceptEdits: 'Accept edits',
  plan: 'Plan only',
  bypassPermissions: 'Ask nothing',
} as const;
