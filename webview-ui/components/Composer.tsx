import { useEffect, useRef } from 'preact/hooks';
import { shouldSend } from '../text/shouldSend.ts';
import { ComposerBar } from './ComposerBar.tsx';
import { usePanel } from './PanelContext.ts';

export function Composer() {
  const { state, composerText, post, saveDraft } = usePanel();
  const box = useRef<HTMLTextAreaElement>(null);
  const { running, readOnly, focusRequests } = state.value;
  useEffect(() => {
    if (focusRequests > 0) box.current?.focus();
  }, [focusRequests]);
  const setText = (text: string): void => {
    composerText.value = text;
    saveDraft(text);
  };
  const send = (): void => {
    const text = composerText.value.trimEnd();
    if (text === '' || readOnly) return;
    setText('');
    post({ type: 'prompt-submit', text });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!shouldSend(event)) return;
    event.preventDefault();
    send();
  };
  if (readOnly) {
    return <p class="read-only">This session is open in another window. Here it can be read; nothing is lost.</p>;
  }
  return (
    <div class="composer">
      <textarea
        ref={box}
        class="composer-text"
        data-testid="composer"
        rows={1}
        aria-label="Message to Turnstone"
        placeholder={running ? 'Write what should come next' : 'Ask Turnstone to do something'}
        value={composerText.value}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <ComposerBar canSend={composerText.value.trim() !== ''} onSend={send} />
    </div>
  );
}
