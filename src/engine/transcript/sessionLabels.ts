import { TurnstoneError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { cutText } from '../../base/text.ts';

/** UTF-16 units. */
const longestTitle = 200;

/** What a session is called and where lists put it. */
export interface SessionLabels {
  /** Chosen by the user. */
  readonly customTitle: string | undefined;
  /** Made by a model. */
  readonly aiTitle: string | undefined;
  readonly pinned: boolean | undefined;
}

/** Of each the newest, in whatever line it stands. */
export function labelsOf(lines: readonly JsonObject[]): SessionLabels {
  const lastTitle = (field: string): string | undefined => {
    const value = lines.findLast((line) => typeof line[field] === 'string' && line[field] !== '')?.[field] as string | undefined;
    return value === undefined ? undefined : cutText(value, longestTitle);
  };
  return {
    customTitle: lastTitle('customTitle'),
    aiTitle: lastTitle('aiTitle'),
    pinned: lines.findLast((line) => typeof line['pinned'] === 'boolean')?.['pinned'] as boolean | undefined,
  };
}

/** Naming or pinning a session says nothing in it: it is as old as it was. */
export function isLabelLine(line: JsonObject): boolean {
  return line['type'] === 'custom-title' || line['type'] === 'session-pin';
}

/** One line. Throws `invalid_input` when nothing is left. */
export function usableTitle(text: string): string {
  const title = cutText(text.replace(/\s+/g, ' ').trim(), longestTitle);
  if (title === '') throw new TurnstoneError('invalid_input', 'A session needs a name. It keeps the one that it has.');
  return title;
}
