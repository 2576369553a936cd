/** What to replace by what, where a text fits but for typography. Offsets in UTF-16 units. */
export interface TolerantMatch {
  readonly start: number;
  readonly end: number;
  readonly newString: string;
  /** For the model: in what the file differs from what it quoted. */
  readonly note: string;
}

/** A text without what is passed over, and where each of its characters stood. */
interface Plain {
  readonly text: string;
  readonly offsets: readonly number[];
}

const straightQuotes: Readonly<Record<string, string>> = { '‘': "'", '’': "'", '‚': "'", '‛': "'", '“': '"', '”': '"', '„': '"', '‟': '"' };

/**
 * Looks for `oldString` with curly quotes for straight ones, or white space at the end of lines. Undefined unless exactly
 * one place fits. Only what the edit changes is replaced: what old and new text have in common stays as the file has it.
 */
export function tolerantMatch(text: string, { oldString, newString }: { readonly oldString: string; readonly newString: string }): TolerantMatch | undefined {
  const [old, fresh] = [oldString.replaceAll('\r\n', '\n'), newString.replaceAll('\r\n', '\n')];
  const wanted = plain(old);
  if (wanted.text.trim() === '') return undefined;
  const within = plain(text);
  const mustEndLine = /[ \t]$/.test(old);
  const fits = (at: number): boolean => !mustEndLine || [undefined, '\n'].includes(within.text[at + wanted.text.length]);
  const places = occurrences(within.text, wanted.text).filter(fits);
  const [at] = places;
  if (at === undefined || places.length > 1) return undefined;
  const { start, end } = changedPart(old, fresh);
  // In plain characters: how many stand before the change, and before its end.
  const before = wanted.offsets.filter((offset) => offset < start).length;
  const after = wanted.offsets.filter((offset) => offset < end).length;
  const offsetOf = (index: number): number => within.offsets[at + index]!;
  const behind = (index: number): number => (index === 0 ? offsetOf(0) : offsetOf(index - 1) + 1);
  return {
    start: before < after ? offsetOf(before) : behind(before),
    end: behind(after),
    newString: fresh.slice(start, fresh.length - (old.length - end)),
    note: noteFor(old, text.slice(offsetOf(0), behind(wanted.text.length))),
  };
}

function plain(text: string): Plain {
  const characters: string[] = [];
  const offsets: number[] = [];
  for (let offset = 0; offset < text.length; ) {
    const end = endOfBlanks(text, offset);
    const endsLine = end > offset && (end === text.length || text[end] === '\n');
    if (endsLine) {
      offset = end;
      continue;
    }
    for (const stop = Math.max(end, offset + 1); offset < stop; offset++) {
      characters.push(straightQuotes[text[offset]!] ?? text[offset]!);
      offsets.push(offset);
    }
  }
  return { text: characters.join(''), offsets };
}

/** A carriage return counts where it is half of a line end. */
function endOfBlanks(text: string, start: number): number {
  let end = start;
  while (text[end] === ' ' || text[end] === '\t' || (text[end] === '\r' && text[end + 1] === '\n')) end++;
  return end;
}

/** Where `old` differs from `fresh`, as offsets in `old`; pairs of surrogates are not cut. */
function changedPart(old: string, fresh: string): { readonly start: number; readonly end: number } {
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start++;
  if (/[\uD800-\uDBFF]/.test(old[start - 1] ?? '')) start--;
  let tail = 0;
  while (tail < shorter - start && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++;
  if (/[\uDC00-\uDFFF]/.test(old[old.length - tail] ?? '')) tail--;
  return { start, end: old.length - tail };
}

function occurrences(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && found.length < 2; at = text.indexOf(wanted, at + 1)) found.push(at);
  return found;
}

function noteFor(old: string, there: string): string {
  const quotes = /[‘’‚‛“”„‟]/;
  const quotesDiffer = quotes.test(old) || quotes.test(there);
  const blanks = (text: string): string => text.replaceAll('\r\n', '\n').match(/[ \t]+(?=\n|$)/g)?.join('|') ?? '';
  const differences = [...(quotesDiffer ? ['in its quotation marks (curly or straight)'] : []), ...(blanks(old) !== blanks(there) ? ['in white space at the end of lines'] : [])];
  return `The file has old_string in one place only, but there it differs ${differences.join(' and ')}. Around the change, the file was left as it is.`;
}
