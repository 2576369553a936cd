import { usePanel } from './PanelContext.ts';

/** Shown while no model can answer. */
export function KeyCard() {
  const { post } = usePanel();
  return (
    <section class="key-card" data-testid="key-card" aria-label="A key is needed">
      <h2>Turnstone needs a key</h2>
      <p>An Anthropic API key lets a model answer. It is kept in the secret storage of VS Code, never in a settings file.</p>
      <p>Without a key you can try everything with the built-in demo model. It is not an AI; it follows a script.</p>
      <div class="key-buttons">
        <button type="button" class="button" data-testid="set-key" onClick={() => post({ type: 'notice-action', action: 'set-api-key' })}>
          Set API key
        </button>
        <button type="button" class="button button-secondary" data-testid="use-demo" onClick={() => post({ type: 'notice-action', action: 'use-demo' })}>
          Use the demo
        </button>
      </div>
    </section>
  );
}
