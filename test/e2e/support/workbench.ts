import type { Locator, Page } from 'playwright-core';

/** The window of VS Code around the extension, as a person uses it. */
export class Workbench {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
    await this.page.locator('.part.editor .editor-group-container, .part.editor .editor-group-watermark').first().waitFor();
  }

  /** Runs a command by its full title in the command palette, for example "View: Toggle Panel Visibility". */
  async runCommand(title: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input').first();
    // The key has no effect while the workbench is still settling.
    for (let attempt = 0; attempt < 20 && !(await input.isVisible()); attempt++) {
      await this.page.keyboard.press('F1');
      await input.waitFor({ timeout: 1000 }).catch(() => undefined);
    }
    await input.fill(`>${title}`);
    await this.quickPickRow(title).click();
  }

  /** The visible row of a quick pick whose label is exactly this text, or matches the pattern. */
  quickPickRow(label: string | RegExp): Locator {
    const text = typeof label === 'string' ? new RegExp(`^${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`) : label;
    const rows = this.page.locator('.quick-input-widget .quick-input-list .monaco-list-row');
    return rows.filter({ has: this.page.locator('.label-name', { hasText: text }) }).first();
  }

  /** Everything a screen reader is told about each row of the quick pick. */
  async quickPickRows(): Promise<string[]> {
    const rows = this.page.locator('.quick-input-widget .quick-input-list .monaco-list-row');
    return rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? ''));
  }

  quickPickRowButton(label: string | RegExp, button: string): Locator {
    return this.quickPickRow(label).locator(`.quick-input-list-entry-action-bar a[aria-label="${button}"]`);
  }

  /** Waits until the command exists, which is when the view of the extension is known. */
  async focusView(container: string, view: string): Promise<void> {
    await this.runCommand(`${container}: Focus on ${view} View`);
  }

  /** `id` is `publisher.extension.itemId`. */
  statusItem(id: string): Locator {
    return this.page.locator(`.part.statusbar .statusbar-item[id="${id}"]`);
  }

  /** Opens a file of the workspace by its name. */
  async openFile(name: string): Promise<void> {
    await this.page.keyboard.press('Control+P');
    await this.page.locator('.quick-input-widget input').first().fill(name);
    await this.quickPickRow(name.split('/').pop() ?? name).click();
    await this.tab(name.split('/').pop() ?? name).waitFor();
  }

  tab(label: string | RegExp): Locator {
    return this.page.locator('.tabs-container .tab').filter({ hasText: label });
  }

  dirtyTabs(): Locator {
    return this.page.locator('.tabs-container .tab.dirty');
  }

  activeGroup(): Locator {
    return this.page.locator('.editor-group-container.active');
  }

  /** A button at the right end of the tabs, by the start of its title. */
  titleAction(label: string): Locator {
    return this.activeGroup().locator(`.editor-actions a.action-label[aria-label^="${label}"]`);
  }

  diff(): Locator {
    return this.activeGroup().locator('.monaco-diff-editor');
  }

  diffSide(side: 'original' | 'modified'): Locator {
    return this.diff().locator(`.editor.${side}`);
  }

  /** The lines of one editor that are on the screen, from top to bottom. */
  async visibleLines(editor: Locator): Promise<string[]> {
    return editor.locator('.view-lines').first().evaluate((lines) => {
      const all = [...lines.querySelectorAll<HTMLElement>('.view-line')];
      all.sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top));
      return all.map((line) => (line.textContent ?? '').replace(/\u00a0/g, ' '));
    });
  }

  dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  async answerDialog(button: string): Promise<void> {
    await this.dialog().locator('.monaco-button', { hasText: button }).click();
  }

  notification(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast').filter({ hasText: text });
  }

  async answerNotification(text: string | RegExp, button: string): Promise<void> {
    await this.notification(text).locator('.monaco-button', { hasText: button }).click();
  }

  /** What a person does with "Developer: Reload Window". */
  async reload(): Promise<void> {
    await this.page.reload({ waitUntil: 'commit' });
    await this.ready();
  }
}
