/**
 * The same text with everything that Markdown shows as code (fences, code spans) and HTML comments replaced by blanks,
 * line breaks kept: an `@` or `!` that is found in it at an offset stands outside code at that offset. Linear in the
 * length of the text.
 */
export function maskCode(text: string): string {
  const lines = text.split('\n');
  let fence: { readonly character: string; readonly length: number } | undefined;
  const outside: string[] = [];
  for (const line of lines) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line.replace(/\r$/, ''));
    const isFence = mark !== null && !(mark[1]!.startsWith('`') && mark[2]!.includes('`'));
    if (!fence && isFence) fence = { character: mark[1]![0]!, length: mark[1]!.length };
    else if (fence && isFence && mark[1]![0] === fence.character && mark[1]!.length >= fence.length && mark[2]!.trim() === '') fence = undefined;
    else if (!fence) {
      outside.push(line);
      continue;
    }
    outside.push(blank(line));
  }
  return maskSpans(outside.join('\n'));
}

/** A span ends at the next run of as many backticks, if there is one in the same paragraph. */
function maskSpans(text: string): string {
  const runs = [...text.matchAll(/`+|<!--|-->|\n[ \t\r]*\n/g)].map((match) => ({ text: match[0], start: match.index, end: match.index + match[0].length }));
  const closers = closersOf(runs.map((run) => run.text));
  const parts: string[] = [];
  let done = 0;
  for (let i = 0; i < runs.length; i++) {
    const closer = closers[i];
    if (closer === undefined) continue;
    const { start } = runs[i]!;
    const { end } = runs[closer]!;
    parts.push(text.slice(done, start), blank(text.slice(start, end)));
    done = end;
    i = closer;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

/** For each opening mark the number of the mark that closes it. Read from the end, so that each is looked at once. */
function closersOf(marks: readonly string[]): readonly (number | undefined)[] {
  const closers: (number | undefined)[] = [];
  const next = new Map<string, number>();
  let comment: number | undefined;
  for (let i = marks.length - 1; i >= 0; i--) {
    const mark = marks[i]!;
    if (mark === '-->') comment = i;
    else if (mark === '<!--') closers[i] = comment;
    else if (mark.startsWith('\n')) next.clear();
    else {
      closers[i] = next.get(mark);
      next.set(mark, i);
    }
  }
  return closers;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
