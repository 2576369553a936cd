import { IconButton } from './IconButton.tsx';
import { usePanel } from './PanelContext.ts';

export function Header() {
  const { state, view, post } = usePanel();
  const inList = view.value === 'sessions';
  const toggleList = (): void => {
    if (!inList) post({ type: 'list-sessions' });
    view.value = inList ? 'chat' : 'sessions';
  };
  const startSession = (): void => {
    view.value = 'chat';
    post({ type: 'new-session' });
  };
  const title = inList ? 'Sessions' : state.value.title || 'New session';
  return (
    <header class="header">
      <h1 class="header-title" data-testid="header-title" title={title}>
        {title}
      </h1>
      <IconButton icon="history" label={inList ? 'Back to the session' : 'Sessions'} testId="sessions-button" pressed={inList} onClick={toggleList} />
      <IconButton icon="add" label="New session" testId="new-session" onClick={startSession} />
    </header>
  );
}
