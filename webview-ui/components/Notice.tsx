import type { ChatItem, NoticeAction } from '../../src/protocol/chatView.ts';
import { Icon } from './Icon.tsx';
import { usePanel } from './PanelContext.ts';

const icons = { info: 'info', warning: 'warning', error: 'error' } as const;
const words = { info: 'Note', warning: 'Warning', error: 'Error' } as const;

const actionLabels: Readonly<Record<NoticeAction, string>> = {
  'set-api-key': 'Set API key',
  'use-demo': 'Use the demo',
  'open-log': 'Open log',
  retry: 'Try again',
};

export function Notice({ item }: { readonly item: Extract<ChatItem, { kind: 'notice' }> }) {
  const { post } = usePanel();
  const { action } = item;
  return (
    <div class={`notice notice-${item.level}`} data-testid="notice" data-level={item.level}>
      <Icon name={icons[item.level]} />
      <div class="notice-body">
        <span class="sr-only">{words[item.level]}: </span>
        <span class="notice-text">{item.text}</span>
        {action && (
          <button type="button" class="text-button" onClick={() => post({ type: 'notice-action', action })}>
            {actionLabels[action]}
          </button>
        )}
      </div>
    </div>
  );
}
