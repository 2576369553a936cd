import { systemClock } from '../base/abort.ts';
import { TurnstoneError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { isInside, parentPath, resolvePath } from '../base/paths.ts';
import type { EngineParts } from '../engine/engineParts.ts';
import { CostTracker } from '../engine/cost/costTracker.ts';
import { pricesWith } from '../engine/cost/ownPrices.ts';
import { BlobStore } from '../engine/fileHistory/blobStore.ts';
import { FileHistory } from '../engine/fileHistory/fileHistory.ts';
import { DEFAULT_MODEL, modelInfo, resolveModel } from '../engine/model/modelCatalog.ts';
import { RequestRepairs } from '../engine/model/requestRepairs.ts';
import { guardDocuments, guardFiles, guardLanguageServices, guardSearch } from '../engine/permissions/guardPorts.ts';
import { SessionPermissions } from '../engine/permissions/sessionPermissions.ts';
import { QueryEngine } from '../engine/queryEngine.ts';
import type { FileSystem } from '../engine/ports.ts';
import type { Session, SessionConfig } from '../engine/session.ts';
import { runSubAgent } from '../engine/subAgents/runSubAgent.ts';
import type { StartSubAgent } from '../engine/subAgents/subAgent.ts';
import { BackgroundShells } from '../engine/tools/backgroundShells.ts';
import { ReadFileState } from '../engine/tools/readFileState.ts';
import { toolsFor } from '../engine/tools/registry.ts';
import { webSearchTool } from '../engine/tools/webSearchTool.ts';
import { restoreCost } from '../engine/transcript/costInTranscript.ts';
import { loadTranscript } from '../engine/transcript/loadTranscript.ts';
import type { LoadedTranscript } from '../engine/transcript/loadTranscript.ts';
import { findTranscript, transcriptPath } from '../engine/transcript/transcriptPath.ts';
import { TranscriptStore } from '../engine/transcript/transcriptStore.ts';
import { LazyAnthropicClient } from '../platform/lazyAnthropicClient.ts';
import { removeLeftOverFiles } from '../platform/leftOverFiles.ts';
import { lazyWebFetcher } from '../platform/lazyWebFetcher.ts';
import { noDocuments } from '../platform/noDocuments.ts';
import { nodeDigest } from '../platform/nodeDigest.ts';
import { nodeEnvironment } from '../platform/nodeEnvironment.ts';
import { nodeFileSystem } from '../platform/nodeFileSystem.ts';
import { createNodeGit } from '../platform/nodeGit.ts';
import { nodeGitContents } from '../platform/nodeGitContents.ts';
import { createNodeShell } from '../platform/nodeShell.ts';
import { beforeExit } from '../platform/beforeExit.ts';
import { endLeftOverCommands, RunningCommands } from '../platform/runningCommands.ts';
import type { LeftOverCommand } from '../platform/runningCommands.ts';
import { createRipgrepSearch } from '../platform/ripgrepSearch.ts';
import { createTreeScanner } from '../platform/treeScanner.ts';
import { textEncodings } from '../platform/textEncodings.ts';
import { permissionModeSchema } from '../protocol/permissions.ts';
import type { PermissionMode } from '../protocol/permissions.ts';
import { scheduleCleaning } from './cleanBlobs.ts';
import { findSession, foreignError, foreignText, knownSession } from './findSession.ts';
import type { FoundSession } from './findSession.ts';
import type { EngineOptions } from './options.ts';
import { sessionMcp } from './sessionMcp.ts';
import { openTelemetry } from './telemetry.ts';
import { inUseError, readOnlyText, SessionTranscriptLock } from './transcriptLock.ts';
import { TURNSTONE_VERSION } from './version.ts';

/** Of the Anthropic API; what `Endpoint.baseUrl` replaces. */
export const DEFAULT_BASE_URL = 'https://api.anthropic.com';

/**
 * Puts a session together: the one composition root, shared by every host and by the tests. Rejects with a
 * TurnstoneError when the session to continue is not found or cannot be read.
 */
export async function createEngine(options: EngineOptions): Promise<Session> {
  const environment = nodeEnvironment(TURNSTONE_VERSION, options.dataRoot);
  const files = nodeFileSystem;
  const log = options.log ?? silentLog;
  const found = options.resume === undefined ? undefined : await sessionToResume(files, environment.dataRoot, options.resume, options.mirror);
  const resumed = found?.path;
  if (found?.isForeign && options.whenInUse !== 'readOnly') throw foreignError(found.path);
  if (resumed === undefined && options.sessionId !== undefined) await refuseKnownId(files, environment.dataRoot, options.sessionId);
  const cwd = await files.realpath(options.cwd);
  const newId = options.sessionId ?? crypto.randomUUID();
  const path = resumed ?? transcriptPath(environment.dataRoot, cwd, newId);
  const lock = new SessionTranscriptLock({ transcript: path, log });
  // No lock either: nothing is written beside it.
  if (found?.isForeign) return openEngine(options, { path, newId, cwd, lock, isResumed: true, isForeign: true, readOnly: foreignText });
  // A new session takes it with its first line: an empty one leaves nothing behind.
  const inUse = resumed !== undefined || options.sessionId !== undefined ? await lock.tryToTake() : undefined;
  if (inUse !== undefined && options.whenInUse !== 'readOnly') throw inUseError(inUse);
  try {
    return await openEngine(options, { path, newId, cwd, lock, isResumed: resumed !== undefined, readOnly: inUse && readOnlyText(inUse) });
  } catch (thrown) {
    await lock.release();
    throw thrown;
  }
}

interface OpenedTranscript {
  readonly path: string;
  /** Of the session if it is new. */
  readonly newId: string;
  readonly cwd: string;
  readonly lock: SessionTranscriptLock;
  readonly isResumed: boolean;
  readonly isForeign?: boolean | undefined;
  readonly readOnly: string | undefined;
}

async function openEngine(options: EngineOptions, { path, newId, cwd, lock, isResumed, isForeign, readOnly }: OpenedTranscript): Promise<Session> {
  const environment = nodeEnvironment(TURNSTONE_VERSION, options.dataRoot);
  const files = nodeFileSystem;
  const clock = options.clock ?? systemClock;
  const log = options.log ?? silentLog;
  const documents = options.documents ?? noDocuments;
  const size = isResumed ? (await files.stat(path))?.size : 0;
  const loaded = isResumed ? await loadTranscript(files, path) : undefined;
  const roots = await Promise.all((options.roots ?? [options.cwd]).map((root) => files.realpath(root)));
  const ended = readOnly === undefined ? await endLeftOverCommands(parentPath(path)) : [];
  const running = new RunningCommands(path);
  const shell = createNodeShell({ keepVariables: options.shellEnvironment?.keep, onStart: (command) => running.add(command) });
  const foldCase = environment.platform !== 'linux';
  const permissions = await SessionPermissions.open({ ...environment, files, cwd, roots, trusted: options.trusted ?? true, foldCase, shell: shell.name, trackedFiles: () => trackedFiles(cwd), given: options.permissionRules, saved: isInside(environment.dataRoot, path) ? loaded?.state?.allowRules : undefined });
  const sessionId = loaded?.sessionId ?? newId;
  const store = new TranscriptStore({
    files,
    clock,
    log,
    path,
    sessionId,
    cwd,
    version: environment.version,
    leafUuid: loaded?.leafUuid ?? null,
    endsWithNewline: loaded?.endsWithNewline ?? true,
    size,
    lock,
    onAppended: () => options.mirror?.touch(path),
    onDisposed: () => atExit.dispose(),
    isReadOnly: readOnly !== undefined,
  });
  const atExit = beforeExit(() => store.writeNow());
  lock.onTrouble = (text) => store.addNews(text);
  const blobs = new BlobStore({ files, clock, digest: nodeDigest, folder: resolvePath(environment.dataRoot, 'blobs') });
  // Watchers name paths as the roots were given.
  const news = options.roots?.every((root, at) => root === roots[at]) ? options.news : undefined;
  const history = new FileHistory({ files, digest: nodeDigest, documents, encodings: textEncodings, blobs, store, snapshots: loaded?.snapshots ?? [], rewinds: loaded?.rewinds ?? [], changeSets: loaded?.changeSets ?? [], skippedBytes: loaded?.skippedBytes, log, isOff: options.fileHistory === false, userWrites: options.userWrites, sessions: { dataRoot: environment.dataRoot, own: path }, workspace: { roots, scanner: createTreeScanner({ roots, excluded: [environment.dataRoot] }), news, git: nodeGitContents, whyDenied: (file) => permissions.whyDenied(file) } });
  scheduleCleaning({ files, dataRoot: environment.dataRoot, log });
  const { cost, problems: priceProblems } = openCost(options, loaded, store);
  if (loaded && readOnly === undefined) await removeLeftOverFiles(lastWritten(loaded));
  const finished = loaded && readOnly === undefined ? await history.finishInterrupted() : [];
  const ports = optionalPorts(options, environment.version, permissions);
  const baseUrl = options.endpoint.baseUrl ?? DEFAULT_BASE_URL;
  const mcp = readOnly === undefined ? sessionMcp(options, { files, cwd, roots, running }) : undefined;
  const startSubAgent: StartSubAgent = (request) => runSubAgent(request, parts, (own) => new QueryEngine(own));
  const parts: EngineParts = {
    config: sessionConfig(options, loaded, { cwd, roots }),
    sessionId,
    client: new LazyAnthropicClient({ baseUrl, apiKey: options.endpoint.apiKey }),
    endpointName: baseUrl,
    permissions,
    files: guardFiles(files, permissions),
    documents: guardDocuments(documents, permissions),
    shell,
    backgroundShells: new BackgroundShells(shell, ended.filter((left) => left.sessionId === sessionId).map(leftOverNote)),
    ...ports,
    startSubAgent,
    mcp,
    search: guardSearch(createRipgrepSearch(options.ripgrepCandidates), permissions, files),
    git: createNodeGit(),
    digest: nodeDigest,
    encodings: textEncodings,
    clock,
    random: options.random ?? Math.random,
    environment,
    tools: [...toolsFor({ ...ports, startSubAgent }), ...(options.webSearch ? [webSearchTool(options.webSearch === true ? {} : options.webSearch)] : [])],
    store,
    telemetry: (await openTelemetry(options.telemetry, log))?.open({ sessionId, cost: () => cost.summary() }),
    history,
    cost,
    repairs: new RequestRepairs({ digest: nodeDigest, endpoint: baseUrl, learned: loaded?.requestRepairs ?? [], wasRefused: loaded && endsRefused(loaded), record: (line) => void store.record(line) }),
    readFileState: options.readFileState ?? new ReadFileState({ foldCase }),
    readOnly,
    isForeign,
    notices: [...(readOnly === undefined ? [] : [readOnly]), ...(loaded?.notices ?? []), ...priceProblems, ...finished, ...ended.map(leftOverNote)],
  };
  mcp?.start();
  // Not among the parts: sub-agents hold on to those, and a compaction would free nothing of what was loaded.
  return new QueryEngine({ ...parts, loaded });
}

/** What was asked last was refused, and nothing repaired it. */
function endsRefused({ messages, requestRepairs }: LoadedTranscript): boolean {
  const last = messages.findLast((message) => message.type === 'assistant');
  return last?.type === 'assistant' && last.isApiErrorMessage === true && requestRepairs.at(-1)?.request !== undefined;
}

/** What a resumed session has cost, and prices that are none; what is charged from now on is noted at once. */
function openCost({ prices, modelLimits }: EngineOptions, loaded: LoadedTranscript | undefined, store: TranscriptStore): { readonly cost: CostTracker; readonly problems: readonly string[] } {
  const { rows, problems } = pricesWith(prices);
  const cost = new CostTracker((model) => modelLimits?.(model) ?? modelInfo(model), rows);
  if (loaded) restoreCost(cost, loaded.cost);
  cost.noteCharges(({ usage, ...charge }) => void store.record({ type: 'charge', ...charge, usage }));
  return { cost, problems };
}

function leftOverNote({ command }: LeftOverCommand): string {
  return `A command was still running after Turnstone had ended unexpectedly. It has been ended now, with the processes it started: ${command.split('\n')[0]}`;
}

/** What a process that was killed may have been writing. */
function lastWritten({ snapshots, rewinds }: LoadedTranscript): string[] {
  const last = snapshots.at(-1)?.messageId;
  const lines = [...snapshots.filter((line) => line.messageId === last && line.shellRun === undefined), ...rewinds.slice(-1)];
  return lines.flatMap((line) => line.files.map(({ path }) => path));
}

/** Absolute; undefined where there is no git, no repository or no answer in time. */
async function trackedFiles(cwd: string): Promise<readonly string[] | undefined> {
  const listed = await createNodeGit().run(['ls-files', '-z'], cwd, AbortSignal.timeout(10_000));
  return listed?.split('\0').filter((path) => path !== '').map((path) => resolvePath(cwd, path));
}

/** The options, then what a resumed session had, then the defaults. */
function sessionConfig(options: EngineOptions, loaded: LoadedTranscript | undefined, place: Pick<SessionConfig, 'cwd' | 'roots'>): SessionConfig {
  return {
    ...place,
    model: resolveModel(options.model ?? loaded?.state?.model ?? DEFAULT_MODEL),
    fallbackModel: options.fallbackModel,
    permissionMode: options.permissionMode ?? savedMode(loaded) ?? 'default',
    canUseTool: options.canUseTool,
    includePartialMessages: options.includePartialMessages ?? false,
    maxTurns: options.maxTurns,
    maxBudgetUsd: options.maxBudgetUsd,
    costReminderUsd: options.costReminderUsd,
    modelLimits: options.modelLimits,
    maxOutputTokensPerTurn: options.maxOutputTokensPerTurn,
    retry: { unattended: options.unattended, confirmLongWait: options.confirmLongWait },
    bare: options.bare,
    apiKeySource: options.endpoint.apiKeySource,
    trusted: options.trusted ?? true,
    thinking: options.thinking ?? loaded?.state?.thinking,
    effort: options.effort ?? loaded?.state?.effort,
    titles: options.titles ?? false,
    hostHelp: options.hostHelp,
    log: options.log ?? silentLog,
  };
}

/** What only some hosts have, and the tools that need it. */
function optionalPorts(options: EngineOptions, version: string, permissions: SessionPermissions): Pick<EngineParts, 'askUser' | 'languageServices' | 'webFetcher'> {
  return {
    askUser: options.askUser,
    languageServices: options.languageServices && guardLanguageServices(options.languageServices, permissions),
    webFetcher: options.webFetch === false ? undefined : lazyWebFetcher({ userAgent: `Turnstone/${version}`, ...options.webFetch }),
  };
}

/** One that is not here may be in the mirror. */
async function sessionToResume(files: FileSystem, dataRoot: string, idOrPath: string, mirror: EngineOptions['mirror']): Promise<FoundSession> {
  const found = await findSession(files, dataRoot, idOrPath);
  if (!found && !idOrPath.endsWith('.jsonl')) await mirror?.fetch?.(idOrPath);
  return found ?? knownSession(files, dataRoot, idOrPath);
}

/** Two conversations in one file would hide each other. */
async function refuseKnownId(files: FileSystem, dataRoot: string, id: string): Promise<void> {
  const known = (await findTranscript(files, dataRoot, id)) ?? (await findTranscript(files, dataRoot, id.toLowerCase()));
  if (known === undefined) return;
  throw new TurnstoneError('invalid_input', `A session ${id} exists already, so no new one was begun under its id; nothing was sent, and it is as it was. Go on with it (--resume ${id.toLowerCase()}), or choose another id.`);
}

/** The mode that asks nothing is never taken over silently: it must be chosen anew in each process. */
function savedMode(loaded: LoadedTranscript | undefined): PermissionMode | undefined {
  const mode = permissionModeSchema.safeParse(loaded?.state?.permissionMode);
  return mode.success && mode.data !== 'bypassPermissions' ? mode.data : undefined;
}
