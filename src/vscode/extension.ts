import * as vscode from 'vscode';
import { ChatViewProvider, chatViewId } from './chatViewProvider.ts';
import { Endpoints } from './endpoint.ts';
import { watchFiles } from './fileWatching.ts';
import { FileCompletion } from './completion/fileCompletion.ts';
import { createLogChannel } from './logChannel.ts';
import { Mirroring } from './mirroring.ts';
import { OutsideWatching } from './outsideWatching.ts';
import { panelActions } from './panelActions.ts';
import { registerCommands } from './registerCommands.ts';
import { HunkMarks } from './review/hunkMarks.ts';
import { ProposalFileSystem, proposalScheme } from './review/proposalFileSystem.ts';
import { closeProposalTabs } from './review/proposalTabs.ts';
import { ReviewService } from './review/reviewService.ts';
import { SessionCatalog } from './sessions/sessionCatalog.ts';
import { SessionMemory } from './sessionMemory.ts';
import { SessionService } from './sessionService.ts';
import { SnapshotDocuments, snapshotScheme } from './snapshotDocuments.ts';
import { StatusBar } from './statusBar.ts';
import { testApi } from './testApi.ts';
import type { TestApi } from './testApi.ts';
import { watchConnection } from './watchConnection.ts';
import { WorkspaceNews } from './workspaceNews.ts';

let service: SessionService | undefined;

export function activate(context: vscode.ExtensionContext): TestApi | undefined {
  const add = <T extends vscode.Disposable>(item: T): T => {
    context.subscriptions.push(item);
    return item;
  };
  const log = add(createLogChannel());

  const storage = context.storageUri ?? context.globalStorageUri;
  const proposals = add(new ProposalFileSystem(storage));
  add(vscode.workspace.registerFileSystemProvider(proposalScheme, proposals, { isCaseSensitive: true }));
  const documents = new SnapshotDocuments();
  add(vscode.workspace.registerTextDocumentContentProvider(snapshotScheme, documents));
  const reviews = add(new ReviewService(proposals, log));
  add(new HunkMarks(reviews));

  const endpoints = add(new Endpoints(context));
  const news = new WorkspaceNews();
  const mirroring = add(new Mirroring(context.secrets, log));
  const sessions = add(new SessionService({ endpoints, memory: new SessionMemory(storage.fsPath), reviews, news, mirroring, log }));
  service = sessions;
  add(
    watchFiles((path) => {
      news.add(path);
      sessions.session?.invalidateFile(path);
    }),
  );
  const outside = add(new OutsideWatching((path) => sessions.session?.invalidateFile(path)));
  add(sessions.onDidChange(() => outside.follow(sessions.session?.readPaths ?? [])));
  add(watchConnection(context, sessions));

  const catalog = new SessionCatalog(sessions, log);
  const receive = panelActions({ service: sessions, catalog, reviews, files: add(new FileCompletion()), log });
  const view = new ChatViewProvider({ extensionUri: context.extensionUri, service: sessions, receive, log });
  add(vscode.window.registerWebviewViewProvider(chatViewId, view, ChatViewProvider.options));
  add(new StatusBar(sessions));
  add(registerCommands({ service: sessions, catalog, mirroring, reviews, endpoints, documents, view, log }));

  // Their turns ended with the window before.
  void closeProposalTabs().then(() => proposals.forgetAll()).catch((error: unknown) => log.warn(`Old proposals could not be cleared: ${String(error)}`));
  return context.extensionMode === vscode.ExtensionMode.Test ? testApi({ service: sessions, catalog, mirroring, reviews, proposals, receive }) : undefined;
}

/** VS Code waits for this: the transcript is whole when the window closes. */
export async function deactivate(): Promise<void> {
  await service?.close();
}
