type Variables = { [name: string]: string | undefined };

/** Ours, the editor's own, and whatever is named like a secret: commands that a model thought of get none of them. */
const withheld: readonly RegExp[] = [
  /^(?:ANTHROPIC|TURNSTONE|VSCODE|ELECTRON)_/i,
  // Not TOKENIZERS_PARALLELISM and MAX_OUTPUT_TOKENS, which are settings of programs that have to do with language.
  /^(?!.*MAX_\w*TOKENS).*TOKEN(?!IZ)/i,
  /SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|CONNECTION_?STRING/i,
  /(?:API|ACCESS|PRIVATE|ENCRYPTION|SIGNING|MASTER|DEPLOY|STORAGE|ACCOUNT|SERVICE)_?KEY/i,
  // They carry the key of a telemetry collector.
  /^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/i,
  // MYSQL_PWD, SSHPASS, DB_PASS, npm's _auth; not PWD, GIT_ASKPASS and SSH_AUTH_SOCK.
  /_PWD$|^SSHPASS$|(?:^|_)PASS$|_AUTH$/i,
];

/** Nobody can answer a pager, an editor or a password question of a child. */
const unattended: Variables = { PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true', TERM: 'dumb', NO_COLOR: '1' };

/**
 * The environment of a child process: the user's, without secrets and without what only makes sense inside the editor.
 * `keep` names variables that stay all the same, in any case. Judged by names alone: a value that holds a password, as
 * addresses of proxies and databases can, stays.
 */
export function childEnvironment(variables: Readonly<Variables> = process.env, keep: readonly string[] = []): Variables {
  const wanted = new Set(keep.map((name) => name.toUpperCase()));
  const kept = Object.entries(variables).filter(([name]) => wanted.has(name.toUpperCase()) || !withheld.some((pattern) => pattern.test(name)));
  const environment: Variables = { ...Object.fromEntries(kept), ...unattended };
  // These two are set by the editor along with variables that were just taken away, and fail without them.
  if (variables['VSCODE_GIT_ASKPASS_NODE'] !== undefined) delete environment['GIT_ASKPASS'];
  if (variables['VSCODE_INSPECTOR_OPTIONS'] !== undefined) delete environment['NODE_OPTIONS'];
  return environment;
}
