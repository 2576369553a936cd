import { Readable } from 'node:stream';
import { serveAgent } from '../acp/serveAgent.ts';
import { TurnstoneError } from '../base/errors.ts';
import { agentOptions } from './agentOptions.ts';
import { chooseEndpoint } from './chooseEndpoint.ts';
import type { ChosenEndpoint } from './chooseEndpoint.ts';
import type { CommandHost } from './commandHost.ts';
import type { AcpArguments } from './parseArguments.ts';

const keyMethod = { id: 'environment', name: 'API key', description: 'The key in ANTHROPIC_API_KEY, as the editor’s settings for this agent give it.' };
const demoMethod = { id: 'demo', name: 'Demo model', description: 'Built in: no key, no network, no cost.' };

/** Serves one client on standard input and output, which carry nothing else. Ends with the client. */
export async function serveAcp(args: AcpArguments, host: CommandHost): Promise<number> {
  const stop = new AbortController();
  host.signals.callOnStop(() => stop.abort());
  host.callOnReaderGone(() => stop.abort());
  let isDemo = args.demo;
  let chosen: ChosenEndpoint | undefined;
  const endpoint = async (): Promise<ChosenEndpoint> => (chosen ??= await chooseEndpoint(isDemo, process.env));
  try {
    await serveAgent({
      input: Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
      output: new WritableStream({ write: (bytes) => host.output.write(bytes) }),
      log: host.log,
      stop: stop.signal,
      authMethods: [keyMethod, demoMethod],
      authenticate: async (id) => {
        if (id !== keyMethod.id && id !== demoMethod.id) throw new TurnstoneError('invalid_input', `There is no way "${id}" to sign in: it is ${keyMethod.id} or ${demoMethod.id}.`);
        isDemo ||= id === demoMethod.id;
        await endpoint();
      },
      sessionOptions: async () => ({ ...agentOptions(args, await endpoint(), host.log), mirror: host.mirror, log: host.log }),
    });
    return 0;
  } finally {
    await chosen?.close();
  }
}
