import { countOf } from '../text/format.ts';
import { IconButton } from './IconButton.tsx';
import { usePanel } from './PanelContext.ts';

/** Prompts that wait for the end of the turn, or, when it was stopped or the window was reloaded, for the user. */
export function Queue() {
  const { state, post } = usePanel();
  const { queue, running } = state.value;
  if (queue.length === 0) return null;
  return (
    <ul class="queue" aria-label="Messages that wait">
      {queue.map((prompt, index) => (
        <li key={prompt.id} class="queue-item" data-testid="queue-item">
          <span class="queue-word">{running ? 'Next' : 'Not sent'}</span>
          <span class="queue-text" title={prompt.text}>
            {prompt.text}
            {prompt.imageCount !== undefined && <span class="quiet"> {countOf(prompt.imageCount, 'image')}</span>}
          </span>
          {!running && index === 0 && <IconButton icon="arrow-up" label={queue.length === 1 ? 'Send it now' : 'Send them now'} testId="queue-send" onClick={() => post({ type: 'queue-send' })} />}
          <IconButton icon="close" label="Take out of the queue" onClick={() => post({ type: 'queue-remove', id: prompt.id })} />
        </li>
      ))}
    </ul>
  );
}
