import type { ApiFailure } from '../../protocol/apiFailure.ts';
import type { SDKApiRetryMessage, SDKMessage, SDKNoticeMessage } from '../../protocol/messages.ts';
import { retryReason } from './failureMessage.ts';
import type { RetryNews } from './retries.ts';

interface NewsFacts {
  readonly sessionId: string;
  readonly model: string;
  readonly fallbackModel?: string | undefined;
}

/** What the user is told while a request is tried again. */
export function retryMessage(news: RetryNews, facts: NewsFacts): SDKMessage {
  switch (news.type) {
    case 'falling-back':
      return notice(facts, `${facts.model} ${whyNot(news.failure)}. ${facts.fallbackModel} answers this turn; the next one tries ${facts.model} again.`, 'warning');
    case 'fetching-whole':
      return notice(facts, 'The answer broke off twice on its way. It is now fetched in one piece, and appears when it is complete.');
    case 'asking':
    case 'waiting': {
      const message: SDKApiRetryMessage = {
        type: 'system',
        subtype: 'api_retry',
        uuid: crypto.randomUUID(),
        session_id: facts.sessionId,
        attempt: news.attempt,
        max_retries: news.maxRetries,
        retry_delay_ms: news.delayMs,
        error_status: news.failure.status ?? null,
        error: retryReason(news.failure),
        ...(news.type === 'asking' && { needs_confirmation: true }),
      };
      return message;
    }
  }
}

export function notice({ sessionId }: Pick<NewsFacts, 'sessionId'>, text: string, level: SDKNoticeMessage['level'] = 'info'): SDKNoticeMessage {
  return { type: 'system', subtype: 'notice', uuid: crypto.randomUUID(), session_id: sessionId, level, text };
}

function whyNot(failure: ApiFailure): string {
  return failure.status === 429 || failure.errorType === 'rate_limit_error' ? 'has reached its rate limit' : 'is overloaded';
}
