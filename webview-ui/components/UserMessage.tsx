import type { ChatItem } from '../../src/protocol/chatView.ts';
import { CopyButton } from './CopyButton.tsx';
import { IconButton } from './IconButton.tsx';
import { usePanel } from './PanelContext.ts';

export function UserMessage({ item }: { readonly item: Extract<ChatItem, { kind: 'user' }> }) {
  const { post, fillComposer, state } = usePanel();
  const { readOnly } = state.value;
  return (
    <div class="user-message" data-testid="message" data-role="user">
      <div class="user-text" title={new Date(item.timestamp).toLocaleString()}>
        {item.text}
      </div>
      <div class="message-actions">
        <CopyButton text={item.text} label="Copy message" />
        {!readOnly && (
          <>
            <IconButton icon="edit" label="Edit and send again" onClick={() => fillComposer(item.text)} />
            <IconButton icon="discard" label="Rewind to here…" testId="rewind-here" onClick={() => post({ type: 'rewind', messageId: item.id })} />
          </>
        )}
      </div>
    </div>
  );
}
