import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { costItem, openChat } from './support/conversation.ts';
import { openWorkbench } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

describe('without a model of one’s own', () => {
  it('the demo does a whole job with real files, says that it is a demo, and everything can be reviewed', async () => {
    const opened = await openWorkbench();
    const { chat, page, workbench, workspace } = opened;
    await openChat(opened);
    assert.equal(await chat.frame.getByTestId('demo-banner').count(), 0);
    await workbench.runCommand('Turnstone: Use Demo Model');
    await chat.frame.getByTestId('demo-banner').waitFor();
    await screenshot(page, 'demo-start');

    const cart = path.join(workspace, 'src', 'cart.ts');
    const before = fs.readFileSync(cart, 'utf8');
    await chat.send('rename `total` to `sum` in cart.ts and run the tests');
    await chat.approval().waitFor();
    await workbench.diffSide('modified').locator('.view-line').first().waitFor();
    assert.equal(fs.readFileSync(cart, 'utf8'), before, 'something was written before it was accepted');
    assert.match((await workbench.visibleLines(workbench.diffSide('modified'))).join('\n'), /export function sum\(/);
    await screenshot(page, 'demo-review');
    await workbench.titleAction('Accept Proposal').click();
    await chat.toolCards({ tool: 'Edit', status: 'done' }).first().waitFor();
    assert.equal(fs.readFileSync(cart, 'utf8'), before.replaceAll('total', 'sum'));

    await chat.approval().filter({ hasText: 'cart.test.ts' }).waitFor();
    await chat.approve();
    await chat.approval().filter({ hasText: 'Run a command' }).waitFor();
    await chat.approve();
    await chat.frame.getByTestId('turn-summary').waitFor();
    await chat.idle();
    assert.equal(await workbench.tab(/proposed/).count(), 0);
    assert.match((await costItem(opened).textContent()) ?? '', /^\$0\.\d+ \(not billed\) · \d+ %$/);
    await screenshot(page, 'demo-end');
  });
});
