import { cutText } from '../../base/text.ts';
import { splitLines } from '../text/lineEndings.ts';
import type { DiffHunk } from '../text/unifiedDiff.ts';

/** Lines longer than this are cut where files are shown. UTF-16 units. */
export const maxShownLineLength = 2_000;

const maxSnippetLines = 60;
const maxSnippetLineLength = 500;

/** A line as Read shows it: number, tab, text. The tab is the end of the number, never part of the file. */
export function numberedLine(number: number, content: string, maxLength = maxShownLineLength): string {
  const shown = content.length > maxLength ? `${cutText(content, maxLength)}… (line cut, it has ${content.length} characters)` : content;
  return `${String(number).padStart(6)}\t${shown}`;
}

/** The places of a change as they are now, with line numbers; '' when nothing is left to show. */
export function snippetAround(text: string, hunks: readonly DiffHunk[]): string {
  const lines = splitLines(text);
  const shown: string[] = [];
  for (const hunk of hunks) {
    if (shown.length > 0) shown.push('   ...');
    for (let number = Math.max(1, hunk.newStart); number < hunk.newStart + hunk.newLines; number++) {
      const line = lines[number - 1];
      if (!line) break;
      if (shown.length >= maxSnippetLines) return [...shown, '   ... (more changed lines are not shown)'].join('\n');
      shown.push(numberedLine(number, line.content, maxSnippetLineLength));
    }
  }
  return shown.length === 0 ? '' : `It now reads:\n${shown.join('\n')}`;
}
