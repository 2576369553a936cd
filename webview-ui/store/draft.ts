/** What is in the composer, and for which session. */
export interface TypedDraft {
  readonly sessionId: string | null;
  readonly text: string;
}

export interface OpenedDraft {
  readonly sessionId: string | null;
  /** What the host has for this session. */
  readonly text: string;
}

/**
 * Pure: what the composer holds after a session was opened. Typed text is never lost: within one session the host's
 * draft (for example the prompt that was rewound) goes before what is being typed.
 */
export function draftAfterOpening(typed: TypedDraft, opened: OpenedDraft): string {
  if (typed.sessionId !== opened.sessionId) return opened.text;
  if (typed.text.trim() === '') return opened.text;
  // The host's copy is an earlier moment of the same typing.
  if (opened.text.trim() === '' || typed.text.startsWith(opened.text)) return typed.text;
  if (opened.text.includes(typed.text)) return opened.text;
  return joinDrafts(opened.text, typed.text);
}

/** Two texts for one composer; none of them is dropped. */
export function joinDrafts(first: string, second: string): string {
  if (second.trim() === '') return first;
  if (first.trim() === '') return second;
  return `${first.trimEnd()}\n\n${second}`;
}

/** What `joinDrafts` put first, taken out again; a text that was changed since is the user's own and stays. */
export function withoutDraft(text: string, first: string): string {
  if (text.trim() === first.trim()) return '';
  const joint = `${first.trimEnd()}\n\n`;
  return text.startsWith(joint) ? text.slice(joint.length) : text;
}
