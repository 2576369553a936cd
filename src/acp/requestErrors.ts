import { RequestError } from '@agentclientprotocol/sdk';
import { errorText, isTurnstoneError } from '../base/errors.ts';

/** Codes of JSON-RPC and of the protocol. */
const internalError = -32603;
const invalidParams = -32602;
const authRequired = -32000;
const notFound = -32002;

/** What a client is told of something that was thrown, in the words that were meant for the user. */
export function toRequestError(thrown: unknown): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const code = isTurnstoneError(thrown) ? thrown.code : 'unknown';
  return new RequestError(rpcCodes[code] ?? internalError, errorText(thrown), { code });
}

const rpcCodes: { readonly [code: string]: number | undefined } = {
  configuration: authRequired,
  authentication: authRequired,
  invalid_input: invalidParams,
  not_found: notFound,
};
