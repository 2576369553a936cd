import { useEffect, useRef } from 'preact/hooks';
import type { CompletionPopup } from './useCompletion.ts';

export const completionListId = 'completions';

export function completionRowId(index: number): string {
  return `completion-${index}`;
}

/** Above the composer; the caret stays in the text. */
export function CompletionList({ popup }: { readonly popup: CompletionPopup }) {
  const list = useRef<HTMLUListElement>(null);
  const { rows, selected } = popup;
  useEffect(() => list.current?.children[selected]?.scrollIntoView({ block: 'nearest' }), [selected, rows]);
  if (rows.length === 0) return null;
  return (
    <ul ref={list} id={completionListId} class="completions" role="listbox" aria-label="Suggestions" data-testid="completions">
      {rows.map((row, index) => (
        <li
          key={row.insert}
          id={completionRowId(index)}
          class="completion"
          role="option"
          aria-selected={index === selected}
          data-testid="completion"
          title={row.detail}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => popup.accept(row)}
        >
          <span class="completion-label">{row.label}</span>
          <span class="completion-detail">{row.detail}</span>
        </li>
      ))}
    </ul>
  );
}
