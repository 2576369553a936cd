import type * as vscode from 'vscode';
import type { ChatEvent, PanelToHost } from '../protocol/chatView.ts';
import type { Mirroring } from './mirroring.ts';
import type { ProposalFileSystem } from './review/proposalFileSystem.ts';
import type { ReviewService } from './review/reviewService.ts';
import type { SessionCatalog } from './sessions/sessionCatalog.ts';
import type { SessionService } from './sessionService.ts';

/** What the extension-host tests hold: the panel's side of the conversation, without a page. Only VS Code's test mode gets it. */
export interface TestApi {
  readonly service: SessionService;
  readonly catalog: SessionCatalog;
  readonly mirroring: Mirroring;
  readonly reviews: ReviewService;
  readonly proposals: ProposalFileSystem;
  readonly onDidShow: vscode.Event<readonly ChatEvent[]>;
  send(message: PanelToHost): void;
}

export function testApi({ service, catalog, mirroring, reviews, proposals, receive }: Pick<TestApi, 'service' | 'catalog' | 'mirroring' | 'reviews' | 'proposals'> & { readonly receive: (message: PanelToHost) => void }): TestApi {
  return { service, catalog, mirroring, reviews, proposals, onDidShow: service.onDidShow, send: receive };
}
