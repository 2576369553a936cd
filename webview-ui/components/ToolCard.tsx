import type { ToolItem } from '../../src/protocol/chatView.ts';
import { visibleText } from '../text/visibleText.ts';
import { Diff } from './Diff.tsx';
import { Icon } from './Icon.tsx';
import { IconButton } from './IconButton.tsx';
import { usePanel } from './PanelContext.ts';
import { ToolOutput } from './ToolOutput.tsx';
import { statusLook, toolLook, unfoldedByDefault } from './toolPresentation.ts';
import { useUnfolded } from './useUnfolded.ts';

export function ToolCard({ item }: { readonly item: ToolItem }) {
  const { state } = usePanel();
  // The approval card below shows the same diff; twice would be noise.
  const reviewed = state.value.approvals.some(({ id, calls = [] }) => id === item.id || calls.includes(item.id));
  const [shown, toggle] = useUnfolded(item.id, unfoldedByDefault(item, reviewed));
  const hasDetails = item.diff !== undefined || item.output.trim() !== '';
  return (
    <div class={`tool tool-${item.status}`} data-testid="tool-card" data-tool={item.tool} data-status={item.status}>
      <div class="tool-head">
        <Icon name={toolLook(item.tool).icon} />
        <ToolTitle item={item} />
        <UndoChange id={item.id} />
        <ToolFacts item={item} isUndone={state.value.changed.undone.has(item.id) && item.status !== 'failed'} />
        {hasDetails && (
          <button type="button" class="icon-button tool-fold" aria-expanded={shown} aria-label={shown ? 'Hide details' : 'Show details'} title={shown ? 'Hide details' : 'Show details'} onClick={toggle}>
            <Icon name={shown ? 'chevron-down' : 'chevron-right'} />
          </button>
        )}
      </div>
      {item.verdicts !== undefined && <p class="tool-verdicts" data-testid="verdicts">{item.verdicts}</p>}
      {item.status === 'waiting' && !reviewed && item.diff !== undefined && <OpenDiff id={item.id} />}
      {shown && hasDetails && <ToolDetails item={item} />}
    </div>
  );
}

function ToolTitle({ item }: { readonly item: ToolItem }) {
  const { post } = usePanel();
  const { path } = item;
  const { verb } = toolLook(item.tool);
  return (
    <span class="tool-title">
      <span class="tool-verb">{verb}</span>{' '}
      {path === undefined ? (
        <span class={item.tool === 'Bash' ? 'tool-name tool-command' : 'tool-name'} title={item.title}>
          {visibleText(item.title)}
        </span>
      ) : (
        <button type="button" class="tool-name tool-file" title={`Open ${path}`} onClick={() => post({ type: 'open-file', path })}>
          {visibleText(item.title)}
        </button>
      )}
    </span>
  );
}

function ToolFacts({ item, isUndone }: { readonly item: ToolItem; readonly isUndone: boolean }) {
  const { icon, word, spin } = statusLook(item.status);
  return (
    <span class="tool-facts">
      {isUndone && <span class="tool-undone" data-testid="undone">undone</span>}
      {item.editedByUser && <span class="tool-edited">changed by you</span>}
      {item.linesAdded !== undefined && item.linesAdded > 0 && <span class="lines-added">+{item.linesAdded}</span>}
      {item.linesRemoved !== undefined && item.linesRemoved > 0 && <span class="lines-removed">−{item.linesRemoved}</span>}
      {typeof item.exitCode === 'number' && item.exitCode !== 0 && <span class="tool-exit">exit code {item.exitCode}</span>}
      <span class="tool-status" title={word}>
        <Icon name={icon} spin={spin} />
        <span class={item.status === 'done' ? 'sr-only' : 'tool-word'}>{word}</span>
      </span>
    </span>
  );
}

function ToolDetails({ item }: { readonly item: ToolItem }) {
  const showsOutput = item.output.trim() !== '' && (item.diff === undefined || item.status !== 'done');
  return (
    <div class="tool-details">
      {item.diff !== undefined && <Diff diff={item.diff} />}
      {showsOutput && <ToolOutput output={item.output} live={item.status === 'running'} />}
    </div>
  );
}

/** Seen when the pointer or the focus is on the card. */
function UndoChange({ id }: { readonly id: string }) {
  const { post, state } = usePanel();
  const { readOnly, changed } = state.value;
  if (readOnly) return null;
  if (changed.redoable.has(id)) {
    return (
      <span class="tool-undo">
        <IconButton icon="redo" label="Make this change again" testId="redo-change" onClick={() => post({ type: 'redo-change' })} />
      </span>
    );
  }
  if (!changed.toolUseIds.has(id)) return null;
  return (
    <span class="tool-undo">
      <IconButton icon="discard" label="Undo this change…" testId="undo-change" onClick={() => post({ type: 'undo-change', selection: { toolUseId: id } })} />
    </span>
  );
}

function OpenDiff({ id }: { readonly id: string }) {
  const { post } = usePanel();
  return (
    <button type="button" class="text-button tool-open-diff" data-testid="open-diff" onClick={() => post({ type: 'open-diff', id })}>
      Open diff
    </button>
  );
}
