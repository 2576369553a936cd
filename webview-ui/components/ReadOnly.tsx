import { usePanel } from './PanelContext.ts';

/** Stands in the composer's place: why nothing can be sent here, and how to go on. */
export function ReadOnly() {
  const { state, post } = usePanel();
  const why = state.value.isForeign
    ? 'A session of Claude Code: its file is read and never changed.'
    : 'This session is open in another window. Here it can be read; nothing is lost.';
  return (
    <div class="read-only" data-testid="read-only">
      <span>{why}</span>
      <button type="button" class="button" data-testid="fork-session" onClick={() => post({ type: 'fork-session' })}>
        Continue in a copy
      </button>
    </div>
  );
}
