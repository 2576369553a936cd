import type { ChatItem } from '../../src/protocol/chatView.ts';
import { CopyButton } from './CopyButton.tsx';
import { Markdown } from './Markdown.tsx';

export function AssistantText({ item }: { readonly item: Extract<ChatItem, { kind: 'text' }> }) {
  return (
    <div class="assistant-message" data-testid="message" data-role="assistant" aria-busy={item.streaming}>
      <Markdown text={item.markdown} streaming={item.streaming} />
      {!item.streaming && (
        <div class="message-actions">
          <CopyButton text={item.markdown} label="Copy answer" />
        </div>
      )}
    </div>
  );
}
