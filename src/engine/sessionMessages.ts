import type { ContentBlock } from '../protocol/contentBlocks.ts';
import type { SDKAssistantMessage, SDKNoticeMessage, SDKSystemInitMessage, SDKUserMessage } from '../protocol/messages.ts';
import type { McpServerInfo } from './mcp/mcpServer.ts';
import type { SubmitOptions } from './session.ts';

/** Makes the messages that the session itself says. `now` in milliseconds since 1970. */
export class SessionMessages {
  readonly #sessionId: string;
  readonly #now: () => number;

  constructor(sessionId: string, now: () => number) {
    this.#sessionId = sessionId;
    this.#now = now;
  }

  user(content: string | readonly ContentBlock[], options: SubmitOptions = {}): SDKUserMessage {
    return {
      type: 'user',
      ...this.#base(options.uuid),
      timestamp: this.#timestamp(),
      parent_tool_use_id: null,
      ...(options.isMeta && { isMeta: true }),
      message: { role: 'user', content },
    };
  }

  init(facts: Pick<SDKSystemInitMessage, 'model' | 'cwd' | 'tools' | 'permissionMode' | 'apiKeySource'> & { readonly mcpServers: readonly McpServerInfo[] }): SDKSystemInitMessage {
    const { model, cwd, tools, permissionMode, apiKeySource } = facts;
    // In the published words: one that waits for a yes does not run.
    const mcpServers = facts.mcpServers.map(({ configured, status }) => ({ name: configured.name, status: status === 'needs-approval' ? 'disabled' : status }));
    return { type: 'system', subtype: 'init', ...this.#base(), model, cwd, tools, mcp_servers: mcpServers, permissionMode, apiKeySource };
  }

  notice(level: SDKNoticeMessage['level'], text: string): SDKNoticeMessage {
    return { type: 'system', subtype: 'notice', ...this.#base(), level, text };
  }

  /** A failure told in the conversation, so that a later look explains it; it is never sent to the model. */
  failure(text: string): SDKAssistantMessage {
    return {
      type: 'assistant',
      ...this.#base(),
      timestamp: this.#timestamp(),
      parent_tool_use_id: null,
      isApiErrorMessage: true,
      message: {
        id: crypto.randomUUID(),
        type: 'message',
        role: 'assistant',
        model: '<synthetic>',
        content: [{ type: 'text', text }],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 0, output_tokens: 0 },
      },
    };
  }

  #base(uuid: string = crypto.randomUUID()): { uuid: string; session_id: string } {
    return { uuid, session_id: this.#sessionId };
  }

  #timestamp(): string {
    return new Date(this.#now()).toISOString();
  }
}
