import { methods, RequestError } from '@agentclientprotocol/sdk';
import type * as acp from '@agentclientprotocol/sdk';
import { onAbort } from '../base/abort.ts';
import type { SDKMessage, SDKResultMessage } from '../protocol/messages.ts';
import { createEngine, isPretendPrice } from '../sdk/index.ts';
import type { EngineOptions, Session } from '../sdk/index.ts';
import { askClient } from './askClient.ts';
import { modeId, modeOf, modeState } from './permissionModes.ts';
import { stopReason } from './stopReason.ts';
import { announceCall, historyToUpdates, newUpdateState, noteUpdate, toSessionUpdates } from './toSessionUpdates.ts';
import type { UpdateState } from './toSessionUpdates.ts';
import { toPrompt } from './toPrompt.ts';

/** What a client can choose of a session; the rest is the command line's. */
export type OwnOptions = Omit<EngineOptions, 'cwd' | 'roots' | 'resume' | 'canUseTool' | 'includePartialMessages'>;

/** One session as a client drives it: its turns told as updates, its questions put as requests. */
export class AcpSession {
  readonly #session: Session;
  readonly #client: acp.AgentContext;
  readonly #updates: UpdateState;
  readonly #mayBypass: boolean;
  #turn: Promise<void> | undefined;
  #toldMode: string;
  #toldTitle = '';

  private constructor(session: Session, client: acp.AgentContext, updates: UpdateState, mayBypass: boolean) {
    this.#session = session;
    this.#client = client;
    this.#updates = updates;
    this.#mayBypass = mayBypass;
    this.#toldMode = modeId(session.permissionMode);
  }

  /** Rejects as `createEngine` does. */
  static async open(client: acp.AgentContext, options: OwnOptions & Pick<EngineOptions, 'cwd' | 'roots' | 'resume'>): Promise<AcpSession> {
    const updates = newUpdateState(options.cwd);
    const session = await createEngine({
      ...options,
      includePartialMessages: true,
      canUseTool: async (request, signal) => {
        for (const update of announceCall(updates, { id: request.toolUseId, name: request.toolName, input: request.input })) await opened.#tell(update);
        const answer = await askClient(request, { client, sessionId: session.sessionId, cwd: options.cwd }, signal);
        if (answer.behavior === 'allow') await opened.#tell({ sessionUpdate: 'tool_call_update', toolCallId: request.toolUseId, status: 'in_progress' });
        return answer;
      },
    });
    const opened = new AcpSession(session, client, updates, options.permissionMode === 'bypassPermissions');
    return opened;
  }

  get id(): string {
    return this.#session.sessionId;
  }

  get modes(): acp.SessionModeState {
    return modeState(this.#session.permissionMode, this.#mayBypass);
  }

  /** Throws `invalid_input` for what is no mode, or may not be chosen. */
  setMode(id: string): void {
    this.#session.setPermissionMode(modeOf(id, this.#mayBypass));
    this.#toldMode = id;
  }

  /** Everything that was said so far, oldest first. */
  async replay(): Promise<void> {
    for (const update of historyToUpdates(newUpdateState(this.#session.cwd), this.#session.messages)) await this.#tell(update);
  }

  /** What a client should know of a session that was just opened. */
  async introduce(): Promise<void> {
    for (const text of this.#session.notices) await this.#tell(noteUpdate(text));
    const commands = await this.#session.commands();
    const availableCommands = commands.map(({ name, description, argumentHint }) => ({ name, description, ...(argumentHint !== undefined && { input: { hint: argumentHint } }) }));
    await this.#tell({ sessionUpdate: 'available_commands_update', availableCommands });
  }

  /** One turn. Rejects when it failed, with what the conversation says about it; `signal` cancels it. */
  async prompt(blocks: readonly acp.ContentBlock[], signal: AbortSignal): Promise<acp.PromptResponse> {
    if (this.#turn) throw RequestError.invalidRequest(undefined, 'a turn is running in this session; wait for it, or cancel it first');
    const prompt = toPrompt(blocks);
    this.#updates.isCancelled = false;
    const turn = this.#run(this.#session.submitMessage(prompt));
    this.#turn = turn.then(() => {}, () => {}).finally(() => (this.#turn = undefined));
    const listener = onAbort(signal, () => this.cancel());
    try {
      const result = await turn;
      const reason = stopReason(result, this.#updates.isCancelled);
      if (reason === undefined) throw new RequestError(-32603, result.errors[0] ?? 'The turn failed.', { subtype: result.subtype });
      return { stopReason: reason };
    } finally {
      listener.dispose();
    }
  }

  /** Nothing when no turn runs. */
  cancel(): void {
    if (!this.#turn) return;
    this.#updates.isCancelled = true;
    this.#session.interrupt();
  }

  /** Ends the running turn. Resolves when everything is on disk. */
  async close(): Promise<void> {
    this.cancel();
    await this.#turn;
    await this.#session.dispose();
  }

  async #run(messages: AsyncIterable<SDKMessage>): Promise<SDKResultMessage> {
    let result: SDKResultMessage | undefined;
    for await (const message of messages) {
      // It may have come before the turn had begun.
      if (this.#updates.isCancelled) this.#session.interrupt();
      for (const update of toSessionUpdates(this.#updates, message)) await this.#tell(update);
      await this.#tellMode();
      if (message.type === 'result') result = message;
    }
    await this.#tellFigures();
    if (!result) throw new Error('The turn ended without a result. What was said until then is kept in the session.');
    return result;
  }

  /** The session may change it by itself, when a plan is accepted. */
  async #tellMode(): Promise<void> {
    const currentModeId = modeId(this.#session.permissionMode);
    if (currentModeId === this.#toldMode) return;
    this.#toldMode = currentModeId;
    await this.#tell({ sessionUpdate: 'current_mode_update', currentModeId });
  }

  async #tellFigures(): Promise<void> {
    const { contextUse, cost, model, title } = this.#session;
    const amount = isPretendPrice(model) ? null : cost.totalCostUsd;
    await this.#tell({ sessionUpdate: 'usage_update', used: contextUse.used, size: contextUse.window, ...(amount !== null && { cost: { amount, currency: 'USD' } }) });
    if (title === this.#toldTitle) return;
    this.#toldTitle = title;
    await this.#tell({ sessionUpdate: 'session_info_update', title });
  }

  /** Whoever does not listen any more stops no turn: what is not told stands in the session. */
  async #tell(update: acp.SessionUpdate): Promise<void> {
    await this.#client.notify(methods.client.session.update, { sessionId: this.id, update }).catch(() => {});
  }
}
