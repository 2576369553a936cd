import { cutText, cutTextStart } from './text.ts';

/** UTF-16 units of output that a card shows. All of it is in the transcript. */
const shownOutputLimit = 20_000;
/** Of a longer output, the end says more than the beginning. */
const shownOutputHead = 5_000;

/** What a card shows of an output: all of it, or its beginning and its end with what is left out counted. */
export function shownOutput(text: string): string {
  if (text.length <= shownOutputLimit) return text;
  const tail = cutTextStart(text, shownOutputLimit - shownOutputHead);
  const left = text.length - shownOutputLimit;
  return `${cutText(text, shownOutputHead)}\n… ${left.toLocaleString('en')} characters not shown …\n${tail}`;
}
