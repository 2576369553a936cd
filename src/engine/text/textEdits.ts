/** A stretch of a text to replace, as editors say it: lines and characters from 1, characters in UTF-16 units, the end not included. */
export interface RangeEdit {
  readonly line: number;
  readonly character: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly newText: string;
}

/** Makes all edits at once; each range means the text as it was. undefined when ranges overlap or lie outside of the text. */
export function applyRangeEdits(text: string, edits: readonly RangeEdit[]): string | undefined {
  const starts = lineStarts(text);
  const offsetOf = (line: number, character: number): number => {
    const start = starts[line - 1];
    const end = starts[line] ?? text.length + 1;
    return start === undefined || character < 1 || start + character - 1 >= end ? Number.NaN : start + character - 1;
  };
  const spans = edits
    .map((edit) => ({ start: offsetOf(edit.line, edit.character), end: offsetOf(edit.endLine, edit.endCharacter), newText: edit.newText }))
    .sort((one, other) => one.start - other.start || one.end - other.end);
  const parts: string[] = [];
  let kept = 0;
  for (const { start, end, newText } of spans) {
    // NaN fails every comparison.
    if (!(start >= kept && end >= start)) return undefined;
    parts.push(text.slice(kept, start), newText);
    kept = end;
  }
  return parts.join('') + text.slice(kept);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', feed + 1)) starts.push(feed + 1);
  return starts;
}
