import assert from 'node:assert/strict';
import { openWorkbench } from './support/harness.ts';
import { screenshot } from './support/screenshot.ts';

describe('the window', () => {
  it('opens the sample workspace and shows the chat', async () => {
    const { chat, page, workbench } = await openWorkbench();
    await workbench.focusView('Turnstone', 'Chat');
    await chat.composer().waitFor();
    assert.equal(await chat.messages().count(), 0);
    await screenshot(page, 'smoke');
  });

  it('shows the chat again after a reload', async () => {
    const { chat, workbench } = await openWorkbench({ viewport: { width: 700, height: 800 } });
    await workbench.focusView('Turnstone', 'Chat');
    await chat.composer().waitFor();
    await workbench.reload();
    await chat.composer().waitFor();
  });

  it('gives every test a window, a workspace and a theme of its own', async () => {
    const first = await openWorkbench({ files: { 'notes.txt': 'first' } });
    const second = await openWorkbench({ theme: 'light', viewport: { width: 800, height: 700 } });
    assert.notEqual(second.workspace, first.workspace);
    assert.notEqual(second.home, first.home);
    assert.ok(first.page.isClosed());
    await second.workbench.openFile('cart.ts');
    assert.match((await second.workbench.visibleLines(second.workbench.activeGroup())).join('\n'), /percentOf/);
    await second.showTheme('highContrast');
  });
});
