import assert from 'node:assert/strict';
import path from 'node:path';
import { message, text, thinking, toolUse } from '../support/scriptedMessage.ts';
import { startScriptedServer } from '../support/scriptedServer.ts';
import { openChat } from './support/conversation.ts';
import { openWorkbench, testApiKey } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

const answer = 'The cart is in `src/cart.ts`:\n\n| function | returns |\n|---|---|\n| `total` | cents |\n\n```ts\nexport const rate = 0.1;\n```\n\nI would name the rate.';

describe('the chat and a review', () => {
  for (const theme of ['light', 'dark', 'highContrast', 'highContrastLight'] as const) {
    it(`can be read with the theme ${theme}`, async () => {
      const server = await startScriptedServer([], { expectedKey: testApiKey });
      const opened = await openWorkbench({ baseUrl: server.url, theme });
      const money = path.join(opened.workspace, 'src', 'money.ts');
      const { chat, page, workbench } = opened;
      server.push(
        { reply: message([thinking('The person wants a name for the rate.'), text(answer), toolUse('Read', { file_path: money })]) },
        { reply: message([toolUse('Write', { file_path: path.join(opened.workspace, 'src', 'rate.ts'), content: 'export const rate = 0.1;\n' }), toolUse('Edit', { file_path: money, old_string: 'cents', new_string: 'pence', replace_all: true })]) },
      );
      await openChat(opened);
      await chat.send('Where is the rate of the discount?');
      await chat.approval().waitFor();
      await workbench.diffSide('modified').locator('.view-line').first().waitFor();
      const colours = await chat.frame.locator('body').evaluate((body) => {
        const style = getComputedStyle(body);
        return [style.color, style.getPropertyValue('--vscode-sideBar-background')];
      });
      assert.notEqual(colours[0], colours[1]);
      assert.ok(colours.every((colour) => colour !== ''), colours.join(' / '));
      await screenshot(page, `theme-${theme}`);
      await server.close();
    });
  }
});
