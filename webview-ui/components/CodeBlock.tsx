import { memo } from 'preact/compat';
import type { ComponentChild } from 'preact';
import { highlight } from '../markdown/highlight.ts';
import type { CodeNode } from '../markdown/codeTree.ts';
import { visibleText } from '../text/visibleText.ts';
import { CopyButton } from './CopyButton.tsx';

/** Code that is still being written is coloured as long as that costs less than a frame. */
const openHighlightLimit = 3000;

interface CodeBlockProps {
  readonly code: string;
  readonly language: string;
  /** More of it is on its way. */
  readonly open?: boolean;
}

export const CodeBlock = memo(function CodeBlock({ code, language, open = false }: CodeBlockProps) {
  const shown = visibleText(code);
  const plain = open && code.length > openHighlightLimit;
  return (
    <div class="code-block">
      <div class="code-head">
        <span class="code-language">{language || 'text'}</span>
        {!open && <CopyButton text={code} label="Copy code" />}
      </div>
      <pre tabIndex={0} aria-label={`Code, ${language || 'plain text'}`}>
        <code>{plain ? <GrowingCode code={shown} /> : renderNodes(highlight(shown, language))}</code>
      </pre>
    </div>
  );
});

const linesPerPart = 60;

/** In parts of many lines, so that what is there already is neither compared nor laid out again with each delta. */
function GrowingCode({ code }: { readonly code: string }) {
  const lines = code.split('\n');
  const parts: string[] = [];
  for (let index = 0; index < lines.length; index += linesPerPart) parts.push(lines.slice(index, index + linesPerPart).join('\n'));
  return (
    <>
      {parts.map((part, index) => (
        <span key={index} class="code-part">
          {part}
        </span>
      ))}
    </>
  );
}

function renderNodes(nodes: readonly CodeNode[]): ComponentChild[] {
  return nodes.map((node, index) =>
    typeof node === 'string' ? (
      node
    ) : (
      <span key={index} class={`hl-${node.scope.split('.', 1)[0] ?? ''}`}>
        {renderNodes(node.children)}
      </span>
    ),
  );
}
