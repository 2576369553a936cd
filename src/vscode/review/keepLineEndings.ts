interface Line {
  readonly text: string;
  /** '' on the last line only. */
  readonly end: string;
}

/**
 * An editor has one kind of line end, so it shows a text with mixed ones (or with lone carriage returns) as if they were
 * all the same. Given what was proposed and what the editor shows now, returns what is shown with the proposal's own line
 * ends wherever its lines are still there, and with those of `before` where lines of that came back. Lines that are new
 * get the editor's.
 */
export function keepLineEndings(proposed: string, shown: string, before = ''): string {
  if (proposed === shown) return shown;
  const ends = new Set([...linesOf(proposed), ...linesOf(before)].map(({ end }) => end));
  ends.delete('');
  if (ends.size < 2 && !ends.has('\r')) return shown;
  const sources = [{ lines: linesOf(proposed), next: 0 }, { lines: linesOf(before), next: 0 }];
  const after = linesOf(shown);
  return after.reduce((text, line) => {
    const end = endFor(line);
    // After a lone carriage return, an empty line that ends in a line feed would make one line end of two.
    return text + line.text + (line.text === '' && end === '\n' && text.endsWith('\r') ? '\r' : end);
  }, '');

  function endFor(line: Line): string {
    for (const source of sources) {
      const { lines, next } = source;
      const found = lines.findIndex((candidate, index) => index >= next && index < next + lookAhead && candidate.text === line.text);
      if (found < 0) continue;
      source.next = found + 1;
      return line.end === '' ? '' : lines[found]!.end || line.end;
    }
    return line.end;
  }
}

/** Lines that may have been removed in one place before the rest is taken for new. */
const lookAhead = 1_000;

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push({ text: text.slice(start, index), end });
    start = index + end.length;
  }
  lines.push({ text: text.slice(start), end: '' });
  return lines;
}
