export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'gap' | 'file';
  readonly text: string;
  /** Line number in the file it belongs to (the old one for removed lines); undefined for a gap and a file. */
  readonly line?: number | undefined;
}

/** Pure: the lines of a unified diff, without its headers; "gap" stands between two hunks, "file" before those of each of several files. */
export function parseDiff(diff: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let oldLine = 0;
  let newLine = 0;
  let inHunk = false;
  for (const text of diff.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    // What belongs to a file begins with its sign, so no content is taken for this.
    const file = /^diff (.*)$/.exec(text);
    if (file) {
      lines.push({ kind: 'file', text: file[1]! });
      inHunk = false;
    } else if (hunk) {
      if (inHunk) lines.push({ kind: 'gap', text: '' });
      oldLine = Number(hunk[1]);
      newLine = Number(hunk[2]);
      inHunk = true;
    } else if (!inHunk || text.startsWith('\\')) {
      // File headers before the first hunk, and "\ No newline at end of file".
    } else if (text.startsWith('+')) {
      lines.push({ kind: 'added', text: text.slice(1), line: newLine++ });
    } else if (text.startsWith('-')) {
      lines.push({ kind: 'removed', text: text.slice(1), line: oldLine++ });
    } else {
      lines.push({ kind: 'same', text: text.slice(1), line: newLine++ });
      oldLine++;
    }
  }
  return lines;
}
