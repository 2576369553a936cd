import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposables.ts';
import type { DisposableLike } from '../base/disposables.ts';
import { errorText } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';
import type { ChatViewProvider } from './chatViewProvider.ts';
import type { Endpoints } from './endpoint.ts';
import { removeApiKey, setApiKey, useDemoModel } from './keyCommands.ts';
import type { Mirroring } from './mirroring.ts';
import type { ReviewService } from './review/reviewService.ts';
import { chooseMode } from './modeCommands.ts';
import { reviewCommands } from './review/reviewCommands.ts';
import { forkAt } from './rewind/forkCommand.ts';
import { idleSession, redoRewind, rewindToMessage, undoRewind } from './rewind/rewindCommand.ts';
import type { RewindWish } from './rewind/rewindCommand.ts';
import { selectionFrom, undoChange } from './rewind/undoChange.ts';
import { chooseModel, focusChat, newSession, openSessionFromList } from './sessionCommands.ts';
import { restoreFromMirror, setMirrorKeys } from './sessions/mirrorCommands.ts';
import type { SessionCatalog } from './sessions/sessionCatalog.ts';
import { deleteSession, emptyTrash, exportSession, renameSession, restoreSession, togglePin } from './sessions/sessionCommands.ts';
import type { SessionService } from './sessionService.ts';
import { showStorage } from './showStorage.ts';
import type { SnapshotDocuments } from './snapshotDocuments.ts';

export interface CommandParts {
  readonly service: SessionService;
  readonly catalog: SessionCatalog;
  readonly mirroring: Mirroring;
  readonly reviews: ReviewService;
  readonly endpoints: Endpoints;
  readonly documents: SnapshotDocuments;
  readonly view: ChatViewProvider;
  readonly log: vscode.LogOutputChannel;
}

/** Every command of the palette. One that fails says so, and the log has the details. */
export function registerCommands({ service, catalog, mirroring, reviews, endpoints, documents, view, log }: CommandParts): DisposableLike {
  const commands: { readonly [name: string]: (argument?: unknown) => unknown } = {
    newSession: () => newSession(service),
    openSession: () => openSessionFromList(service, catalog),
    renameSession: (id) => renameSession({ service, catalog }, idFrom(id)),
    pinSession: (id) => togglePin({ service, catalog }, idFrom(id)),
    exportSession: (id) => exportSession({ service, catalog }, idFrom(id)),
    deleteSession: (id) => deleteSession({ service, catalog }, idFrom(id)),
    restoreSession: () => restoreSession({ service, catalog }),
    emptySessionTrash: () => emptyTrash(),
    showStorage: () => showStorage(),
    setMirrorKeys: () => setMirrorKeys(mirroring),
    restoreFromMirror: () => restoreFromMirror({ service, catalog }, mirroring),
    focusChat: () => focusChat(service),
    interrupt: () => service.interrupt(),
    setApiKey: () => setApiKey(endpoints),
    removeApiKey: () => removeApiKey(endpoints),
    useDemoModel: () => useDemoModel(endpoints, service),
    chooseModel: () => chooseModel(service),
    chooseMode: () => chooseMode(service),
    rewind: (wish) => rewindToMessage({ service, documents }, wishFrom(wish)),
    undoRewind: () => undoRewind({ service, documents }),
    redoRewind: () => redoRewind({ service, documents }),
    undoChange: (argument) => undoChange({ service, documents }, selectionFrom(argument)),
    fork: async () => {
      const session = await idleSession(service);
      if (session) await forkAt(service, session);
    },
    ...reviewCommands(reviews),
    showLog: () => log.show(),
    reloadPanel: () => view.reload(),
  };
  const disposables = new DisposableStore();
  for (const [name, run] of Object.entries(commands)) {
    disposables.add(vscode.commands.registerCommand(`turnstone.${name}`, (argument?: unknown) => guarded(run, argument, log)));
  }
  return disposables;
}

function wishFrom(argument: unknown): RewindWish {
  if (!isJsonObject(argument)) return {};
  return { messageId: idFrom(argument.messageId), edit: argument.edit === true };
}

/** Menus and other extensions may give anything. */
function idFrom(argument: unknown): string | undefined {
  return typeof argument === 'string' ? argument : undefined;
}

async function guarded(run: (argument?: unknown) => unknown, argument: unknown, log: vscode.LogOutputChannel): Promise<void> {
  try {
    await run(argument);
  } catch (error) {
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    void vscode.window.showErrorMessage(errorText(error));
  }
}
