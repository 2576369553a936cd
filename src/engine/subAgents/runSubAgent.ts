import { onAbort, throwIfAborted } from '../../base/abort.ts';
import { toolUsesOf } from '../../protocol/contentBlocks.ts';
import type { SDKMessage, SDKResultMessage, ToolProgress } from '../../protocol/messages.ts';
import type { CanUseTool } from '../../protocol/permissions.ts';
import { toolsOf } from '../engineParts.ts';
import type { EngineParts } from '../engineParts.ts';
import type { Session } from '../session.ts';
import { lastText } from '../sessionText.ts';
import { BackgroundShells } from '../tools/backgroundShells.ts';
import { describeTool } from '../tools/describeTool.ts';
import type { Tool } from '../tools/tool.ts';
import { TranscriptStore } from '../transcript/transcriptStore.ts';
import { joinPath } from '../transcript/transcriptPath.ts';
import type { SubAgentOutcome, SubAgentRequest, SubAgentType } from './subAgent.ts';

/** Requests that a sub-agent may make where the session itself has no limit. */
const maxRequests = 100;

/** What a sub-agent must not do: start others, end the session's plan mode, speak past the session with the user. */
const notForSubAgents = new Set(['Task', 'ExitPlanMode', 'AskUser']);

/**
 * Runs a sub-agent: a session of its own with its own context and transcript (`<session>/agent-<id>.jsonl`), on the same
 * files and the same account. What it costs counts for the session at once, what it changes belongs to the session's
 * message, and the user is asked as ever. `open` makes the session of the parts.
 */
export async function* runSubAgent(request: SubAgentRequest, parts: EngineParts, open: (parts: EngineParts) => Session): AsyncGenerator<ToolProgress, SubAgentOutcome, void> {
  throwIfAborted(request.signal);
  const session = open(partsOf(request, parts));
  const listener = onAbort(request.signal, () => session.interrupt());
  let result: SDKResultMessage | undefined;
  try {
    // Said by us, not by the person: nothing in it is a command or a mention.
    for await (const message of session.submitMessage(task(request), { isMeta: true })) {
      if (message.type === 'result') result = message;
      for (const text of news(message)) yield { kind: 'status', text: `${text}\n` };
      const mode = request.permissionMode();
      if (session.permissionMode !== mode) session.setPermissionMode(mode);
    }
    throwIfAborted(request.signal);
    const text = result?.result ?? lastText(session.messages.filter((message) => message.type !== 'assistant' || !message.isApiErrorMessage));
    return { text, denials: result?.permission_denials ?? [], ...(result?.is_error && { error: result.errors[0] ?? 'It ended without an answer.' }) };
  } finally {
    listener.dispose();
    await session.dispose();
  }
}

function partsOf(request: SubAgentRequest, parts: EngineParts): EngineParts {
  const { config, files, clock, environment, shell, sessionId } = parts;
  const agentId = crypto.randomUUID().slice(0, 8);
  return {
    ...parts,
    config: {
      ...config,
      agentId,
      parentToolUseId: request.toolUseId,
      model: request.model,
      permissionMode: request.permissionMode(),
      canUseTool: inTheNameOf(request, config.canUseTool),
      includePartialMessages: false,
      maxTurns: config.maxTurns ?? maxRequests,
      titles: false,
    },
    tools: toolsFor(request.type, toolsOf(parts)),
    mcp: undefined,
    backgroundShells: new BackgroundShells(shell),
    sessionStore: parts.store,
    store: new TranscriptStore({
      files,
      clock,
      log: config.log,
      path: joinPath(parts.store.path.replace(/\.jsonl$/, ''), `agent-${agentId}.jsonl`),
      sessionId,
      cwd: config.cwd,
      version: environment.version,
      leafUuid: null,
      endsWithNewline: true,
    }),
    // It has not read what the session has read, so it must read before it edits.
    readFileState: parts.readFileState.emptyCopy(),
    loaded: undefined,
    notices: [],
    askUser: undefined,
    startSubAgent: undefined,
  };
}

function toolsFor(type: SubAgentType, tools: readonly Tool[]): readonly Tool[] {
  const allowed = tools.filter((tool) => !notForSubAgents.has(tool.name));
  return type === 'explore' ? allowed.filter((tool) => tool.access === 'read' || tool.access === 'consent' || tool.name === 'BashOutput') : allowed;
}

/** Whoever is asked must know that it is not the session itself that wants this. */
function inTheNameOf({ description }: SubAgentRequest, canUseTool: CanUseTool): CanUseTool {
  const who = `Asked by a sub-agent: ${description}.`;
  return (question, signal) => canUseTool({ ...question, reason: question.reason === undefined ? who : `${who} ${question.reason}` }, signal);
}

function task({ prompt, type }: SubAgentRequest): string {
  return [
    'You work as a sub-agent: another agent has given you the task below and goes on with what you find.',
    type === 'explore' ? 'You can only look, not change anything.' : 'You have its tools.',
    'It sees nothing of your work but your last message: put everything it needs there, with file paths and line numbers, and what you could not do or are not sure of. Nobody answers questions; decide, and say what you assumed.',
    '',
    '<task>',
    prompt,
    '</task>',
  ].join('\n');
}

function news(message: SDKMessage): string[] {
  switch (message.type) {
    case 'assistant':
      return toolUsesOf(message.message.content).map((call) => {
        const { title } = describeTool(call.name, call.input);
        return title === call.name ? title : `${call.name} ${title}`;
      });
    case 'system':
      if (message.subtype === 'api_retry') return [`Waiting ${Math.ceil(message.retry_delay_ms / 1000)} s: ${message.error}`];
      return message.subtype === 'notice' ? [message.text] : [];
    default:
      return [];
  }
}
