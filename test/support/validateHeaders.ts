import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError } from './apiTypes.ts';
import { invalidRequest } from './apiTypes.ts';

/** What the headers of a request are refused for: no version, no key, another key than the expected one. */
export function validateHeaders(headers: IncomingHttpHeaders, expectedKey?: string): ApiError | undefined {
  const key = keyFrom(headers);
  if (key === undefined) return unauthorized('x-api-key header is required');
  if (expectedKey !== undefined && key !== expectedKey) return unauthorized('invalid x-api-key');
  const version = headers['anthropic-version'];
  if (version === undefined) return invalidRequest('anthropic-version: header is required');
  if (!/^\d{4}-\d{2}-\d{2}$/.test(String(version))) return invalidRequest(`anthropic-version: "${String(version)}" is not a valid version`);
  if (!(headers['content-type'] ?? '').startsWith('application/json')) return invalidRequest('content-type: must be application/json');
  return undefined;
}

/** The key, sent as `Authorization: Bearer …` (API versions from 2026 on) or as `x-api-key`. */
function keyFrom(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
  return bearer ?? (headers['x-api-key'] as string | undefined);
}

function unauthorized(message: string): ApiError {
  return { status: 401, type: 'authentication_error', message };
}
