import { memo } from 'preact/compat';
import { parseDiff } from '../text/parseDiff.ts';
import type { DiffLine } from '../text/parseDiff.ts';
import { visibleText } from '../text/visibleText.ts';

/** Lines that are laid out in the panel; the whole is in the diff editor. */
const shownLimit = 300;
const signs = { added: '+', removed: '−', same: '', gap: '', file: '' } as const;
const words = { added: 'added', removed: 'removed', same: '', gap: 'lines left out', file: 'in the file' } as const;

/** A unified diff, compact. */
export const Diff = memo(function Diff({ diff }: { readonly diff: string }) {
  const lines = parseDiff(diff);
  const more = lines.length - shownLimit;
  return (
    <div class="diff" tabIndex={0} role="group" aria-label="Changed lines">
      <div class="diff-lines">
        {lines.slice(0, shownLimit).map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </div>
      {more > 0 && <p class="diff-more">{more} more lines; the diff editor shows them all.</p>}
    </div>
  );
});

function Line({ line }: { readonly line: DiffLine }) {
  return (
    <div class={`diff-line diff-${line.kind}`}>
      <span class="diff-number" aria-hidden="true">
        {line.kind === 'gap' ? '⋯' : line.line}
      </span>
      <span class="diff-sign">
        <span aria-hidden="true">{signs[line.kind]}</span>
        <span class="sr-only">{words[line.kind]}</span>
      </span>
      <span class="diff-text">{visibleText(line.text)}</span>
    </div>
  );
}
