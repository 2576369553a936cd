import type { FrameLocator, Locator, Page } from 'playwright-core';

type ToolCardFilter = { readonly tool?: string; readonly status?: string };

/** The chat in the sidebar: everything is found by its data-testid, never by its looks. */
export class ChatPanel {
  readonly frame: FrameLocator;

  constructor(page: Page, extensionId = 'turnstone.turnstone') {
    // VS Code puts a webview's document into a frame within a frame.
    this.frame = page.frameLocator(`iframe.webview.ready[src*="extensionId=${extensionId}"]`).frameLocator('#active-frame');
  }

  composer(): Locator {
    return this.frame.getByTestId('composer');
  }

  sendButton(): Locator {
    return this.frame.getByTestId('send');
  }

  stopButton(): Locator {
    return this.frame.getByTestId('stop');
  }

  /** Types the text and sends it with the button. */
  async send(text: string): Promise<void> {
    await this.composer().fill(text);
    await this.sendButton().click();
  }

  messages(role?: 'user' | 'assistant'): Locator {
    const all = this.frame.getByTestId('message');
    return role ? all.and(this.frame.locator(`[data-role="${role}"]`)) : all;
  }

  toolCards({ tool, status }: ToolCardFilter = {}): Locator {
    const wanted = [tool ? `[data-tool="${tool}"]` : '', status ? `[data-status="${status}"]` : ''].join('');
    return this.frame.locator(`[data-testid="tool-card"]${wanted}`);
  }

  approval(): Locator {
    return this.frame.getByTestId('approval');
  }

  async approve(): Promise<void> {
    await this.approval().getByTestId('approve').click();
  }

  async reject(reason?: string): Promise<void> {
    if (reason !== undefined) {
      await this.approval().getByTestId('reject-reason').fill(reason);
    }
    await this.approval().getByTestId('reject').click();
  }

  sessionList(): Locator {
    return this.frame.getByTestId('session-list');
  }

  sessionItem(title: string | RegExp): Locator {
    return this.frame.getByTestId('session-item').filter({ hasText: title });
  }

  /** A turn has ended when it can be stopped no longer. */
  async idle(): Promise<void> {
    await this.stopButton().waitFor({ state: 'hidden' });
  }
}
