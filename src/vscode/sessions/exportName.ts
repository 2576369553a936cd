import { cutText } from '../../base/text.ts';

/** A file name that every system takes, with what can be read of the title. */
export function exportName(title: string): string {
  const name = cutText(title.replaceAll(/[^\p{L}\p{N}._ -]+/gu, ' ').replaceAll(/\s+/g, ' '), 60).replace(/^[. ]+|[. ]+$/g, '');
  return `${name || 'session'}.md`;
}
