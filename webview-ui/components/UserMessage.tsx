import type { UserItem } from '../../src/protocol/chatView.ts';
import { countOf } from '../text/format.ts';
import { CopyButton } from './CopyButton.tsx';
import { Icon } from './Icon.tsx';
import { IconButton } from './IconButton.tsx';
import { usePanel } from './PanelContext.ts';

export function UserMessage({ item }: { readonly item: UserItem }) {
  const { post, fillComposer, state } = usePanel();
  const { readOnly, changed } = state.value;
  return (
    <div class="user-message" data-testid="message" data-role="user">
      <div class="user-text" title={new Date(item.timestamp).toLocaleString()}>
        {item.text}
        {item.imageCount !== undefined && (
          <span class="user-images">
            <Icon name="file-media" /> {countOf(item.imageCount, 'image')}
          </span>
        )}
      </div>
      <div class="message-actions">
        <CopyButton text={item.text} label="Copy message" />
        {!readOnly && (
          <>
            {item.isLocal ? (
              <IconButton icon="edit" label="Put into the message box" onClick={() => fillComposer(item.text)} />
            ) : (
              <IconButton icon="edit" label="Edit and send again…" testId="edit-message" onClick={() => post({ type: 'rewind', messageId: item.id, edit: true })} />
            )}
            {changed.messageIds.has(item.id) && (
              <IconButton icon="discard" label="Undo the changes of this message…" testId="undo-message" onClick={() => post({ type: 'undo-change', selection: { messageId: item.id } })} />
            )}
            {!item.isLocal && <IconButton icon="debug-reverse-continue" label="Rewind to here…" testId="rewind-here" onClick={() => post({ type: 'rewind', messageId: item.id })} />}
          </>
        )}
      </div>
    </div>
  );
}
