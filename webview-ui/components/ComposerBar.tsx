import { modeLabels } from '../../src/base/modeLabels.ts';
import type { PermissionMode } from '../../src/protocol/permissions.ts';
import type { PanelStatus } from '../../src/protocol/chatView.ts';
import { modelLabel } from '../text/format.ts';
import { Icon } from './Icon.tsx';
import { usePanel } from './PanelContext.ts';

/** Below the text: how the agent may act, which model, what it has cost, stop and send. */
export function ComposerBar({ canSend, onSend }: { readonly canSend: boolean; readonly onSend: () => void }) {
  const { state, post } = usePanel();
  const { running, status } = state.value;
  return (
    <div class="composer-bar">
      {status && <ModeSelect mode={status.permissionMode} mayBypass={status.mayBypass === true} />}
      {status && (
        <button type="button" class="bar-button" data-testid="model-button" title={`Model: ${status.model}. Click to change it.`} onClick={() => post({ type: 'pick-model' })}>
          {modelLabel(status.model)}
        </button>
      )}
      <span class="bar-space" />
      {status && <Meter status={status} />}
      {running && (
        <button type="button" class="round-button stop-button" data-testid="stop" title="Stop (Esc)" aria-label="Stop" onClick={() => post({ type: 'interrupt' })}>
          <Icon name="debug-stop" />
        </button>
      )}
      <button type="button" class="round-button send-button" data-testid="send" title={running ? 'Send after this turn (Enter)' : 'Send (Enter)'} aria-label={running ? 'Send after this turn' : 'Send'} disabled={!canSend} onClick={onSend}>
        <Icon name="arrow-up" />
      </button>
    </div>
  );
}

function ModeSelect({ mode, mayBypass }: { readonly mode: PermissionMode; readonly mayBypass: boolean }) {
  const { post } = usePanel();
  const offered: PermissionMode[] = ['default', 'acceptEdits', 'plan'];
  // Offered only where the settings allow it, not in passing.
  if (mayBypass || mode === 'bypassPermissions') offered.push('bypassPermissions');
  const change = (select: HTMLSelectElement): void => {
    const chosen = offered.find((candidate) => candidate === select.value);
    if (chosen) post({ type: 'set-permission-mode', mode: chosen });
    // Shown when the host says that it holds.
    select.value = mode;
  };
  return (
    <span class={`mode mode-${mode}`}>
      <select data-testid="permission-mode" aria-label="What the agent may do" title="What the agent may do" value={mode} onChange={(event) => change(event.currentTarget)}>
        {offered.map((candidate) => (
          <option key={candidate} value={candidate}>
            {modeLabels[candidate]}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </span>
  );
}

function Meter({ status }: { readonly status: PanelStatus }) {
  const percent = Math.round(status.contextShare * 100);
  const { cost, costNote = '' } = status;
  const hint = `This session: ${cost}${costNote}. ${percent} % of the model's context window is in use.`;
  return (
    <span class="meter" data-testid="cost" title={hint}>
      {cost}
      <span class="meter-note">{costNote}</span>
      {percent > 0 && <span class={percent >= 80 ? 'meter-context meter-full' : 'meter-context'}> · {percent} %</span>}
    </span>
  );
}
