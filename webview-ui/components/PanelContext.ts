import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { joinDrafts } from '../store/draft.ts';
import type { Panel } from '../store/connection.ts';

export interface PanelActions extends Panel {
  /** Puts text before what is being typed, and the caret after it. Only for a click of the user. */
  fillComposer(text: string): void;
  /** What the user unfolded or folded, by item id; kept here because rows leave the document when scrolled away. */
  readonly unfolded: Map<string, boolean>;
}

export const PanelContext = createContext<PanelActions | null>(null);

export function usePanel(): PanelActions {
  const panel = useContext(PanelContext);
  if (!panel) throw new Error('This component stands outside the panel.');
  return panel;
}

export function createActions(panel: Panel): PanelActions {
  return {
    ...panel,
    unfolded: new Map(),
    fillComposer(text) {
      panel.composerText.value = joinDrafts(text, panel.composerText.value);
      panel.saveDraft(panel.composerText.value);
      focusComposer();
    },
  };
}

/** After the next paint, so that the text is there. */
export function focusComposer(): void {
  requestAnimationFrame(() => {
    const composer = document.querySelector<HTMLTextAreaElement>('[data-testid="composer"]');
    composer?.focus();
    composer?.setSelectionRange(composer.value.length, composer.value.length);
  });
}
