import type { ComponentChildren } from 'preact';
import type { RetryView } from '../../src/protocol/chatView.ts';
import { formatDuration } from '../text/format.ts';
import { Icon } from './Icon.tsx';
import { usePanel } from './PanelContext.ts';
import { useNow } from './useNow.ts';

export function RetryBanner({ retry }: { readonly retry: RetryView }) {
  return retry.needsConfirmation ? <LongWait retry={retry} /> : <Countdown retry={retry} />;
}

function Countdown({ retry }: { readonly retry: RetryView }) {
  const { post } = usePanel();
  const seconds = Math.max(0, Math.ceil((retry.retryAt - useNow(500)) / 1000));
  const count = retry.maxRetries > 0 ? ` (${retry.attempt} of ${retry.maxRetries})` : '';
  return (
    <Banner label="Waiting for the next try" text={retry.reason} more={(seconds > 0 ? `Next try in ${seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000)}` : 'Trying again…') + count}>
      <button type="button" class="text-button" onClick={() => post({ type: 'retry-now' })}>
        Retry now
      </button>
      <button type="button" class="text-button" onClick={() => post({ type: 'interrupt' })}>
        Cancel
      </button>
    </Banner>
  );
}

/** Asks before it waits: nobody wants to find out by looking at a clock for an hour. */
function LongWait({ retry }: { readonly retry: RetryView }) {
  const { post } = usePanel();
  const until = new Date(retry.retryAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return (
    <Banner label="A long wait: your decision" text={retry.reason} more={`The server asks to wait until ${until}, ${inMinutes(retry.retryAt - useNow(10_000))} from now. Your message is kept either way.`}>
      <button type="button" class="text-button" data-testid="long-wait" onClick={() => post({ type: 'long-wait-answer', wait: true })}>
        Wait
      </button>
      <button type="button" class="text-button" data-testid="give-up" onClick={() => post({ type: 'long-wait-answer', wait: false })}>
        Give up
      </button>
    </Banner>
  );
}

/** Takes milliseconds; nobody counts the seconds of such a wait. */
function inMinutes(ms: number): string {
  return formatDuration(Math.max(1, Math.round(ms / 60_000)) * 60_000).replace(' 0 s', '');
}

function Banner({ label, text, more, children }: { readonly label: string; readonly text: string; readonly more: string; readonly children: ComponentChildren }) {
  return (
    <section class="banner banner-warning" data-testid="retry-banner" aria-label={label}>
      <Icon name="watch" />
      <div class="banner-body">
        <p class="banner-text">
          {text} <span class="quiet">{more}</span>
        </p>
        <div class="banner-actions">{children}</div>
      </div>
    </section>
  );
}
