/**
 * Controls without a shape (but tab and line end), marks that turn the direction of text, and blanks of no width: what is
 * read must be what is there. Joiners and simple direction marks belong to real languages and stay.
 */
// eslint-disable-next-line no-control-regex
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Pure: text in which nothing is hidden: "⟨U+202E⟩". */
export function visibleText(text: string): string {
  return text.replace(unseen, (sign) => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}
