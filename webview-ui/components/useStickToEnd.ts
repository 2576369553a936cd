import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { VirtualizerHandle } from 'virtua';
import type { ChatItem } from '../../src/protocol/chatView.ts';

const nearEndPx = 32;
/** How long after a wheel turn or key press a scroll counts as the user's own. */
const intentMs = 400;
const scrollKeys = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ']);

/**
 * Keeps a virtual list at its end while it grows, until the user scrolls up; at the end again it sticks again.
 * Only scrolling that the user began counts: rows that are measured move the list, too.
 */
export function useStickToEnd(scroller: RefObject<HTMLElement | null>, items: readonly ChatItem[]) {
  const list = useRef<VirtualizerHandle>(null);
  const stuck = useRef(true);
  const [away, setAway] = useState(false);

  const toEnd = (): void => {
    if (stuck.current && items.length > 0) list.current?.scrollToIndex(items.length - 1, { align: 'end' });
  };
  const latestToEnd = useRef(toEnd);
  latestToEnd.current = toEnd;
  const stick = (next: boolean): void => {
    stuck.current = next;
    setAway(!next);
  };

  useLayoutEffect(toEnd, [items]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const stopWatching = watchUserScroll(element, (atEnd) => stick(atEnd));
    // The browser's own way there is a glide, which rows that are measured on the way divert.
    const goFar = (event: KeyboardEvent): void => {
      if (event.target !== element || (event.key !== 'Home' && event.key !== 'End') || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      event.preventDefault();
      stick(event.key === 'End');
      if (event.key === 'Home') list.current?.scrollToIndex(0);
      else latestToEnd.current();
    };
    element.addEventListener('keydown', goFar);
    const resize = new ResizeObserver(() => latestToEnd.current());
    resize.observe(element);
    return () => {
      stopWatching();
      element.removeEventListener('keydown', goFar);
      resize.disconnect();
    };
  }, []);
  // One's own message is always seen.
  const ownMessages = items.reduce((count, item) => (item.kind === 'user' ? count + 1 : count), 0);
  useLayoutEffect(() => {
    stick(true);
    latestToEnd.current();
  }, [ownMessages]);

  const jump = (): void => {
    stick(true);
    latestToEnd.current();
    scroller.current?.focus({ preventScroll: true });
  };
  return { list, away, jump, onResize: () => latestToEnd.current() };
}

/** Reports after each scroll that the user began whether it ended near the end. Returns what stops it. */
function watchUserScroll(element: HTMLElement, report: (atEnd: boolean) => void): () => void {
  const stop = new AbortController();
  const options = { signal: stop.signal, passive: true };
  let lastIntent = -Infinity;
  let held = false;
  const intend = (): void => void (lastIntent = performance.now());
  element.addEventListener('wheel', intend, options);
  element.addEventListener('touchmove', intend, options);
  element.addEventListener('keydown', (event) => scrollKeys.has(event.key) && intend(), options);
  // The scroll bar belongs to the scroller itself; text is selected beyond the edge with a held button, too.
  element.addEventListener('pointerdown', () => void (held = true), options);
  window.addEventListener('pointerup', () => void (held = false), options);
  element.addEventListener(
    'scroll',
    () => {
      if (!held && performance.now() - lastIntent > intentMs) return;
      intend();
      report(element.scrollHeight - element.scrollTop - element.clientHeight < nearEndPx);
    },
    options,
  );
  return () => stop.abort();
}
