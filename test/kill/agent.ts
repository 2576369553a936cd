// A process that lives to be killed: it plays the scenario and says, line by line, what the user may rely on from then on.
import { createEngine } from '../../src/sdk/index.ts';
import type { SDKMessage } from '../../src/protocol/messages.ts';
import type { Session } from '../../src/sdk/index.ts';
import { KillPoints, say } from './killPoints.ts';
import { model, steps } from './scenario.ts';
import type { Step } from './scenario.ts';

/** What a process said, each on a line of its own. */
export type Said =
  | { readonly place: string }
  | { readonly begun: string }
  /** All this is on disk: the conversation by uuid, and what it had cost in USD. */
  | { readonly durable: readonly string[]; readonly costUsd: number }
  /** The messages themselves, once each. */
  | { readonly uuid: string; readonly message: unknown }
  | { readonly ended: true };

export interface AgentOrder {
  readonly cwd: string;
  readonly dataRoot: string;
  readonly baseUrl: string;
  readonly sessionId: string;
  /** Where to die; see {@link KillPoints}. Left out: only from outside. */
  readonly killAt?: string | undefined;
  /** False: what files held is not kept. */
  readonly fileHistory?: boolean | undefined;
}

const order = JSON.parse(process.argv[2]!) as AgentOrder;
const points = new KillPoints(order.killAt);
points.watchDisk();
points.watchAnswers();
const session = await createEngine({
  cwd: order.cwd,
  dataRoot: order.dataRoot,
  endpoint: { baseUrl: order.baseUrl, apiKey: async () => 'test-key', apiKeySource: 'test' },
  sessionId: order.sessionId,
  model,
  canUseTool: async () => ({ behavior: 'allow' }),
  includePartialMessages: true,
  fileHistory: order.fileHistory,
});
const told = new Set<string>();
/** Uuids of the prompts, by the name of their step. */
const prompts = new Map<string, string>();
for (const step of steps) {
  points.phase = step.name;
  say({ begun: step.name });
  await play(step);
}
await session.dispose();
say({ ended: true });

async function play(step: Step): Promise<void> {
  if (step.kind === 'turn') return playTurn(step.name, step.prompt);
  if (step.kind === 'rewind') await session.rewind(prompts.get(step.to)!, { scope: 'both', skip: [], overwrite: [] });
  else await session.undoRewind({ skip: [], overwrite: [] });
  sayDurable(session);
}

async function playTurn(name: string, prompt: string): Promise<void> {
  const uuid = crypto.randomUUID();
  prompts.set(name, uuid);
  for await (const each of session.submitMessage(prompt, { uuid })) {
    if (isDurable(each)) sayDurable(session);
    points.pass(each.type === 'stream_event' ? `event ${each.event.type}` : `message ${each.type === 'system' ? each.subtype : each.type}`);
  }
}

/** When these come, everything before them is on disk, and so are they. An answer is as soon as it is complete and something follows it. */
function isDurable(each: SDKMessage): boolean {
  return each.type === 'user' || each.type === 'result' || (each.type === 'system' && (each.subtype === 'init' || each.subtype === 'compact_boundary'));
}

function sayDurable({ messages, cost }: Session): void {
  for (const message of messages) {
    if (told.has(message.uuid) || !('message' in message)) continue;
    told.add(message.uuid);
    say({ uuid: message.uuid, message: message.message });
  }
  say({ durable: messages.map(({ uuid }) => uuid), costUsd: cost.totalCostUsd });
}
