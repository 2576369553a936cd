import * as vscode from 'vscode';
import { assertNever } from '../base/assertNever.ts';
import { errorText } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { NoticeAction, PanelToHost, PromptImage } from '../protocol/chatView.ts';
import { commandRows } from './completion/completionRows.ts';
import type { FileCompletion } from './completion/fileCompletion.ts';
import { loadSdk } from './loadSdk.ts';
import { setPermissionMode } from './modeCommands.ts';
import type { UnknownCommand } from '../sdk/index.ts';
import { decideFile, decideHunk } from './review/panelDecisions.ts';
import type { ReviewService } from './review/reviewService.ts';
import type { SessionCatalog } from './sessions/sessionCatalog.ts';
import type { SessionService } from './sessionService.ts';

export interface PanelActionParts {
  readonly service: SessionService;
  readonly catalog: SessionCatalog;
  readonly reviews: ReviewService;
  readonly files: FileCompletion;
  readonly log: Log;
}

/** What the panel may ask for. Failures are told in the conversation. */
export function panelActions(parts: PanelActionParts): (message: PanelToHost) => void {
  return (message) => {
    perform(message, parts).catch((error: unknown) => {
      parts.log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
      parts.service.notify('error', errorText(error));
    });
  };
}

async function perform(message: PanelToHost, { service, catalog, reviews, files, log }: PanelActionParts): Promise<unknown> {
  if (isByHand(message)) reviews.notePanel();
  switch (message.type) {
    case 'ready':
      return service.ensureOpen();
    case 'prompt-submit':
      return submit(service, message.text, message.images);
    case 'queue-remove':
      return service.removeQueued(message.id);
    case 'queue-send':
      return service.sendQueued();
    case 'interrupt':
      return service.interrupt();
    case 'retry-now':
      return service.session?.retryNow();
    case 'approval-answer':
      return answer(message, { service, reviews });
    case 'file-answer':
      return decideFile(reviews, message);
    case 'hunk-answer':
      return decideHunk(reviews, message);
    case 'rule-check':
      return checkRule(message, service);
    case 'questions-answer':
      return service.asks.answer(message.id, message.answers);
    case 'long-wait-answer':
      return service.asks.answerLongWait(message.wait);
    case 'complete':
      return complete(message, { service, files });
    case 'open-diff':
      return reviews.openDiff(message.id, message.file);
    case 'open-file':
      return vscode.window.showTextDocument(vscode.Uri.file(message.path), { preview: true });
    case 'open-link':
      return openLink(message.url);
    case 'list-sessions':
      return catalog.list();
    case 'search-sessions':
      return catalog.searchForPanel(message.request, message.words);
    case 'rename-session':
      return catalog.rename(message.sessionId, message.title);
    case 'pin-session':
      return catalog.setPinned(message.sessionId, message.pinned);
    case 'export-session':
      return vscode.commands.executeCommand('turnstone.exportSession', message.sessionId);
    case 'delete-session':
      return vscode.commands.executeCommand('turnstone.deleteSession', message.sessionId);
    case 'fork-session':
      return vscode.commands.executeCommand('turnstone.fork');
    case 'open-session':
      return service.switchTo(message.sessionId);
    case 'new-session':
      return service.switchTo(undefined);
    case 'rewind':
      return vscode.commands.executeCommand('turnstone.rewind', { messageId: message.messageId, edit: message.edit });
    case 'undo-change':
      return vscode.commands.executeCommand('turnstone.undoChange', message.selection);
    case 'redo-change':
      return vscode.commands.executeCommand('turnstone.undoRewind');
    case 'set-permission-mode':
      return setPermissionMode(service, message.mode);
    case 'pick-model':
      return vscode.commands.executeCommand('turnstone.chooseModel');
    case 'notice-action':
      return noticeAction(service, message.action);
    case 'draft-changed':
      return service.setDraft(message.text);
    case 'panel-error':
      return log.error(`In the panel: ${message.message}`);
    default:
      return assertNever(message);
  }
}

/** Not what the panel says by itself. */
function isByHand({ type }: PanelToHost): boolean {
  return type !== 'ready' && type !== 'panel-error';
}

/** Commands of the conversation that only the editor can carry out. */
const editorCommands: { readonly [prompt: string]: string | undefined } = { '/resume': 'turnstone.openSession', '/rewind': 'turnstone.rewind', '/fork': 'turnstone.fork' };

async function submit(service: SessionService, text: string, images: readonly PromptImage[] = []): Promise<void> {
  const command = images.length > 0 ? undefined : editorCommands[text.trim()];
  if (command !== undefined) {
    await service.setDraft('');
    await vscode.commands.executeCommand(command);
    return;
  }
  const unknown = await misspelled(service, text);
  await (unknown ? service.returnPrompt(text, unknown) : service.submit(text, images));
}

/** Looked at now and not when its turn comes: the words are still at hand. */
async function misspelled(service: SessionService, text: string): Promise<UnknownCommand | undefined> {
  if (!text.startsWith('/')) return undefined;
  const session = await service.ensureOpen();
  return session && (await loadSdk()).unknownCommand(text, session);
}

async function answer({ id, behavior, reason, remember }: Extract<PanelToHost, { type: 'approval-answer' }>, { service, reviews }: Pick<PanelActionParts, 'service' | 'reviews'>): Promise<void> {
  if (remember) service.offers.keep(id, remember);
  const given = behavior === 'deny' ? ({ behavior, reason } as const) : ({ behavior } as const);
  if (!(await service.answerLeftOpen(id, given))) await reviews.answer(id, behavior, reason);
}

async function checkRule({ id, rule }: Extract<PanelToHost, { type: 'rule-check' }>, service: SessionService): Promise<void> {
  const check = await service.offers.check(id, rule, service.session);
  if (check) service.tell({ type: 'rule-checked', id, rule, check });
}

async function complete({ request, kind, prefix }: Extract<PanelToHost, { type: 'complete' }>, { service, files }: Pick<PanelActionParts, 'service' | 'files'>): Promise<void> {
  const session = kind === 'command' ? await service.ensureOpen() : undefined;
  const completions = kind === 'file' ? await files.complete(prefix) : commandRows((await session?.commands()) ?? [], prefix);
  if (completions) service.tell({ type: 'completions-listed', request, completions });
}

/** The answer of a model is not trusted: only web and mail addresses leave the window. */
async function openLink(url: string): Promise<void> {
  const uri = vscode.Uri.parse(url);
  if (['http', 'https', 'mailto'].includes(uri.scheme)) await vscode.env.openExternal(uri);
}

function noticeAction(service: SessionService, action: NoticeAction): Thenable<unknown> {
  switch (action) {
    case 'set-api-key':
      return vscode.commands.executeCommand('turnstone.setApiKey');
    case 'use-demo':
      return vscode.commands.executeCommand('turnstone.useDemoModel');
    case 'open-log':
      return vscode.commands.executeCommand('turnstone.showLog');
    case 'retry':
      return service.retry();
  }
}
