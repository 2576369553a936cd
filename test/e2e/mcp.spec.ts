import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fixtureServer } from '../support/mcpHarness.ts';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import type { ScriptedServer } from '../support/scriptedServer.ts';
import { lastTold, openChat, until } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

describe('MCP servers in the editor', () => {
  let server: ScriptedServer;
  beforeEach(async () => void (server = await startScriptedServer([], { expectedKey: testApiKey })));
  afterEach(() => server.close());

  it('one that comes with the project runs after a yes; its calls are asked about readably, always allowed by name, and undone', async () => {
    const opened = await openWorkbench({ baseUrl: server.url, files: { '.mcp.json': JSON.stringify({ mcpServers: { fix: fixtureServer() } }), 'notes.txt': 'mine\n' } });
    const { chat, page, workspace } = opened;
    await openChat(opened);
    server.push({ reply: message('Hello.') });
    await chat.send('Hello');
    await chat.messages('assistant').filter({ hasText: 'Hello.' }).waitFor();
    await chat.idle();
    await chat.frame.getByText('This project brings an MCP server, “fix”').waitFor();
    await screenshot(page, 'mcp-consent');
    await chat.frame.getByLabel('Start it').check();
    await chat.frame.getByTestId('questions-answer').click();
    const notes = path.join(workspace, 'notes.txt');
    const input = { path: notes, content: 'written by a tool\nof somebody else\n' };
    await until('the server runs', async () => {
      await chat.send('/mcp');
      return (await chat.frame.getByText('fix — connected').count()) > 0;
    });
    await screenshot(page, 'mcp-list');
    server.push({ reply: message([toolUse('mcp__fix__write', input, { id: 'w1' })]) }, { reply: message([toolUse('mcp__fix__write', { ...input, content: 'again\n' }, { id: 'w2' })]) }, { reply: message('Both are written.') });
    await chat.send('Write it');
    const card = chat.approval();
    await card.getByText('Use “write” of the MCP server “fix”').waitFor();
    await card.getByText('of somebody else').waitFor();
    await card.getByTestId('always-allow').click();
    assert.equal(await card.getByTestId('always-rule').inputValue(), 'mcp__fix__write');
    await card.getByTestId('always-note').filter({ hasText: 'Every use of write of the MCP server fix.' }).waitFor();
    await screenshot(page, 'mcp-approval');
    await card.getByTestId('always-save').click();
    await chat.messages('assistant').filter({ hasText: 'Both are written.' }).waitFor();
    await chat.idle();
    assert.equal(fs.readFileSync(notes, 'utf8'), 'again\n');
    assert.match(lastTold(server.requests.at(-1)!.body), /written/);
    await screenshot(page, 'mcp-done');
    server.assertClean();
  });
});
