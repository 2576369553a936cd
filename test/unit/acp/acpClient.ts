import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import type * as acp from '@agentclientprotocol/sdk';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';

/** An editor at the other end of a process that speaks the Agent Client Protocol. */
export interface TestClient {
  readonly agent: acp.ClientContext;
  /** Every update so far, of all sessions. */
  readonly updates: acp.SessionUpdate[];
  readonly asked: acp.RequestPermissionRequest[];
  readonly process: ChildProcessWithoutNullStreams;
  /** The first update that fits, as soon as it is there. */
  waitFor(fits: (update: acp.SessionUpdate) => boolean): Promise<acp.SessionUpdate>;
  /** Closes standard input; resolves with the exit code and what was said on standard error. */
  end(): Promise<{ readonly code: number | null; readonly stderr: string }>;
}

export type Decide = (request: acp.RequestPermissionRequest) => string | Promise<string>;

/** `decide` gives the kind of the option that is chosen. */
export function connectClient(process: ChildProcessWithoutNullStreams, decide: Decide = () => 'reject_once'): TestClient {
  const updates: acp.SessionUpdate[] = [];
  const asked: acp.RequestPermissionRequest[] = [];
  const waiting = new Set<() => void>();
  const stderr: Buffer[] = [];
  process.stderr.on('data', (bytes: Buffer) => stderr.push(bytes));
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
      for (const look of waiting) look();
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      const kind = await decide(params);
      const option = params.options.find((each) => each.kind === kind);
      return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } };
    })
    .connect(ndJsonStream(Writable.toWeb(process.stdin), Readable.toWeb(process.stdout) as ReadableStream<Uint8Array>));
  const closed = once(process, 'close') as Promise<[number | null]>;
  return {
    agent: connection.agent,
    updates,
    asked,
    process,
    waitFor: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = updates.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    end: async () => {
      process.stdin.end();
      const [code] = await closed;
      return { code, stderr: Buffer.concat(stderr).toString('utf8') };
    },
  };
}

/** What the agent said, in one text. */
export function textOfUpdates(updates: readonly acp.SessionUpdate[], kind: 'agent_message_chunk' | 'user_message_chunk' | 'agent_thought_chunk' = 'agent_message_chunk'): string {
  return updates.flatMap((update) => (update.sessionUpdate === kind && update.content.type === 'text' ? [update.content.text] : [])).join('');
}
