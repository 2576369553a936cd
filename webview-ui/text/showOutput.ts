import { cutTextStart } from '../../src/base/text.ts';
import { visibleText } from './visibleText.ts';

/** Characters that a card lays out; more makes scrolling heavy and nobody reads it there. */
const shownLimit = 30_000;

export interface ShownOutput {
  readonly text: string;
  /** Earlier text was left out. */
  readonly cut: boolean;
}

/** Pure: the end of what a command printed, from a line's start, with colour codes and progress-bar rewrites taken out. */
export function showOutput(output: string): ShownOutput {
  const cut = output.length > shownLimit;
  return { text: visibleText(plainText(cut ? endOf(output) : output)), cut };
}

function endOf(output: string): string {
  const from = output.length - shownLimit;
  const lineStart = output.indexOf('\n', from) + 1;
  return lineStart > 0 ? output.slice(lineStart) : cutTextStart(output, shownLimit);
}

// Escape sequences of terminals: CSI (colours, cursor) and OSC (titles, links).
// eslint-disable-next-line no-control-regex
const terminalCodes = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

function plainText(output: string): string {
  const text = output.replace(terminalCodes, '').replace(/\r\n/g, '\n');
  // A lone carriage return goes back to the line's start: what follows replaces it, as in a terminal.
  return text.includes('\r') ? text.replace(/^.*\r(?=[^\n])/gm, '').replace(/\r/g, '') : text;
}
