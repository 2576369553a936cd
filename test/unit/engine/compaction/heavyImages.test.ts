import assert from 'node:assert/strict';
import type { ContentBlock } from '../../../../src/protocol/contentBlocks.ts';
import type { SDKMessage } from '../../../../src/protocol/messages.ts';
import type { Session } from '../../../../src/sdk/index.ts';
import { blocksOf } from '../../../support/apiTypes.ts';
import type { MessagesRequest } from '../../../support/apiTypes.ts';
import { EngineHarness, resultOf } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { fault } from '../../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../../support/scriptedTurn.ts';
import { asksForPart, asksForSummary } from './engineSupport.ts';

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
/** An image of about 100,000 characters in a request, and no other the same. */
const imageOf = (n: number): Buffer => Buffer.concat([png, Buffer.alloc(75_000, n)]);
const pasted = (n: number): ContentBlock => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: imageOf(n).toString('base64') } });
/** As the 32 MB of the API, only smaller: what one request may weigh, in characters. */
const heaviest = 450_000;

const isTooHeavy = (request: MessagesRequest): boolean => JSON.stringify(request).length > heaviest;
const imagesIn = (request: MessagesRequest): number => JSON.stringify(request.messages).split('"type":"image"').length - 1;

describe('a conversation whose images weigh more than one request may', () => {
  let harness: EngineHarness;
  let session: Session;
  afterEach(() => harness.close());

  async function start(...aside: readonly ScriptedTurn[]): Promise<void> {
    harness = await EngineHarness.start([], { aside: [...aside, { when: asksForPart, reply: () => message('A part, in short.') }, { when: asksForSummary, reply: () => message('In short.') }, { when: () => true, reply: answer }] });
    session = await harness.open({ model: 'claude-opus-5-5' });
  }

  function answer({ messages }: MessagesRequest) {
    const said = /read (\d+)\.png/.exec(JSON.stringify(messages.at(-1)))?.[1];
    return said === undefined ? message('I see.') : message([toolUse('Read', { file_path: harness.path(`${said}.png`) })]);
  }

  async function say(...blocks: readonly ContentBlock[]): Promise<SDKMessage[]> {
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage(blocks)) messages.push(each);
    return messages;
  }

  for (const how of ['pasted', 'read'] as const) {
    it(`goes on when they were ${how}, and is sent no heavier again`, async () => {
      await start({ when: isTooHeavy, ...fault.status(413, { message: 'Request exceeds the maximum size' }) });
      for (let n = 1; n <= 10; n++) {
        if (how === 'read') await harness.write(`${n}.png`, imageOf(n));
        const messages = await say(...(how === 'read' ? [{ type: 'text', text: `read ${n}.png` } as ContentBlock] : [{ type: 'text', text: `picture ${n}` } as ContentBlock, pasted(n)]));
        assert.equal(resultOf(messages).subtype, 'success', `${n}: ${resultOf(messages).errors.join()}`);
      }
      const { requests } = harness.server;
      assert.ok(requests.filter(({ body }) => isTooHeavy(body)).length <= 6, 'what was too heavy is not sent again and again');
      assert.ok(imagesIn(requests.at(-1)!.body) >= 1, 'the newest image is there');
      assert.equal(new Set(requests.map(({ raw }) => raw)).size, requests.length);
      harness.server.assertClean();
    });
  }

  it('goes on where the server takes large images only in small numbers', async () => {
    const error = { type: 'invalid_request_error', message: '' };
    const refuses = (request: MessagesRequest): boolean => {
      const holder = request.messages.findIndex((each) => blocksOf(each).some(({ type }) => type === 'image'));
      const place = `messages.${holder}.content.${holder < 0 ? '' : blocksOf(request.messages[holder]!).findIndex(({ type }) => type === 'image')}`;
      error.message = `${place}.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels`;
      return imagesIn(request) > 3;
    };
    await start({ when: refuses, status: 400, body: { type: 'error', error } });
    for (let n = 1; n <= 6; n++) assert.equal(resultOf(await say({ type: 'text', text: `picture ${n}` }, pasted(n))).subtype, 'success');
    assert.equal(imagesIn(harness.server.requests.at(-1)!.body), 3);
    assert.equal(harness.server.requests.length, 9);
    harness.server.assertClean();
  });
});
