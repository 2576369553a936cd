/**
 * Whether a custom command's `allowed-tools` covers a call: then its turn does not ask. Shell rules match a whole command
 * line, or one word for word up to `:*` and then only plain arguments: whatever could chain, redirect or substitute is
 * asked about. Edits are always put to the user, whatever a command file says.
 */
export function isAllowed(rules: readonly string[], toolName: string, input: { readonly [field: string]: unknown }): boolean {
  if (toolName !== 'Bash') return false;
  const command = String(input['command'] ?? '').trim();
  return rules.some((rule) => {
    const pattern = /^Bash\((.+)\)$/.exec(rule)?.[1];
    if (pattern === undefined) return false;
    if (!pattern.endsWith('*')) return command === pattern;
    const start = pattern.replace(/:?\*$/, '').trimEnd();
    return start !== '' && plain.test(command) && (command === start || command.startsWith(`${start} `));
  });
}

const plain = /^[\w./:=,@%+\- ]+$/;
