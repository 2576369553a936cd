import { usePanel } from './PanelContext.ts';
import { Icon } from './Icon.tsx';

export function DemoBanner() {
  const { post } = usePanel();
  return (
    <section class="banner demo-banner" data-testid="demo-banner" aria-label="Demo">
      <Icon name="beaker" />
      <div class="banner-body">
        <p class="banner-text">
          The built-in demo model is answering. It is not an AI: it follows a script for a few small jobs, with real tools and real files. Nothing is billed; its prices are for show.
        </p>
        <button type="button" class="text-button" data-testid="set-key" onClick={() => post({ type: 'notice-action', action: 'set-api-key' })}>
          Set API key
        </button>
      </div>
    </section>
  );
}
