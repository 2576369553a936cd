import type { WireBlock } from './apiTypes.ts';

interface SentMessage {
  readonly model: string;
  readonly content: readonly WireBlock[];
}

/**
 * The answers a server has given, so that it can recognise its own thinking blocks. Shared between two servers it lets
 * a test resume a session against a new one.
 */
export class SentMessages {
  private readonly byToolUseId = new Map<string, SentMessage>();
  private readonly thinkingByKey = new Map<string, { readonly model: string; readonly thinking: string }[]>();

  remember(message: SentMessage): void {
    for (const block of message.content) {
      if (block.type === 'tool_use') this.byToolUseId.set(String(block['id']), message);
      if (!isThinking(block)) continue;
      const key = keyOf(block);
      const known = this.thinkingByKey.get(key) ?? [];
      this.thinkingByKey.set(key, [...known, { model: message.model, thinking: textOf(block) }]);
    }
  }

  /** The answer a tool call came in, if it was one of ours. */
  answerWithCall(toolUseId: string): SentMessage | undefined {
    return this.byToolUseId.get(toolUseId);
  }

  /** Whether this block was sent: to this model with this text, with another text, or never (to this model). */
  judge(block: WireBlock, model: string): 'as sent' | 'altered' | 'unknown' {
    const ofModel = (this.thinkingByKey.get(keyOf(block)) ?? []).filter(sent => sent.model === model);
    if (ofModel.length === 0) return 'unknown';
    return ofModel.some(sent => sent.thinking === textOf(block)) ? 'as sent' : 'altered';
  }
}

export function isThinking(block: WireBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** What identifies a thinking block: its signature, or for a redacted one its data. */
export function keyOf(block: WireBlock): string {
  return block.type === 'thinking' ? `thinking ${String(block['signature'])}` : `redacted ${String(block['data'])}`;
}

function textOf(block: WireBlock): string {
  return block.type === 'thinking' ? String(block['thinking']) : '';
}
