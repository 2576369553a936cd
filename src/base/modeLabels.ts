/** What each permission mode is called wherever it is shown. */
export const modeLabels = {
  default: 'Ask',
  acceptEdits: 'Accept edits',
  plan: 'Plan',
  bypassPermissions: 'Bypass',
} as const;

/** The same where it is typed: on the command line, behind /permissions, in other editors. */
export const modeWords = {
  default: 'ask',
  acceptEdits: 'accept-edits',
  plan: 'plan',
  bypassPermissions: 'bypass',
} as const;

/** The mode that was typed: by its word, its label, or the name that it has in settings. Undefined where there is none. */
export function modeOfWord(typed: string): keyof typeof modeLabels | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[\s_-]/g, '');
  const modes = Object.keys(modeLabels) as (keyof typeof modeLabels)[];
  return modes.find((mode) => [mode, modeLabels[mode], modeWords[mode]].some((name) => plain(name) === plain(typed)));
}
