import * as vscode from 'vscode';
import { TurnstoneError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { CanUseTool } from '../protocol/permissions.ts';
import type { EngineOptions, Session } from '../sdk/index.ts';
import { editorDocuments } from './editorDocuments.ts';
import { editorWrites } from './editorWrites.ts';
import type { ChosenEndpoint } from './endpoint.ts';
import { languageServices } from './languageServices.ts';
import { loadSdk } from './loadSdk.ts';
import { ripgrepCandidates } from './ripgrepCandidates.ts';
import { readSettings } from './settings.ts';
import type { UserAsks } from './userAsks.ts';

export interface SessionRequest {
  /** Continue this session; undefined = a new one. */
  readonly resume: string | undefined;
  readonly endpoint: ChosenEndpoint;
  readonly canUseTool: CanUseTool;
  readonly asks: Pick<UserAsks, 'askUser' | 'confirmLongWait'>;
  /** What the watchers tell of the workspace. */
  readonly news: EngineOptions['news'];
  readonly mirror: EngineOptions['mirror'];
  readonly log: Log;
}

/** Commands that only the editor can carry out. The panel runs the first two itself; this is for those who write more behind them. */
const hostHelp = {
  resume: 'Earlier sessions are in the list at the top of the panel, and under “Turnstone: Open Session…” in the command palette.',
  rewind: 'Use “Rewind to here…” on a message, or “Turnstone: Rewind to Message…” in the command palette. Nothing was changed.',
  fork: 'Go on in a copy with “Turnstone: Fork Session”, or from a message with “Rewind to here…”. Nothing was changed.',
};

/** Opens a session on the first folder of the workspace. Throws a `configuration` error when no folder is open. */
export async function openSession({ resume, endpoint, canUseTool, asks, news, mirror, log }: SessionRequest): Promise<Session> {
  const { createEngine, DEFAULT_MODEL, DEMO_MODEL } = await loadSdk();
  const settings = readSettings();
  const ownModel = settings.model || DEFAULT_MODEL;
  const options: EngineOptions = {
    ...sessionPlace(),
    endpoint,
    resume,
    whenInUse: 'readOnly',
    // A session that is opened again keeps its own model.
    model: endpoint.demo ? DEMO_MODEL : resume ? undefined : ownModel,
    permissionMode: resume ? undefined : settings.permissionMode,
    canUseTool,
    askUser: asks.askUser,
    confirmLongWait: asks.confirmLongWait,
    hostHelp,
    includePartialMessages: true,
    maxBudgetUsd: settings.maxBudgetUsd,
    costReminderUsd: settings.costReminderUsd,
    prices: settings.prices,
    telemetry: settings.telemetry || undefined,
    ...settings.engine,
    trusted: vscode.workspace.isTrusted,
    documents: editorDocuments,
    news,
    userWrites: editorWrites,
    languageServices,
    ripgrepCandidates: ripgrepCandidates(),
    mirror,
    log,
  };
  const session = await createEngine(options);
  // A session that began with the demo goes on with a real model.
  if (!endpoint.demo && session.model === DEMO_MODEL) session.setModel(ownModel);
  return session;
}

/** Where sessions of this window belong. Throws a `configuration` error when no folder is open. */
export function sessionPlace(): { readonly cwd: string; readonly roots: readonly string[]; readonly dataRoot: string | undefined } {
  const roots = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
  const cwd = roots[0];
  if (cwd === undefined) {
    throw new TurnstoneError('configuration', 'No folder is open. Open the folder that Turnstone shall work in: File › Open Folder…');
  }
  return { cwd, roots, dataRoot: readSettings().home || undefined };
}
