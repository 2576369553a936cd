import { focusComposer, usePanel } from './PanelContext.ts';

/** Why a prompt came back unsent, and the ways on; there as long as the text is. */
export function ReturnedPrompt({ onSend }: { readonly onSend: (text: string) => void }) {
  const { state, composerText, saveDraft } = usePanel();
  const { returned } = state.value;
  const text = composerText.value;
  if (!returned || !text.startsWith(returned.text)) return null;
  const { instead } = returned;
  const useInstead = (): void => {
    composerText.value = `${instead}${text.slice(returned.text.length)}`;
    saveDraft(composerText.value);
    focusComposer();
  };
  return (
    <div class="returned" data-testid="returned">
      <p>{returned.reason}</p>
      {instead !== undefined && (
        <button type="button" class="text-button" data-testid="use-instead" onClick={useInstead}>
          Use {instead.split(/\s/, 1)[0]}
        </button>
      )}
      {/* What begins with a blank is no command. */}
      <button type="button" class="text-button" data-testid="send-anyway" onClick={() => onSend(` ${text.trimEnd()}`)}>
        Send as it is
      </button>
    </div>
  );
}
