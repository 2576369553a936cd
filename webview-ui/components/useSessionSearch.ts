import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionMatch } from '../../src/protocol/chatView.ts';
import { usePanel } from './PanelContext.ts';

/** After the last key that was pressed. Milliseconds. */
const restMs = 200;

export interface SessionSearch {
  readonly words: string;
  setWords(words: string): void;
  /** Of these words; none yet while they are being typed. */
  readonly matches: readonly SessionMatch[];
  readonly isLooking: boolean;
}

/** Has the host look in the contents of sessions for what is typed, and stop when it is no longer asked for. */
export function useSessionSearch(): SessionSearch {
  const { state, post } = usePanel();
  const [words, setWords] = useState('');
  const [asked, setAsked] = useState(0);
  const latest = useRef(state.value.found.request);
  const isSearch = words.trim().length > 1;
  useEffect(() => {
    if (!isSearch) return undefined;
    const timer = setTimeout(() => {
      setAsked(++latest.current);
      post({ type: 'search-sessions', request: latest.current, words });
    }, restMs);
    return () => {
      clearTimeout(timer);
      setAsked(0);
      post({ type: 'search-sessions', request: latest.current, words: '' });
    };
  }, [words]);
  const { found } = state.value;
  const isAnswer = isSearch && asked > 0 && found.request === asked;
  return { words, setWords, matches: isAnswer ? found.matches : [], isLooking: isSearch && !(isAnswer && found.isDone) };
}
