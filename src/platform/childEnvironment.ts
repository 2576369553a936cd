type Variables = { [name: string]: string | undefined };

/** Ours, the editor's own, and keys: commands that a model thought of get none of them. */
const withheld: readonly RegExp[] = [/^ANTHROPIC_/i, /^TURNSTONE_/i, /^VSCODE_/i, /^ELECTRON_/i, /API_?KEY$/i];

/** Nobody can answer a pager, an editor or a password question of a child. */
const unattended: Variables = { PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true', TERM: 'dumb', NO_COLOR: '1' };

/** The environment of a child process: the user's, without secrets and without what only makes sense inside the editor. */
export function childEnvironment(variables: Readonly<Variables> = process.env): Variables {
  const kept = Object.entries(variables).filter(([name]) => !withheld.some((pattern) => pattern.test(name)));
  const environment: Variables = { ...Object.fromEntries(kept), ...unattended };
  // These two are set by the editor along with variables that were just taken away, and fail without them.
  if (variables['VSCODE_GIT_ASKPASS_NODE'] !== undefined) delete environment['GIT_ASKPASS'];
  if (variables['VSCODE_INSPECTOR_OPTIONS'] !== undefined) delete environment['NODE_OPTIONS'];
  return environment;
}
