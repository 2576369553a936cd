import type { SDKApiRetryMessage } from './messages.ts';

/** Pure. What a person who waits for an answer wants to know while a request waits for its next try. */
export function retryText({ attempt, max_retries: limit, retry_delay_ms: delayMs, error }: SDKApiRetryMessage): string {
  // 0 stands for no limit.
  const count = limit > 0 ? `${attempt} of ${limit}` : `attempt ${attempt}`;
  return `${error} Trying again in ${Math.ceil(delayMs / 1000)} s (${count}).`;
}
