import type { ChatItem } from '../../src/protocol/chatView.ts';
import { CopyButton } from './CopyButton.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Markdown } from './Markdown.tsx';

export function AssistantText({ item }: { readonly item: Extract<ChatItem, { kind: 'text' }> }) {
  if (typeof item.markdown !== 'string') throw new Error('The message holds no text.');
  return (
    <div class="assistant-message" data-testid="message" data-role="assistant" aria-busy={item.streaming}>
      {/* Nested so deeply that it cannot be laid out: what it says is there all the same. */}
      <ErrorBoundary what="message as Markdown" fallback={() => <p class="md-html">{item.markdown}</p>}>
        <Markdown text={item.markdown} streaming={item.streaming} />
      </ErrorBoundary>
      {!item.streaming && (
        <div class="message-actions">
          <CopyButton text={item.markdown} label="Copy answer" />
        </div>
      )}
    </div>
  );
}
