import { useEffect, useRef, useState } from 'preact/hooks';
import type { Completion } from '../../src/protocol/chatView.ts';
import { complete, completionAt } from '../text/completionAt.ts';
import type { CompletionPlace } from '../text/completionAt.ts';
import { isComposition } from '../text/shouldSend.ts';
import { usePanel } from './PanelContext.ts';

/** Milliseconds between a key and the search, so that fast typing asks once. */
const searchDelayMs = 60;
let requests = 0;

export interface CompletionPopup {
  /** Empty: nothing is shown. */
  readonly rows: readonly Completion[];
  readonly selected: number;
  /** The text or the caret has changed by the user's hand. */
  typed(box: HTMLTextAreaElement, isComposing: boolean): void;
  /** True when the key was for the list. */
  takesKey(event: KeyboardEvent): boolean;
  accept(row: Completion): void;
  close(): void;
}

/** The list that helps with commands and files while something is typed. `onText` is told text and caret of a choice. */
export function useCompletion(onText: (text: string, caret: number) => void): CompletionPopup {
  const { state, composerText, post } = usePanel();
  const [place, setPlace] = useState<(CompletionPlace & { readonly caret: number }) | undefined>(undefined);
  const [selected, setSelected] = useState(0);
  const request = useRef(0);
  const { kind, prefix } = place ?? {};
  useEffect(() => {
    if (kind === undefined || prefix === undefined) return undefined;
    const timer = setTimeout(() => {
      request.current = ++requests;
      post({ type: 'complete', request: request.current, kind, prefix });
    }, searchDelayMs);
    return () => clearTimeout(timer);
  }, [kind, prefix]);
  const { completions } = state.value;
  const rows = place && completions.request === request.current ? completions.rows : [];
  const close = (): void => setPlace(undefined);
  const accept = (row: Completion): void => {
    if (!place) return;
    const next = complete(composerText.value, place.caret, place, row.insert);
    close();
    onText(next.text, next.caret);
  };
  return {
    rows,
    selected: Math.min(selected, rows.length - 1),
    close,
    accept,
    typed(box, isComposing) {
      const next = isComposing || box.selectionStart !== box.selectionEnd ? undefined : completionAt(box.value, box.selectionStart);
      if (next?.kind !== place?.kind || next?.start !== place?.start) request.current = 0;
      setPlace(next && { ...next, caret: box.selectionStart });
      setSelected(0);
    },
    takesKey(event) {
      if (!place || rows.length === 0 || isComposition(event) || event.ctrlKey || event.metaKey || event.altKey) return false;
      const at = Math.min(selected, rows.length - 1);
      switch (event.key) {
        case 'ArrowDown':
          setSelected((at + 1) % rows.length);
          return true;
        case 'ArrowUp':
          setSelected((at - 1 + rows.length) % rows.length);
          return true;
        case 'Escape':
          close();
          return true;
        case 'Tab':
        case 'Enter': {
          const row = rows[at]!;
          const isTyped = composerText.value.slice(place.start, place.caret) === row.insert.trimEnd();
          if (event.shiftKey || (event.key === 'Enter' && isTyped)) return false;
          accept(row);
          return true;
        }
        default:
          return false;
      }
    },
  };
}
