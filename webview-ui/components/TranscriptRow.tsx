import { memo } from 'preact/compat';
import { assertNever } from '../../src/base/assertNever.ts';
import type { ChatItem } from '../../src/protocol/chatView.ts';
import { AssistantText } from './AssistantText.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Notice } from './Notice.tsx';
import { Thinking } from './Thinking.tsx';
import { ToolCard } from './ToolCard.tsx';
import { TurnSummary } from './TurnSummary.tsx';
import { UserMessage } from './UserMessage.tsx';

interface TranscriptRowProps {
  readonly item: ChatItem;
  /** From 1. */
  readonly position: number;
  readonly total: number;
}

export const TranscriptRow = memo(function TranscriptRow({ item, position, total }: TranscriptRowProps) {
  return (
    <article class={`row row-${item.kind}`} aria-posinset={position} aria-setsize={total} aria-label={labelOf(item)}>
      <ErrorBoundary what="message" fallback={(retry) => <BrokenMessage onRetry={retry} />}>
        <ItemView item={item} />
      </ErrorBoundary>
    </article>
  );
});

function ItemView({ item }: { readonly item: ChatItem }) {
  switch (item.kind) {
    case 'user':
      return <UserMessage item={item} />;
    case 'text':
      return <AssistantText item={item} />;
    case 'thinking':
      return <Thinking item={item} />;
    case 'tool':
      return <ToolCard item={item} />;
    case 'notice':
      return <Notice item={item} />;
    case 'turn':
      return <TurnSummary item={item} />;
    default:
      return assertNever(item, 'item');
  }
}

function BrokenMessage({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <div class="notice notice-error" data-testid="broken-message">
      <span class="notice-text">This message could not be shown. It is kept in the session; the log says why.</span>
      <button type="button" class="text-button" onClick={onRetry}>
        Show it again
      </button>
    </div>
  );
}

function labelOf(item: ChatItem): string {
  const labels = { user: 'You', text: 'Answer', thinking: 'Thinking', tool: 'Tool', notice: 'Note', turn: 'End of turn' } as const;
  return labels[item.kind];
}
