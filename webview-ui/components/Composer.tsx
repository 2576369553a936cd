import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { shouldSend } from '../text/shouldSend.ts';
import { AttachedImages } from './AttachedImages.tsx';
import { CompletionList, completionListId, completionRowId } from './CompletionList.tsx';
import { ComposerBar } from './ComposerBar.tsx';
import { usePanel } from './PanelContext.ts';
import { ReadOnly } from './ReadOnly.tsx';
import { ReturnedPrompt } from './ReturnedPrompt.tsx';
import { useCompletion } from './useCompletion.ts';

export function Composer() {
  const { state, composerText, attachments, post, saveDraft } = usePanel();
  const box = useRef<HTMLTextAreaElement>(null);
  const caret = useRef<number | undefined>(undefined);
  const { running, readOnly, focusRequests } = state.value;
  useEffect(() => {
    if (focusRequests > 0) box.current?.focus();
  }, [focusRequests]);
  const setText = (text: string): void => {
    composerText.value = text;
    saveDraft(text);
  };
  const popup = useCompletion((text, position) => {
    setText(text);
    caret.current = position;
    box.current?.focus();
  });
  useLayoutEffect(() => {
    if (caret.current !== undefined) box.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });
  const canSend = composerText.value.trim() !== '' || attachments.images.value.length > 0;
  const send = (text = composerText.value.trimEnd()): void => {
    const images = canSend && !readOnly ? attachments.take(text) : undefined;
    if (!images) return;
    popup.close();
    setText('');
    post({ type: 'prompt-submit', text, ...(images.length > 0 && { images: [...images] }) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isForList = popup.takesKey(event);
    if (!isForList && !shouldSend(event)) return;
    event.preventDefault();
    // Escape closes the list, and does not stop the turn.
    if (isForList) event.stopPropagation();
    else send();
  };
  if (readOnly) {
    return <ReadOnly />;
  }
  const isOpen = popup.rows.length > 0;
  return (
    <div class="composer" onDragOver={allowFiles} onDrop={(event) => takeImages(event, event.dataTransfer, attachments.add)}>
      <CompletionList popup={popup} />
      <AttachedImages />
      <ReturnedPrompt onSend={send} />
      <textarea
        ref={box}
        class="composer-text"
        data-testid="composer"
        rows={1}
        aria-label="Message to Turnstone"
        aria-autocomplete="list"
        aria-controls={isOpen ? completionListId : undefined}
        aria-activedescendant={isOpen ? completionRowId(popup.selected) : undefined}
        placeholder={running ? 'Write what should come next' : 'Ask Turnstone to do something'}
        value={composerText.value}
        onInput={(event) => {
          setText(event.currentTarget.value);
          popup.typed(event.currentTarget, event.isComposing);
        }}
        onCompositionEnd={(event) => popup.typed(event.currentTarget, false)}
        onClick={popup.close}
        onBlur={popup.close}
        onPaste={(event) => takeImages(event, event.clipboardData, attachments.add)}
        onKeyDown={onKeyDown}
      />
      <ComposerBar canSend={canSend} onSend={() => send()} />
    </div>
  );
}

function allowFiles(event: DragEvent): void {
  if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
}

/** Images among what was pasted or dropped. Office programs put a picture beside their text: then the text is meant. */
function takeImages(event: Event, data: DataTransfer | null, add: (files: readonly File[]) => Promise<void>): void {
  const files = [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
  if (files.length === 0 || data?.types.includes('text/plain')) return;
  event.preventDefault();
  void add(files);
}
