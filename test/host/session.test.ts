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
    const { sessionId } = api.service.session!;
    await api.service.switchTo(undefined);
    assert.deepEqual(latest('queue-changed')?.prompts, []);
    await api.service.switchTo(sessionId);
    assert.deepEqual(latest('queue-changed')?.prompts.map(({ text }) => text), ['explain money.ts']);
    const shown = turns();
    api.send({ type: 'prompt-submit', text: 'explain package.json' });
    await until('both were answered', () => !api.service.isRunning && turns() === shown + 2);
    assert.deepEqual(prompts(), ['explain cart.ts', 'write a long answer', 'explain money.ts', 'explain package.json']);
    assert.deepEqual(latest('queue-changed')?.prompts, []);
  });

  it('is there again when it is opened from the list', async () => {
    const { sessionId } = api.service.session!;
    const said = prompts();
    const shown = (): string[] => items().map((item) => (item.kind === 'turn' ? item.kind : item.id));
    const before = shown();
    await api.service.switchTo(undefined);
    assert.deepEqual(prompts(), []);
    assert.ok((await api.catalog.list()).some((session) => session.sessionId === sessionId));
    await api.service.switchTo(sessionId);
    assert.deepEqual(prompts(), said);
    assert.deepEqual(shown(), before);
  });

  it('answers commands without a line of cost, and shows an empty conversation after /clear', async () => {
    assert.ok(prompts().length > 0);
    const turns = items().filter((item) => item.kind === 'turn').length;
    api.send({ type: 'prompt-submit', text: '/effort' });
    await until('it was answered', () => !api.service.isRunning && items().some((item) => item.kind === 'user' && item.isLocal));
    assert.deepEqual([items().at(-1)?.kind, items().filter((item) => item.kind === 'turn').length], ['notice', turns]);
    api.send({ type: 'prompt-submit', text: '/clear' });
    await until('nothing but the answer is left', () => !api.service.isRunning && items().every((item) => item.kind === 'notice'));
    assert.match(items().map((item) => item.kind === 'notice' && item.text).join(), /A new conversation begins here/);
    assert.equal(api.service.session?.canUndoRewind, true);
  });

  it('finds commands and files for what is being typed', async () => {
    const lists: { readonly request: number; readonly labels: readonly string[] }[] = [];
    const listener = api.onDidShow((events) => events.forEach((event) => event.type === 'completions-listed' && lists.push({ request: event.request, labels: event.completions.map(({ label }) => label) })));
    api.send({ type: 'complete', request: 1, kind: 'command', prefix: 'cle' });
    api.send({ type: 'complete', request: 2, kind: 'file', prefix: 'SRC/CAR' });
    await until('both were answered', () => lists.length === 2);
    listener.dispose();
    assert.deepEqual(lists.sort((one, other) => one.request - other.request), [{ request: 1, labels: ['/clear'] }, { request: 2, labels: ['cart.ts'] }]);
  });
});
