import type * as acp from '@agentclientprotocol/sdk';
import type { FileChange } from '../protocol/fileChange.ts';

export interface ShownChange {
  readonly content: acp.ToolCallContent[];
  readonly locations: acp.ToolCallLocation[];
}

/** Pure. A change that was made, hunk by hunk: what the unified diff shows of before and after. */
export function shownChange({ path, kind, diff }: FileChange): ShownChange {
  const content: acp.ToolCallContent[] = [];
  const locations: acp.ToolCallLocation[] = [];
  for (const hunk of diff.split(/^(?=@@ )/m)) {
    const line = Number(/^@@ -\d+(?:,\d+)? \+(\d+)/.exec(hunk)?.[1] ?? Number.NaN);
    if (Number.isNaN(line)) continue;
    locations.push({ path, line });
    const lines = hunk.split('\n').slice(1);
    content.push({ type: 'diff', path, oldText: kind === 'create' ? null : side(lines, '-'), newText: side(lines, '+') });
    // A diff that is too long says so on lines without a sign.
    const notes = lines.filter((each) => each !== '' && !/^[ +\-\\]/.test(each));
    if (notes.length > 0) content.push({ type: 'content', content: { type: 'text', text: notes.join('\n') } });
  }
  return { content, locations: locations.length > 0 ? locations : [{ path }] };
}

function side(lines: readonly string[], sign: '+' | '-'): string {
  return lines.filter((line) => line.startsWith(' ') || line.startsWith(sign)).map((line) => `${line.slice(1)}\n`).join('');
}
