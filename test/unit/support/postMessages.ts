import { request as httpRequest } from 'node:http';

/** What came back: the pieces as they arrived, and how it ended. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
  readonly chunks: number;
  readonly ended: 'whole' | 'broken';
}

export const minimalBody = { model: 'claude-sonnet-5-5', max_tokens: 1000, stream: true, messages: [{ role: 'user', content: 'Hello' }] };

/** Posts a body to `/v1/messages` with a plain HTTP client that hides nothing of how the answer came. */
export function postMessages(url: string, body: unknown = minimalBody, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/v1/messages`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', 'anthropic-version': '2026-10-21', authorization: 'Bearer test', ...headers },
    });
    request.once('error', reject);
    request.once('response', response => {
      const chunks: Buffer[] = [];
      const finish = (ended: RawAnswer['ended']): void =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString(), chunks: chunks.length, ended });
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => finish('whole'));
      response.once('error', () => finish('broken'));
    });
    request.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}
