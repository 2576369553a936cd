import type { RetryView } from '../../src/protocol/chatView.ts';
import { Icon } from './Icon.tsx';
import { usePanel } from './PanelContext.ts';
import { useNow } from './useNow.ts';

export function RetryBanner({ retry }: { readonly retry: RetryView }) {
  const { post } = usePanel();
  const seconds = Math.max(0, Math.ceil((retry.retryAt - useNow(500)) / 1000));
  return (
    <section class="banner banner-warning" data-testid="retry-banner" aria-label="Waiting for the next try">
      <Icon name="watch" />
      <div class="banner-body">
        <p class="banner-text">
          {retry.reason}{' '}
          <span class="quiet">
            {seconds > 0 ? `Next try in ${seconds} s` : 'Trying again…'} ({retry.attempt} of {retry.maxRetries})
          </span>
        </p>
        <div class="banner-actions">
          <button type="button" class="text-button" onClick={() => post({ type: 'retry-now' })}>
            Retry now
          </button>
          <button type="button" class="text-button" onClick={() => post({ type: 'interrupt' })}>
            Cancel
          </button>
        </div>
      </div>
    </section>
  );
}
