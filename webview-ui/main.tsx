import { render } from 'preact';
import { App } from './components/App.tsx';
import { createActions } from './components/PanelContext.ts';
import { connectToHost } from './store/connection.ts';
import type { VsCodeApi } from './store/vsCodeApi.ts';
import './styles.css';

declare function acquireVsCodeApi(): VsCodeApi;

/** The list's own observer says this when rows are measured within one frame; it means nothing. */
const harmless = /ResizeObserver loop/;

const root = document.getElementById('root') ?? document.body.appendChild(document.createElement('div'));
const panel = createActions(connectToHost(acquireVsCodeApi(), window));
window.addEventListener('error', (event) => {
  if (!harmless.test(event.message)) panel.post({ type: 'panel-error', message: describe(event.error ?? event.message) });
});
window.addEventListener('unhandledrejection', (event) => panel.post({ type: 'panel-error', message: describe(event.reason) }));
// What the page said until now.
root.replaceChildren();
render(<App panel={panel} />, root);

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
