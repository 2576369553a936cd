import type { ChatItem } from '../../src/protocol/chatView.ts';
import { Icon } from './Icon.tsx';
import { Markdown } from './Markdown.tsx';
import { useUnfolded } from './useUnfolded.ts';

export function Thinking({ item }: { readonly item: Extract<ChatItem, { kind: 'thinking' }> }) {
  const [shown, toggle] = useUnfolded(item.id, false);
  return (
    <div class="thinking" data-testid="thinking">
      <button type="button" class="fold" aria-expanded={shown} onClick={toggle}>
        <Icon name="lightbulb" />
        <span class={item.streaming ? 'live-words' : undefined}>{item.streaming ? 'Thinking…' : 'Thought about it'}</span>
        <Icon name={shown ? 'chevron-down' : 'chevron-right'} />
      </button>
      {shown && (
        <div class="thinking-text">
          <Markdown text={item.text} streaming={item.streaming} />
        </div>
      )}
    </div>
  );
}
