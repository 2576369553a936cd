import type * as acp from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import { raceAbort } from '../base/abort.ts';
import { abortedError, errorText } from '../base/errors.ts';
import type { PermissionAnswer, PermissionRequest } from '../protocol/permissions.ts';
import { waitingCall } from './toolCalls.ts';

const allowOnce = 'allow-once';
const allowAlways = 'allow-always';
const rejectOnce = 'reject-once';

export interface AskedClient {
  readonly client: acp.AgentContext;
  readonly sessionId: string;
  readonly cwd: string;
}

/** Puts a request to the user of the client. Rejects with an `aborted` error when the turn is interrupted. */
export async function askClient(request: PermissionRequest, { client, sessionId, cwd }: AskedClient, signal: AbortSignal): Promise<PermissionAnswer> {
  const asked: acp.RequestPermissionRequest = { sessionId, toolCall: waitingCall(request, cwd), options: optionsFor(request) };
  const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
  try {
    const { outcome } = await raceAbort(client.request(methods.client.session.requestPermission, asked, options), signal);
    return answerOf(outcome, request);
  } catch (thrown) {
    if (signal.aborted) throw abortedError(signal.reason);
    return { behavior: 'deny', byUser: false, reason: `The editor could not ask the user (${errorText(thrown)}). Nothing was changed.` };
  }
}

function optionsFor({ suggestedRule }: PermissionRequest): acp.PermissionOption[] {
  return [
    { optionId: allowOnce, kind: 'allow_once', name: 'Allow' },
    ...(suggestedRule === undefined ? [] : [{ optionId: allowAlways, kind: 'allow_always', name: `Allow ${suggestedRule} in this session` } as const]),
    { optionId: rejectOnce, kind: 'reject_once', name: 'Reject' },
  ];
}

/** Whatever is not a plain yes allows nothing. */
function answerOf(outcome: acp.RequestPermissionOutcome, { suggestedRule }: PermissionRequest): PermissionAnswer {
  if (outcome.outcome === 'cancelled') return { behavior: 'deny' };
  if (outcome.optionId === allowOnce) return { behavior: 'allow' };
  if (outcome.optionId === allowAlways && suggestedRule !== undefined) return { behavior: 'allow', rememberRule: { rule: suggestedRule, level: 'session' } };
  return { behavior: 'deny' };
}
