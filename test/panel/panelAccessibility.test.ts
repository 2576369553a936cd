import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { ChatEvent } from '../../src/protocol/chatView.ts';
import { scenes } from '../../webview-ui/dev/scenes.mjs';
import { themes } from '../../webview-ui/dev/themes.mjs';
import { panelUnderTest } from './panelUnderTest.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

declare global {
  interface Window {
    axe: { run(context: Document, options: RunOptions): Promise<AxeResults> };
  }
}

describe('the panel for everybody', () => {
  describe('in high contrast', () => {
    const panel = panelUnderTest({ theme: themes['high-contrast'] });

    for (const [name, events] of Object.entries(scenes)) {
      it(`keeps the rules of accessibility, and every control has its place and a visible focus: ${name}`, async () => {
        await show(panel, name, events);
        assert.deepEqual(await violations(panel.page), []);
        const { missed, unseen } = await walkWithTab(panel.page);
        assert.deepEqual({ missed, unseen }, { missed: [], unseen: [] });
      });
    }
  });

  describe('in a light theme at 200 % zoom', () => {
    // What a panel of 400 pixels is then.
    const panel = panelUnderTest({ theme: themes.light, width: 200 });

    for (const [name, events] of Object.entries(scenes)) {
      it(`keeps the rules of accessibility and cuts off no control: ${name}`, async () => {
        await show(panel, name, events);
        assert.deepEqual(await violations(panel.page), []);
        const outside = await panel.page.evaluate(() => {
          const controls = [...document.querySelectorAll<HTMLElement>('button, select, textarea, input')].filter((control) => control.checkVisibility());
          const cut = controls.filter((control) => {
            const { left, right } = control.getBoundingClientRect();
            // A code block scrolls by itself.
            return !control.closest('.diff, pre') && (left < 0 || right > window.innerWidth);
          });
          return [...cut.map((control) => control.outerHTML.slice(0, 120)), ...(document.documentElement.scrollWidth > window.innerWidth ? ['the page scrolls sideways'] : [])];
        });
        assert.deepEqual(outside, []);
      });
    }
  });

  describe('while an answer comes', () => {
    const panel = panelUnderTest();

    it('says to screen readers that it works and how it ended, and not every word', async () => {
      const text = (markdown: string, streaming: boolean): ChatEvent => ({ type: 'items-put', items: [{ kind: 'text', id: 't', markdown, streaming }] });
      await panel.send({ type: 'turn-changed', running: true }, text('', true));
      const status = panel.page.locator('[role="status"]').first();
      assert.equal(await status.textContent(), 'Turnstone is working');
      await panel.page.evaluate(() => {
        const said = Object.assign(window, { said: 0 });
        for (const region of document.querySelectorAll('[aria-live], [role="status"], [role="alert"], [role="log"]')) new MutationObserver(() => said.said++).observe(region, { subtree: true, childList: true, characterData: true });
      });
      for (let word = 0; word < 40; word++) await panel.send({ type: 'text-appended', id: 't', text: `word${word} ` });
      assert.equal(await panel.page.evaluate(() => (window as unknown as { said: number }).said), 0);
      await panel.send(text('All is renamed.', false), { type: 'turn-changed', running: false });
      assert.equal(await status.textContent(), 'Turn ended. All is renamed.');
    });

    it('moves nothing for those who asked for that', async () => {
      await panel.send(...scenes['running']!);
      assert.ok((await panel.page.evaluate(() => document.getAnimations().length)) > 0);
      await panel.page.emulateMedia({ reducedMotion: 'reduce' });
      await panel.page.waitForFunction(() => document.getAnimations().length === 0);
    });
  });
});

type Panel = ReturnType<typeof panelUnderTest>;

async function show(panel: Panel, name: string, events: readonly ChatEvent[]): Promise<void> {
  await panel.page.emulateMedia({ reducedMotion: 'reduce' });
  await panel.send(...events);
  if (name.startsWith('always')) await panel.page.getByTestId('always-allow').click();
  if (name.startsWith('sessions')) await panel.page.getByTestId('sessions-button').click();
  // The buttons of a card are deaf at first.
  if (events.some(({ type }) => type === 'approvals-changed')) await panel.page.locator('[data-testid="approve"]:enabled').waitFor();
}

async function violations(page: Panel['page']): Promise<string[]> {
  await page.evaluate(axeSource);
  const { violations: found } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`));
}

/** Presses Tab until it comes round. `missed` are controls it never came to, `unseen` those that do not show that they have the focus. */
async function walkWithTab(page: Panel['page']): Promise<{ missed: string[]; unseen: string[] }> {
  const wanted = await page.evaluate(() => {
    // Arrow keys go on from the first of a group.
    const isFurtherRadio = (control: HTMLElement): boolean => control instanceof HTMLInputElement && control.type === 'radio' && document.querySelector(`input[name="${control.name}"]`) !== control;
    const controls = [...document.querySelectorAll<HTMLElement>('button:enabled, select:enabled, textarea:enabled, input:enabled, a[href], [role="button"]')].filter((control) => control.checkVisibility() && !isFurtherRadio(control));
    controls.forEach((control, index) => (control.dataset['walk'] = String(index)));
    (document.activeElement as HTMLElement | null)?.blur();
    return controls.length;
  });
  const seen = new Set<string>();
  const unseen: string[] = [];
  for (let step = 0; step < wanted + 20; step++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const active = document.activeElement as HTMLElement | null;
      if (!active || active === document.body) return undefined;
      const ring = (element: Element | null): boolean => element !== null && getComputedStyle(element).outlineStyle !== 'none' && parseFloat(getComputedStyle(element).outlineWidth) > 0;
      const frame = active.closest('.composer');
      const framed = active.matches('textarea') && frame !== null && getComputedStyle(frame).borderColor === getComputedStyle(document.documentElement).getPropertyValue('--vscode-focusBorder').trim().replace(/^#(..)(..)(..)$/, (_all, r: string, g: string, b: string) => `rgb(${parseInt(r, 16)}, ${parseInt(g, 16)}, ${parseInt(b, 16)})`);
      return { walk: active.dataset['walk'], shows: ring(active) || framed, html: active.outerHTML.slice(0, 140) };
    });
    if (!at) continue;
    if (!at.shows) unseen.push(at.html);
    if (at.walk !== undefined) seen.add(at.walk);
  }
  const missed = await page.evaluate((reached) => [...document.querySelectorAll<HTMLElement>('[data-walk]')].filter((control) => control.checkVisibility() && !reached.includes(control.dataset['walk']!)).map((control) => control.outerHTML.slice(0, 140)), [...seen]);
  return { missed, unseen: [...new Set(unseen)] };
}
