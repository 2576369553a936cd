import assert from 'node:assert/strict';
import type { ChatEvent, SessionMatch } from '../../src/protocol/chatView.ts';
import type { TestApi } from '../../src/vscode/testApi.ts';
import { extensionApi, until } from './extensionApi.ts';

describe('The sessions of this window', () => {
  let api: TestApi;
  before(async () => {
    api = await extensionApi();
    api.send({ type: 'new-session' });
    await until('a new session is open', () => api.service.session?.messages.length === 0);
    api.send({ type: 'prompt-submit', text: 'explain cart.ts' });
    await until('the turn has ended', () => !api.service.isRunning && api.service.session!.messages.length > 2);
  });

  it('are named and pinned, the open one at once and others in their files', async () => {
    const { sessionId } = api.service.session!;
    await api.catalog.rename(sessionId, 'The cart');
    await api.catalog.setPinned(sessionId, true);
    const [first] = await api.catalog.list();
    assert.deepEqual([first?.sessionId, first?.title, first?.pinned], [sessionId, 'The cart', true]);
    assert.equal(api.service.session?.title, 'The cart');
    await api.service.switchTo(undefined);
    await api.catalog.rename(sessionId, 'The cart again');
    const again = await api.catalog.find(sessionId);
    assert.deepEqual([again?.title, again?.pinned], ['The cart again', true]);
    await api.catalog.setPinned(sessionId, false);
    await api.service.switchTo(sessionId);
    assert.deepEqual([api.service.session?.title, api.service.session?.isPinned], ['The cart again', false]);
  });

  it('are searched for the panel; a search that is no longer wanted tells nothing more', async () => {
    const found: Extract<ChatEvent, { type: 'sessions-found' }>[] = [];
    const listener = api.onDidShow((events) => events.forEach((event) => event.type === 'sessions-found' && found.push(event)));
    api.send({ type: 'search-sessions', request: 1, words: 'explain' });
    api.send({ type: 'search-sessions', request: 2, words: 'EXPLAIN  cart.ts' });
    await until('the second has ended', () => found.some(({ request, isDone }) => request === 2 && isDone));
    listener.dispose();
    assert.equal(found.some(({ request, isDone }) => request === 1 && isDone), false);
    const matches: SessionMatch[] = found.filter(({ request }) => request === 2).flatMap((event) => event.matches);
    assert.deepEqual(matches.find(({ sessionId }) => sessionId === api.service.session!.sessionId)?.excerpt, { before: '', match: 'explain cart.ts', after: '' });
  });
});
