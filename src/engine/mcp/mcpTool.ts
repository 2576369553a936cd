import * as z from 'zod';
import { AsyncQueue } from '../../base/asyncQueue.ts';
import { late } from '../../base/late.ts';
import { cutText } from '../../base/text.ts';
import type { McpResult, McpToolInfo } from '../../protocol/mcp.ts';
import { describeTool } from '../tools/describeTool.ts';
import { recordedCall } from '../tools/tool.ts';
import type { Tool } from '../tools/tool.ts';
import { usableSchema } from './mcpInputSchema.ts';
import { outcomeOf } from './mcpResult.ts';
import type { ServerCall } from './mcpServer.ts';

/** UTF-16 units: it takes room in every request. */
const maxDescription = 4_000;

/** UTF-16 units of what one call tells on its way: all of it is in the transcript. */
const maxProgress = 20_000;

/** The server checks what it is sent. */
const anyInput = late(() => z.looseObject({}));

/**
 * A server's tool as one of ours. The user is asked about each call, unless a rule allows it: that the server says a tool
 * only reads lets such calls run side by side and in plan mode, but nobody has to believe it. Whatever a call changes in
 * the workspace is found like the changes of a command.
 */
export function mcpTool(name: string, info: McpToolInfo, callServer: (call: ServerCall, signal: AbortSignal) => Promise<McpResult>): Tool {
  const { schema, note } = usableSchema(info.inputSchema);
  const described = info.description || info.title || `The tool ${info.name} of an MCP server.`;
  return {
    name,
    description: [cutText(described, maxDescription), note].filter(Boolean).join('\n'),
    get input() {
      return anyInput();
    },
    inputJsonSchema: schema,
    access: info.isReadOnly ? 'consent' : 'execute',
    concurrencySafe: info.isReadOnly,
    async plan(input) {
      return { title: describeTool(name, input).title, paths: [], state: undefined };
    },
    async *run({ input }, context) {
      const recording = await context.fileHistory.shellCommand(name, recordedCall(context));
      let gap: string | undefined = 'its server did not say that it had come to an end, and what it changed after that was not kept';
      try {
        const progress = new AsyncQueue<string>();
        const call = callServer({ tool: info.name, input: input as { readonly [field: string]: unknown }, onProgress: (text) => progress.push(text) }, context.signal);
        // Taken up below, when what it told on the way is told.
        call.catch(() => {}).finally(() => progress.end());
        let told = 0;
        for await (const text of progress) {
          if (told > maxProgress) continue;
          told += text.length;
          yield { kind: 'status', text: `${cutText(text, maxProgress)}\n` };
        }
        const result = await call;
        gap = undefined;
        return outcomeOf(result, name);
      } finally {
        await recording.over(gap);
      }
    },
  };
}
