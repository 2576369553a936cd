import type { SDKAssistantMessage, SDKCompactBoundaryMessage, SDKUserMessage, SessionMessage } from '../../protocol/messages.ts';
import type { AssistantLine, SystemLine, UserLine } from '../../protocol/transcript.ts';
import { assertNever } from '../../base/assertNever.ts';
import { isJsonObject } from '../../base/json.ts';

/** What a line says beside the message. */
export interface LineContext {
  readonly parentUuid: string | null;
  readonly sessionId: string;
  readonly timestamp: string;
  readonly cwd: string;
  readonly version: string;
}

/**
 * The JSON text of a message's line, in the field names of Claude Code's published transcripts. `message` is written as
 * it is, in its own key order: what was sent once must be sent byte for byte the same after a resume.
 */
export function lineOfMessage(message: SessionMessage, context: LineContext): string {
  const { parentUuid, ...rest } = context;
  const head = { parentUuid, isSidechain: false, userType: 'external', ...rest, type: message.type, uuid: message.uuid };
  switch (message.type) {
    case 'user':
      return JSON.stringify({ ...head, isMeta: message.isMeta, message: message.message, toolUseResult: message.tool_use_result });
    case 'assistant':
      return JSON.stringify({ ...head, message: message.message, isApiErrorMessage: message.isApiErrorMessage });
    case 'system':
      return JSON.stringify({ ...head, parentUuid: null, logicalParentUuid: parentUuid, ...boundaryFields(message) });
    default:
      return assertNever(message, 'message');
  }
}

export function messageOfUserLine(line: UserLine, sessionId: string): SDKUserMessage {
  return {
    type: 'user',
    uuid: line.uuid,
    session_id: sessionId,
    message: line.message as SDKUserMessage['message'],
    parent_tool_use_id: null,
    timestamp: line.timestamp || undefined,
    // Claude Code marks the summary of a compaction in its own way.
    ...(line.isMeta || line['isCompactSummary'] === true ? { isMeta: true } : {}),
    // Claude Code keeps other shapes here; only ours can be shown.
    ...(isJsonObject(line.toolUseResult) && typeof line.toolUseResult['kind'] === 'string'
      ? { tool_use_result: line.toolUseResult as SDKUserMessage['tool_use_result'] }
      : {}),
  };
}

export function messageOfAssistantLine(line: AssistantLine, sessionId: string): SDKAssistantMessage {
  return {
    type: 'assistant',
    uuid: line.uuid,
    session_id: sessionId,
    message: completed(line),
    parent_tool_use_id: null,
    timestamp: line.timestamp || undefined,
    ...(line.isApiErrorMessage ? { isApiErrorMessage: true } : {}),
  };
}

export function messageOfBoundaryLine(line: SystemLine, sessionId: string): SDKCompactBoundaryMessage {
  const metadata = isJsonObject(line['compactMetadata']) ? line['compactMetadata'] : {};
  const segment = metadata['preservedSegment'];
  const preserved = isJsonObject(segment)
    ? {
        head_uuid: String(segment['headUuid']),
        anchor_uuid: String(segment['anchorUuid']),
        tail_uuid: String(segment['tailUuid']),
        ...(typeof segment['requestUuid'] === 'string' ? { request_uuid: segment['requestUuid'] } : {}),
      }
    : undefined;
  return {
    type: 'system',
    subtype: 'compact_boundary',
    uuid: line.uuid,
    session_id: sessionId,
    compact_metadata: {
      trigger: metadata['trigger'] === 'manual' ? 'manual' : 'auto',
      pre_tokens: typeof metadata['preTokens'] === 'number' ? metadata['preTokens'] : 0,
      ...(preserved ? { preserved_segment: preserved } : {}),
      ...(typeof metadata['summary'] === 'string' ? { summary: metadata['summary'] } : {}),
    },
  };
}

function boundaryFields(message: SDKCompactBoundaryMessage): object {
  const { trigger, pre_tokens, preserved_segment: segment, summary } = message.compact_metadata;
  return {
    subtype: message.subtype,
    content: 'Conversation compacted',
    compactMetadata: {
      trigger,
      preTokens: pre_tokens,
      preservedSegment: segment && { headUuid: segment.head_uuid, anchorUuid: segment.anchor_uuid, tailUuid: segment.tail_uuid, requestUuid: segment.request_uuid },
      summary,
    },
  };
}

/** Early versions of Claude Code left fields out that the API always sends; ours come back as they are. */
function completed({ message, uuid }: AssistantLine): SDKAssistantMessage['message'] {
  const original = message as unknown as SDKAssistantMessage['message'];
  const isComplete = message.id && message.model && message.usage && message.stop_reason !== undefined && message['type'] === 'message';
  if (isComplete) return original;
  return {
    ...original,
    type: 'message',
    id: message.id ?? uuid,
    model: message.model ?? 'unknown',
    stop_reason: message.stop_reason ?? null,
    stop_sequence: null,
    usage: message.usage ?? { input_tokens: 0, output_tokens: 0 },
  };
}
