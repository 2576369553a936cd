const brand = Symbol.for('turnstone.error');

/** What distinguishes one failure from another; hosts and the model loop branch on it, never on the text. */
export type ErrorCode =
  | 'api'
  | 'aborted'
  | 'authentication'
  | 'configuration'
  | 'disk'
  | 'invalid_input'
  | 'network'
  | 'not_found'
  | 'not_text'
  | 'outside_workspace'
  | 'permission'
  | 'protocol'
  | 'session_in_use'
  | 'stale_file'
  | 'unknown';

export interface TurnstoneErrorOptions {
  readonly cause?: unknown;
  /** What the model is told, where that differs from what the user is told. */
  readonly modelMessage?: string;
}

/**
 * The one error class. `message` is for the user: what happened, what was kept, what to do.
 * Recognise it with {@link isTurnstoneError}: `instanceof` fails across bundles.
 */
export class TurnstoneError extends Error {
  readonly code: ErrorCode;
  readonly modelMessage: string;
  readonly [brand] = true;

  constructor(code: ErrorCode, message: string, options: TurnstoneErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TurnstoneError';
    this.code = code;
    this.modelMessage = options.modelMessage ?? message;
  }
}

export function isTurnstoneError(value: unknown): value is TurnstoneError {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}

/** The text of anything that was thrown, never empty. */
export function errorText(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  if (typeof thrown === 'string' && thrown) return thrown;
  return String(thrown);
}

/** The `code` of a Node system error (`ENOENT`, `ECONNRESET` …), also when it is wrapped as a cause. */
export function systemErrorCode(thrown: unknown): string | undefined {
  for (let error = thrown, depth = 0; error && depth < 6; error = (error as { cause?: unknown }).cause, depth++) {
    const code = (error as { code?: unknown }).code;
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
  }
  return undefined;
}

export function abortedError(reason?: unknown): TurnstoneError {
  return new TurnstoneError('aborted', 'Interrupted.', { cause: reason });
}

export function isAborted(thrown: unknown): boolean {
  if (isTurnstoneError(thrown)) return thrown.code === 'aborted';
  return thrown instanceof Error && (thrown.name === 'AbortError' || thrown.name === 'APIUserAbortError');
}
