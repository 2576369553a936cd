import type { Locator } from 'playwright-core';
import type { MessagesRequest } from '../../support/apiTypes.ts';
import type { OpenedWorkbench } from './harness.ts';

/** Shows the chat, as a person does: with a click on its icon, unless it is shown already. */
export async function openChat({ page, chat }: OpenedWorkbench): Promise<void> {
  const item = page.locator('.activitybar .action-item', { has: page.locator('a[aria-label^="Turnstone"]') });
  await item.waitFor();
  // While the window settles a click may be lost.
  await until('the chat is shown', async () => {
    const isShown = (await item.getAttribute('class'))?.includes('checked');
    if (!isShown) await item.click();
    return isShown;
  });
  await chat.composer().waitFor();
}

/** The cost item in the status bar. */
export function costItem({ workbench }: OpenedWorkbench): Locator {
  return workbench.statusItem('turnstone.turnstone.turnstone.cost');
}

/** What the model was told last, as text: results of tools and what the user said. */
export function lastTold(request: MessagesRequest): string {
  return JSON.stringify(request.messages.at(-1)?.content ?? '');
}

/** Waits until `look` gives something; the test's own limit ends the waiting. */
export async function until<T>(what: string, look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + 90_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`Waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
