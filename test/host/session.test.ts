import assert from 'node:assert/strict';
import type { ChatEvent, ChatItem } from '../../src/protocol/chatView.ts';
import type { TestApi } from '../../src/vscode/testApi.ts';
import { extensionApi, until } from './extensionApi.ts';

describe('A session without a key', () => {
  let api: TestApi;

  before(async () => {
    api = await extensionApi();
    api.send({ type: 'ready' });
    await until('a session is open', () => api.service.session !== undefined && latest('status-changed') !== undefined);
  });

  /** What a panel that comes now would be told. */
  function latest<T extends ChatEvent['type']>(type: T): Extract<ChatEvent, { type: T }> | undefined {
    return api.service.snapshot().findLast((event): event is Extract<ChatEvent, { type: T }> => event.type === type);
  }

  const items = (): readonly ChatItem[] => latest('items-put')?.items ?? [];
  const prompts = (): string[] => items().flatMap((item) => (item.kind === 'user' ? [item.text] : []));

  it('is answered by the demo model, which is said', () => {
    assert.deepEqual([latest('status-changed')?.status.demo, latest('status-changed')?.status.needsKey], [true, false]);
  });

  it('runs a turn to its end though no panel is there', async () => {
    api.send({ type: 'prompt-submit', text: 'explain cart.ts' });
    await until('the turn has ended', () => items().some((item) => item.kind === 'turn' && item.ok));
    assert.deepEqual(prompts(), ['explain cart.ts']);
    assert.deepEqual(items().filter((item) => item.kind === 'tool' && item.tool === 'Read').map((item) => item.kind === 'tool' && [item.title, item.status]), [['src/cart.ts', 'done']]);
    assert.equal(items().some((item) => item.kind === 'text' && item.streaming), false);
  });

  it('keeps what is typed meanwhile, and holds it back when the turn is stopped', async () => {
    const turns = (): number => items().filter((item) => item.kind === 'turn').length;
    const before = turns();
    api.send({ type: 'prompt-submit', text: 'write a long answer' });
    await until('it answers', () => items().some((item) => item.kind === 'text' && item.streaming));
    api.send({ type: 'prompt-submit', text: 'explain money.ts' });
    await until('it is queued', () => latest('queue-changed')?.prompts.length === 1);
    api.send({ type: 'interrupt' });
    await until('the turn has ended', () => !api.service.isRunning);
    assert.deepEqual([turns() - before, latest('queue-changed')?.prompts.map(({ text }) => text)], [1, ['explain money.ts']]);
    api.send({ type: 'prompt-submit', text: 'explain package.json' });
    await until('both were answered', () => !api.service.isRunning && turns() - before === 3);
    assert.deepEqual(prompts(), ['explain cart.ts', 'write a long answer', 'explain money.ts', 'explain package.json']);
  });

  it('is there again when it is opened from the list', async () => {
    const { sessionId } = api.service.session!;
    const said = prompts();
    const ids = items().flatMap((item) => (item.kind === 'turn' ? [] : [item.id]));
    await api.service.switchTo(undefined);
    assert.deepEqual(prompts(), []);
    assert.ok((await api.service.list()).some((session) => session.sessionId === sessionId));
    await api.service.switchTo(sessionId);
    assert.deepEqual(prompts(), said);
    assert.deepEqual(items().map((item) => item.id), ids);
  });
});
