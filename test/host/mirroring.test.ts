import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import { S3Server } from '../support/s3Server.ts';
import type { ChatItem } from '../../src/protocol/chatView.ts';
import type { TestApi } from '../../src/vscode/testApi.ts';
import { extensionApi, until } from './extensionApi.ts';

describe('A mirror of the sessions', () => {
  let api: TestApi;
  let server: S3Server;
  before(async () => {
    api = await extensionApi();
    server = await S3Server.start();
  });
  after(async () => {
    await set('url', undefined);
    await set('region', undefined);
    await server.close();
  });

  const set = (name: string, value: string | undefined): Thenable<void> => vscode.workspace.getConfiguration('turnstone').update(`mirror.${name}`, value, vscode.ConfigurationTarget.Global);
  const notices = (): string[] => api.service.snapshot().flatMap((event) => (event.type === 'items-put' ? event.items : [])).flatMap((item: ChatItem) => (item.kind === 'notice' ? [item.text] : []));

  it('is off until it has an address and keys, says what is missing, and gets what was said before', async () => {
    api.send({ type: 'new-session' });
    await until('a new session is open', () => api.service.session?.messages.length === 0);
    api.send({ type: 'prompt-submit', text: 'explain cart.ts' });
    await until('the turn has ended', () => !api.service.isRunning && api.service.session!.messages.length > 2);
    assert.equal(await api.mirroring.current(), undefined);
    await set('region', server.region);
    await set('url', server.url);
    await until('the keys are missed', () => notices().some((text) => text.includes('Set Mirror Keys')));
    assert.equal(server.requests.length, 0);
    await api.mirroring.setKeys({ accessKeyId: server.accessKeyId, secretAccessKey: server.secretAccessKey });
    const { sessionId } = api.service.session!;
    await until('the session is there', () => [...server.objects.keys()].some((key) => key.includes(sessionId) && key.endsWith('about.json')));
    assert.deepEqual(server.complaints, []);
  });

  it('gives back a session that this machine has lost', async () => {
    const session = api.service.session!;
    const { sessionId, transcriptPath } = session;
    await api.service.switchTo(undefined);
    const before = fs.readFileSync(transcriptPath, 'utf8');
    await until('all of it is there', () => before === [...server.objects.keys()].filter((key) => key.includes(sessionId) && key.endsWith('.jsonl')).sort().map((key) => server.text(key)).join(''));
    fs.renameSync(transcriptPath, `${transcriptPath}.lost`);
    void vscode.commands.executeCommand('turnstone.restoreFromMirror');
    await until('it is open again', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return api.service.session?.sessionId === sessionId;
    });
    fs.rmSync(`${transcriptPath}.lost`);
    assert.ok(fs.readFileSync(transcriptPath, 'utf8').startsWith(before));
    assert.ok(api.service.session!.messages.length > 2);
  });
});
