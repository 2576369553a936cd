import type { PanelToHost } from '../../src/protocol/chatView.ts';
import type { VsCodeApi } from './vsCodeApi.ts';

export interface DraftKeeper {
  save(text: string): void;
  /** Writes at once what waits. */
  flush(): void;
  /** From now on drafts belong to this session; `text` is what the composer holds now. */
  moveTo(sessionId: string | null, text: string): void;
}

const delayMs = 300;

export function createDraftKeeper(api: VsCodeApi, post: (message: PanelToHost) => void): DraftKeeper {
  let sessionId: string | null = null;
  let unsaved: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (unsaved === undefined) return;
    const text = unsaved;
    unsaved = undefined;
    api.setState({ sessionId, draft: text });
    post({ type: 'draft-changed', text });
  };

  return {
    flush,
    save(text) {
      unsaved = text;
      timer ??= setTimeout(flush, delayMs);
    },
    moveTo(next, text) {
      clearTimeout(timer);
      timer = undefined;
      unsaved = undefined;
      sessionId = next;
      api.setState({ sessionId, draft: text });
    },
  };
}
