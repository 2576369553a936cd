import type { Token } from 'marked';
import { memo } from 'preact/compat';
import { useRef } from 'preact/hooks';
import { appendMarkdown, emptyMarkdown, lexMarkdown, tailTokens } from '../markdown/incrementalMarkdown.ts';
import type { GrowingMarkdown } from '../markdown/incrementalMarkdown.ts';
import { renderTokens } from '../markdown/renderTokens.ts';
import type { MarkdownParts } from '../markdown/renderTokens.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { Link } from './Link.tsx';

interface MarkdownProps {
  readonly text: string;
  /** More is on its way: closed blocks are kept, only the tail is read again. */
  readonly streaming: boolean;
}

export function Markdown({ text, streaming }: MarkdownProps) {
  return <div class="markdown">{streaming ? <GrowingText text={text} /> : <CompleteText text={text} />}</div>;
}

/** Read once as a whole, because a link's definition may stand anywhere. */
const CompleteText = memo(function CompleteText({ text }: { readonly text: string }) {
  return <TokenGroup tokens={lexMarkdown(text)} />;
});

function GrowingText({ text }: { readonly text: string }) {
  const last = useRef<{ text: string; state: GrowingMarkdown }>({ text: '', state: emptyMarkdown });
  if (last.current.text !== text) {
    const grew = text.startsWith(last.current.text);
    const state = grew ? appendMarkdown(last.current.state, text.slice(last.current.text.length)) : appendMarkdown(emptyMarkdown, text);
    last.current = { text, state };
  }
  const { state } = last.current;
  return (
    <>
      {state.groups.map((tokens, index) => (
        <TokenGroup key={index} tokens={tokens} />
      ))}
      <TokenGroup tokens={tailTokens(state)} />
    </>
  );
}

const parts: MarkdownParts = { CodeBlock, Link };

const TokenGroup = memo(function TokenGroup({ tokens }: { readonly tokens: readonly Token[] }) {
  return <>{renderTokens(tokens, parts)}</>;
});
