/** Token counts of one API message, in the API's own field names. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number | null | undefined;
  readonly cache_read_input_tokens?: number | null | undefined;
  readonly cache_creation?:
    | { readonly ephemeral_5m_input_tokens?: number | undefined; readonly ephemeral_1h_input_tokens?: number | undefined }
    | null
    | undefined;
  readonly server_tool_use?: { readonly web_search_requests?: number | undefined } | null | undefined;
  readonly service_tier?: string | null | undefined;
  readonly speed?: string | null | undefined;
  readonly [extra: string]: unknown;
}

/** What one model has used in a session. `costUSD` is null where the price of the model is unknown. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreation5mInputTokens: number;
  readonly cacheCreation1hInputTokens: number;
  readonly webSearchRequests: number;
  readonly costUSD: number | null;
  /** Tokens; 0 when unknown. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

/**
 * Answers that broke off: stopped, cut by the connection or by the end of the process. What they have used is told at
 * their end, so every figure counts of them only what was told at their beginning, and is a lower bound.
 */
export interface UnreportedUse {
  readonly answers: number;
  /** That came beyond what was told, estimated. */
  readonly outputTokens: number;
  /** USD of these tokens, estimated; null where the price is not known. */
  readonly usd: number | null;
}

/** null where there was no answer, or none long enough to have a pace. */
export interface AnswerSpeed {
  readonly time_to_first_token_ms: number | null;
  readonly output_tokens_per_second: number | null;
}
