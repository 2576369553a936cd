import { textOf } from '../../protocol/contentBlocks.ts';
import type { ToolResultBlock, ToolUseBlock } from '../../protocol/contentBlocks.ts';
import { runTools } from '../runTools.ts';
import type { ToolRunner } from '../toolCall.ts';

/**
 * What a command line of a custom command prints. It goes the way of every call of the shell tool: trust, mode and rules
 * are looked at, the user is asked where they say so, and a refusal is what stands in place of the output.
 */
export async function shellOutput(command: string, runner: ToolRunner): Promise<string> {
  const call: ToolUseBlock = { type: 'tool_use', id: crypto.randomUUID(), name: 'Bash', input: { command } };
  for await (const message of runTools([call], new Map(), runner)) {
    if (message.type !== 'user' || typeof message.message.content === 'string') continue;
    const result = message.message.content[0] as ToolResultBlock;
    return typeof result.content === 'string' ? result.content : textOf(result.content ?? []);
  }
  return '(no output)';
}
