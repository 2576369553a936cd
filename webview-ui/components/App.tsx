import { useEffect } from 'preact/hooks';
import { shouldInterrupt } from '../text/shouldSend.ts';
import { Announcer } from './Announcer.tsx';
import { DemoBanner } from './DemoBanner.tsx';
import { Dock } from './Dock.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Header } from './Header.tsx';
import { PanelContext } from './PanelContext.ts';
import type { PanelActions } from './PanelContext.ts';
import { SessionList } from './SessionList.tsx';
import { Transcript } from './Transcript.tsx';
import { Welcome } from './Welcome.tsx';

export function App({ panel }: { readonly panel: PanelActions }) {
  useEscape(panel);
  return (
    <PanelContext.Provider value={panel}>
      <ErrorBoundary what="panel" fallback={(retry) => <BrokenPanel onReload={retry} />}>
        <Body panel={panel} />
      </ErrorBoundary>
    </PanelContext.Provider>
  );
}

function Body({ panel }: { readonly panel: PanelActions }) {
  const { status, items, sessionId } = panel.state.value;
  return (
    <div class="panel">
      <Header />
      {status?.demo && <DemoBanner />}
      {panel.view.value === 'sessions' ? <SessionList /> : items.length === 0 ? <Welcome /> : <Transcript key={sessionId} />}
      <Dock />
      <Announcer />
    </div>
  );
}

/** Escape interrupts from anywhere in the panel; where nothing runs it leaves the list of sessions. */
function useEscape(panel: PanelActions): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!shouldInterrupt(event)) return;
      if (panel.state.value.running) panel.post({ type: 'interrupt' });
      else panel.view.value = 'chat';
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [panel]);
}

function BrokenPanel({ onReload }: { readonly onReload: () => void }) {
  return (
    <main class="broken-panel" data-testid="broken-panel">
      <h2>The panel could not be shown</h2>
      <p>The session goes on and nothing is lost. The log says what happened.</p>
      <button type="button" class="button" onClick={onReload}>
        Reload panel
      </button>
    </main>
  );
}
