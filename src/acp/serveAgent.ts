import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';
import type * as acp from '@agentclientprotocol/sdk';
import { onAbort } from '../base/abort.ts';
import { TurnstoneError, errorText } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { isAbsolutePath } from '../base/paths.ts';
import { listSessions, TURNSTONE_VERSION } from '../sdk/index.ts';
import { AcpSession } from './acpSession.ts';
import type { OwnOptions } from './acpSession.ts';
import { mcpOptions } from './mcpServers.ts';
import { toRequestError } from './requestErrors.ts';

export interface AgentHost {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  readonly log: Log;
  /** Aborts when the process is to end. */
  readonly stop: AbortSignal;
  readonly authMethods: readonly acp.AuthMethodAgent[];
  /** Rejects with `configuration` when that way is not open, or is none. */
  authenticate(methodId: string): Promise<void>;
  /** For each session that is opened. Rejects with `configuration` when it is not known yet where the model answers. */
  sessionOptions(): Promise<OwnOptions>;
}

type Folders = Pick<acp.NewSessionRequest, 'cwd' | 'additionalDirectories' | 'mcpServers'>;

/**
 * Speaks the Agent Client Protocol until the client goes away or the process is to end. Then what runs is interrupted,
 * and it resolves when every session is on disk.
 */
export async function serveAgent(host: AgentHost): Promise<void> {
  const sessions = new Map<string, AcpSession>();
  const connection = routes(host, sessions).connect(ndJsonStream(host.output, host.input));
  const listeners = [
    onAbort(host.stop, () => connection.close()),
    // At once, so that no question is taken for answered because nobody is there any more.
    onAbort(connection.signal, () => sessions.forEach((session) => session.cancel())),
  ];
  await connection.closed;
  for (const listener of listeners) listener.dispose();
  await Promise.all([...sessions.values()].map((session) => session.close()));
}

function routes(host: AgentHost, sessions: Map<string, AcpSession>): acp.AgentApp {
  const { session, initialize, authenticate } = methods.agent;
  const known = (id: string): AcpSession => {
    const found = sessions.get(id);
    if (!found) throw RequestError.sessionNotFound(id);
    return found;
  };
  const open = async (client: acp.AgentContext, folders: Folders, resume?: string): Promise<AcpSession> => {
    const options = await host.sessionOptions();
    const opened = await AcpSession.open(client, { ...options, ...rootsOf(folders), mcp: mcpOptions(folders.mcpServers, options.mcp), resume });
    sessions.set(opened.id, opened);
    return opened;
  };
  return agent({ name: 'turnstone' })
    .onRequest(initialize, () => greeting(host))
    .onRequest(authenticate, ({ params }) => answer(async () => {
      await host.authenticate(params.methodId);
      return {};
    }))
    .onRequest(session.new, ({ params, client }) => answer(async () => {
      const opened = await open(client, params);
      introduceLater(opened, host);
      return { sessionId: opened.id, modes: opened.modes };
    }))
    .onRequest(session.load, ({ params, client }) => answer(async () => {
      const opened = sessions.get(params.sessionId) ?? (await open(client, params, params.sessionId));
      await opened.replay();
      introduceLater(opened, host);
      return { modes: opened.modes };
    }))
    .onRequest(session.list, ({ params }) => answer(() => sessionsOf(params.cwd ?? process.cwd())))
    .onRequest(session.close, ({ params }) => answer(async () => {
      const closed = known(params.sessionId);
      sessions.delete(params.sessionId);
      await closed.close();
      return {};
    }))
    .onRequest(session.prompt, ({ params, signal }) => answer(() => known(params.sessionId).prompt(params.prompt, signal)))
    .onRequest(session.setMode, ({ params }) => answer(async () => {
      known(params.sessionId).setMode(params.modeId);
      return {};
    }))
    .onNotification(session.cancel, ({ params }) => sessions.get(params.sessionId)?.cancel());
}

/** Our own words reach the client whatever was thrown. */
async function answer<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    throw toRequestError(thrown);
  }
}

function greeting({ authMethods }: AgentHost): acp.InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'turnstone', title: 'Turnstone', version: TURNSTONE_VERSION },
    authMethods: [...authMethods],
    agentCapabilities: {
      loadSession: true,
      mcpCapabilities: { http: true },
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: { list: {}, close: {}, additionalDirectories: {} },
    },
  };
}

/** Newest first. Those of other programs cannot be gone on with here. */
async function sessionsOf(cwd: string): Promise<acp.ListSessionsResponse> {
  const sessions = await listSessions({ cwd });
  return { sessions: sessions.filter(({ source }) => source === undefined).map(({ sessionId, title, modified }) => ({ sessionId, cwd, title, updatedAt: modified })) };
}

function rootsOf({ cwd, additionalDirectories = [] }: Folders): { readonly cwd: string; readonly roots: readonly string[] } {
  const relative = [cwd, ...additionalDirectories].find((folder) => !isAbsolutePath(folder));
  if (relative !== undefined) throw new TurnstoneError('invalid_input', `A session needs the full path of its folder, not "${relative}". None was opened.`);
  return { cwd, roots: [cwd, ...additionalDirectories] };
}

/** Behind the answer that tells the client of the session. */
function introduceLater(session: AcpSession, { log }: AgentHost): void {
  setImmediate(() => void session.introduce().catch((error: unknown) => log.warn(errorText(error))));
}
