import type { PanelToHost } from '../../src/protocol/chatView.ts';

/**
 * Tells the host what is typed. The host alone keeps it: VS Code writes a webview's own state seconds later, and after a
 * reload an older moment of it would come back, with text that was sent long ago.
 */
export interface DraftKeeper {
  save(text: string): void;
  /** Tells at once what waits. */
  flush(): void;
  /** Another session is open: what waits belongs to none. */
  drop(): void;
}

const delayMs = 300;

export function createDraftKeeper(post: (message: PanelToHost) => void): DraftKeeper {
  let unsaved: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const drop = (): void => {
    clearTimeout(timer);
    timer = undefined;
    unsaved = undefined;
  };
  const flush = (): void => {
    const text = unsaved;
    drop();
    if (text !== undefined) post({ type: 'draft-changed', text });
  };

  return {
    flush,
    drop,
    save(text) {
      unsaved = text;
      timer ??= setTimeout(flush, delayMs);
    },
  };
}
