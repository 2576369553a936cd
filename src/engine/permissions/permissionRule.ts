/** What a `Bash(…)` rule covers. `text` is a whole command, its first words, or a text with `*` for anything. */
export interface CommandPattern {
  readonly kind: 'exact' | 'prefix' | 'glob';
  readonly text: string;
}

export type PermissionRule =
  /** The tool whatever it is called with; the name may hold `*`. */
  | { readonly kind: 'tool'; readonly tool: string }
  | { readonly kind: 'command'; readonly tool: 'Bash'; readonly pattern: CommandPattern }
  | { readonly kind: 'path'; readonly tool: string; readonly family: 'read' | 'edit'; readonly pattern: string }
  | { readonly kind: 'domain'; readonly tool: 'WebFetch'; readonly domain: string };

export type ParsedRule = { readonly rule: PermissionRule } | { readonly problem: string };

export const editTools: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'Rename']);
export const readTools: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob', 'LS', 'Diagnostics', 'Definition', 'References', 'Symbols']);
const otherTools = new Set([
  'Bash', 'BashOutput', 'KillShell', 'KillBash', 'Task', 'Agent', 'TodoWrite', 'ExitPlanMode', 'AskUser', 'WebFetch', 'WebSearch', 'Skill', 'SlashCommand', 'NotebookRead',
]);

/** Reads one rule in the syntax people have. Pure; a rule that says nothing clear has a `problem` that says what to write. */
export function parseRule(written: string): ParsedRule {
  const text = written.trim();
  const found = /^([A-Za-z][\w*-]*)(?:\(([\s\S]*)\))?$/.exec(text);
  if (!found) return { problem: `${quoted(text)} is no rule. A rule is a tool's name, with what it covers in brackets: Bash(npm test:*), Edit(src/**), Read(./.env).` };
  const [, tool = '', specifier] = found;
  if (tool.startsWith('mcp__')) return specifier === undefined ? { rule: { kind: 'tool', tool } } : { problem: `${quoted(text)}: rules for MCP tools have nothing in brackets. Write ${tool}.` };
  if (tool.includes('*')) return { problem: `${quoted(text)}: only names of MCP tools may hold a star.` };
  if (!isKnown(tool)) return { problem: `${quoted(text)}: there is no tool named ${tool}.${caseHint(tool)}` };
  if (specifier === undefined) return { rule: { kind: 'tool', tool } };
  if (specifier.trim() === '') return { problem: `${quoted(text)}: nothing stands in the brackets. Leave them out to mean every use of ${tool}.` };
  if (tool === 'Bash') return { rule: commandRule(specifier.trim()) };
  if (tool === 'WebFetch') return domainRule(text, specifier.trim());
  if (editTools.has(tool) || readTools.has(tool)) return pathRule(text, tool, specifier.trim());
  return { problem: `${quoted(text)}: rules for ${tool} have nothing in brackets. Write ${tool}.` };
}

function isKnown(tool: string): boolean {
  return editTools.has(tool) || readTools.has(tool) || otherTools.has(tool);
}

function caseHint(tool: string): string {
  const right = [...editTools, ...readTools, ...otherTools].find((name) => name.toLowerCase() === tool.toLowerCase());
  return right === undefined ? '' : ` Did you mean ${right}?`;
}

function commandRule(specifier: string): PermissionRule {
  if (/^:?\*+$/.test(specifier)) return { kind: 'tool', tool: 'Bash' };
  const start = specifier.replace(/(:| )\*$/, '').trimEnd();
  if (start !== specifier && !start.includes('*')) return { kind: 'command', tool: 'Bash', pattern: { kind: 'prefix', text: start } };
  const kind = specifier.includes('*') ? 'glob' : 'exact';
  return { kind: 'command', tool: 'Bash', pattern: { kind, text: specifier.replace(/:\*$/, ' *') } };
}

function domainRule(text: string, specifier: string): ParsedRule {
  const domain = /^domain:\s*((?:\*\.)?[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*|\*)\.?$/u.exec(specifier)?.[1];
  if (domain === undefined) return { problem: `${quoted(text)}: a rule for pages names a host: WebFetch(domain:example.com).` };
  return { rule: domain === '*' ? { kind: 'tool', tool: 'WebFetch' } : { kind: 'domain', tool: 'WebFetch', domain: domain.toLowerCase() } };
}

function pathRule(text: string, tool: string, pattern: string): ParsedRule {
  if (pattern.startsWith('!')) return { problem: `${quoted(text)}: exceptions with ! are not possible. Write what the rule is to cover.` };
  if (pattern.split(/[\\/]/).includes('..')) return { problem: `${quoted(text)}: a path in a rule cannot lead up with "..". Write it from the root (//…) or from your home folder (~/…).` };
  return { rule: { kind: 'path', tool, family: editTools.has(tool) ? 'edit' : 'read', pattern } };
}

function quoted(text: string): string {
  return `"${text.length > 120 ? `${text.slice(0, 120)}…` : text}"`;
}
