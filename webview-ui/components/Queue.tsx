import { countOf } from '../text/format.ts';
import { IconButton } from './IconButton.tsx';
import { usePanel } from './PanelContext.ts';

/** Prompts that wait for the end of the turn. */
export function Queue() {
  const { state, post } = usePanel();
  const { queue } = state.value;
  if (queue.length === 0) return null;
  return (
    <ul class="queue" aria-label="Messages that wait">
      {queue.map((prompt) => (
        <li key={prompt.id} class="queue-item" data-testid="queue-item">
          <span class="queue-word">Next</span>
          <span class="queue-text" title={prompt.text}>
            {prompt.text}
            {prompt.imageCount !== undefined && <span class="quiet"> {countOf(prompt.imageCount, 'image')}</span>}
          </span>
          <IconButton icon="close" label="Take out of the queue" onClick={() => post({ type: 'queue-remove', id: prompt.id })} />
        </li>
      ))}
    </ul>
  );
}
