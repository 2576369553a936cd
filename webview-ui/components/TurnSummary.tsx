import type { TurnItem } from '../../src/protocol/chatView.ts';
import { formatLeastUsd, formatUsd } from '../../src/base/formatUsd.ts';
import { formatDuration, formatTokens, turnDetails } from '../text/format.ts';
import { Icon } from './Icon.tsx';

/** Closes a turn with one quiet line; why it failed, where it did, stands above that line. */
export function TurnSummary({ item }: { readonly item: TurnItem }) {
  const facts = [
    item.ok ? 'Done' : 'Stopped',
    `${item.unreported ? formatLeastUsd(item.costUsd) : formatUsd(item.costUsd)}${item.isPretend ? ' (not billed)' : ''}`,
    formatDuration(item.durationMs),
    `${formatTokens(item.inputTokens)} in, ${item.unreported ? '≥ ' : ''}${formatTokens(item.outputTokens)} out`,
  ];
  return (
    <div class="turn-end" data-testid="turn-summary" data-ok={item.ok}>
      {item.error && (
        <div class="notice notice-error">
          <Icon name="error" />
          <span class="notice-text">{item.error}</span>
        </div>
      )}
      <p class="turn-facts" title={turnDetails(item)}>
        {facts.map((fact, index) => (
          <span key={index}>{fact}</span>
        ))}
      </p>
    </div>
  );
}
