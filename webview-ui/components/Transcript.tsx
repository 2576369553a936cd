import { useRef } from 'preact/hooks';
import { Virtualizer } from 'virtua';
import type { ChatItem } from '../../src/protocol/chatView.ts';
import { Icon } from './Icon.tsx';
import { usePanel } from './PanelContext.ts';
import { TranscriptRow } from './TranscriptRow.tsx';
import { useStickToEnd } from './useStickToEnd.ts';

/** Pixels laid out beyond the edges, so that fast scrolling shows no gaps. */
const bufferPx = 600;

/** The conversation. Only what is near the view is in the document. */
export function Transcript() {
  const { state } = usePanel();
  const { items, running } = state.value;
  const scroller = useRef<HTMLDivElement>(null);
  const { list, away, jump, onResize } = useStickToEnd(scroller, items);
  return (
    <main class="transcript">
      <div class="scroller" ref={scroller} tabIndex={0} role="feed" aria-label="Conversation" aria-busy={running}>
        <div class="scroller-space" />
        <Virtualizer ref={list} data={items} bufferSize={bufferPx} scrollRef={scroller} startMargin={scrollerSpacePx} onResize={onResize}>
          {(item: ChatItem, index: number) => <TranscriptRow key={item.id} item={item} position={index + 1} total={items.length} />}
        </Virtualizer>
      </div>
      {away && (
        <button type="button" class="jump" onClick={jump}>
          <Icon name="arrow-down" />
          Latest
        </button>
      )}
    </main>
  );
}

/** The height of .scroller-space in the style sheet. */
const scrollerSpacePx = 8;
