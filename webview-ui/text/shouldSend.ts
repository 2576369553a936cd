/** The parts of a keyboard event that decide. */
export interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
  readonly keyCode: number;
  readonly repeat: boolean;
}

/** What some input methods send as keyCode while they compose, even where `isComposing` is already false. */
const processKeyCode = 229;

/** Pure: a bare Enter (or Ctrl/Cmd+Enter) sends. Not while an input method composes, and not from a key held down. */
export function shouldSend(event: KeyPress): boolean {
  if (event.key !== 'Enter' || isComposition(event) || event.repeat) return false;
  return !event.shiftKey && !event.altKey;
}

/** Pure: Escape interrupts, unless an input method uses it to close its list. */
export function shouldInterrupt(event: Pick<KeyPress, 'key' | 'isComposing' | 'keyCode'>): boolean {
  return event.key === 'Escape' && !isComposition(event);
}

/** Pure: the key belongs to an input method. */
export function isComposition(event: Pick<KeyPress, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === processKeyCode;
}
