import { useLayoutEffect, useRef } from 'preact/hooks';
import { showOutput } from '../text/showOutput.ts';

const nearEndPx = 24;

/** What a tool printed; follows the end while it runs, unless the user has scrolled away from it. */
export function ToolOutput({ output, live }: { readonly output: string; readonly live: boolean }) {
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  const { text, cut } = showOutput(output);
  useLayoutEffect(() => {
    if (live && follows.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text, live]);
  const onScroll = (): void => {
    const element = box.current;
    if (element) follows.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearEndPx;
  };
  return (
    <>
      {cut && <p class="output-cut">Earlier output is left out here.</p>}
      <pre class="tool-output" ref={box} tabIndex={0} aria-label="Output" onScroll={onScroll}>
        {text}
      </pre>
    </>
  );
}
