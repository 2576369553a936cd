import assert from 'node:assert/strict';
import { panelUnderTest } from './panelUnderTest.ts';

describe('the composer of the panel', () => {
  const panel = panelUnderTest();
  const composer = () => panel.page.getByTestId('composer');

  /** Types, waits for the search, and answers it. */
  async function typed(text: string, ...rows: readonly (readonly [insert: string, label: string, detail: string])[]) {
    await composer().pressSequentially(text);
    await panel.page.waitForFunction(() => window.posted.some((message) => message.type === 'complete'));
    await panel.page.waitForTimeout(120);
    const search = (await panel.posted()).findLast((message) => message.type === 'complete')!;
    await panel.send({ type: 'completions-listed', request: search.request, completions: rows.map(([insert, label, detail]) => ({ insert, label, detail })) });
    return search;
  }

  const rows = () => panel.page.getByTestId('completion').allTextContents();
  const commands = [['/clear', '/clear', 'start anew'], ['/compact ', '/compact [focus]', 'summarise']] as const;

  it('completes commands by keyboard; what is typed out is sent', async () => {
    await composer().fill('');
    const search = await typed('/c', ...commands);
    assert.deepEqual([search.kind, search.prefix], ['command', 'c']);
    assert.deepEqual(await rows(), ['/clearstart anew', '/compact [focus]summarise']);
    assert.equal(await panel.page.locator('[aria-selected="true"]').textContent(), '/clearstart anew');
    await composer().press('ArrowDown');
    assert.equal(await composer().getAttribute('aria-activedescendant'), 'completion-1');
    await composer().press('Tab');
    assert.equal(await composer().inputValue(), '/compact ');
    assert.deepEqual(await rows(), []);
    await composer().fill('');
    await typed('/clear', commands[0]);
    await composer().press('Enter');
    assert.deepEqual(await panel.posted(), [{ type: 'prompt-submit', text: '/clear' }]);
  });

  it('gives an unsent prompt back, with its images, and says the ways on', async () => {
    const returned = { type: 'prompt-returned', text: '/cots now', reason: 'There is no command /cots, so nothing was sent. Did you mean /cost?', instead: '/cost now' } as const;
    await composer().fill('/cots now');
    await panel.page.evaluate(async () => {
      const canvas = document.createElement('canvas');
      const blob = await new Promise<Blob>((resolve) => canvas.toBlob((drawn) => resolve(drawn!)));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([blob], 'shot.png', { type: 'image/png' }));
      document.querySelector('[data-testid="composer"]')?.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await panel.page.getByTestId('attached-image').waitFor();
    await composer().press('Enter');
    assert.equal(await composer().inputValue(), '');
    await composer().pressSequentially('typed since');
    await panel.send(returned);
    assert.equal(await composer().inputValue(), '/cots now\n\ntyped since');
    assert.equal(await panel.page.getByTestId('attached-image').count(), 1);
    await panel.page.getByTestId('use-instead').click();
    assert.equal(await composer().inputValue(), '/cost now\n\ntyped since');
    assert.equal(await panel.page.getByTestId('returned').count(), 0);
    await composer().fill('/cots now');
    await panel.posted();
    await panel.page.getByTestId('send-anyway').click();
    const [sent] = await panel.posted();
    assert.equal(sent?.type === 'prompt-submit' && sent.text, ' /cots now');
    assert.equal(await composer().inputValue(), '');
  });

  it('takes out what a rewind had put in when the rewind is undone, and nothing else', async () => {
    const undone = (text: string) => panel.send({ type: 'draft-withdrawn', text });
    await composer().fill('Change the notes\n\nmine');
    await undone('Change the notes');
    assert.equal(await composer().inputValue(), 'mine');
    await undone('Change the notes');
    assert.equal(await composer().inputValue(), 'mine');
    await composer().fill('Change the notes');
    await undone('Change the notes');
    assert.equal(await composer().inputValue(), '');
  });

  it('puts a file in the place of what was typed, in the middle of a sentence', async () => {
    await composer().fill('See  please');
    for (let step = 0; step < ' please'.length; step++) await composer().press('ArrowLeft');
    const search = await typed('@car', ['@src/cart.ts ', 'cart.ts', 'src/cart.ts']);
    assert.deepEqual([search.kind, search.prefix], ['file', 'car']);
    await composer().press('Enter');
    await composer().pressSequentially(',');
    assert.equal(await composer().inputValue(), 'See @src/cart.ts, please');
    assert.deepEqual(await panel.posted(), []);
  });

  it('closes the list with Escape and stops nothing; an input method keeps its keys', async () => {
    await panel.send({ type: 'turn-changed', running: true });
    await composer().fill('');
    await typed('/c', ...commands);
    await composer().dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true });
    assert.equal((await rows()).length, 2);
    await composer().press('Escape');
    assert.deepEqual([await rows(), await panel.posted()], [[], []]);
    await composer().press('Escape');
    assert.deepEqual(await panel.posted(), [{ type: 'interrupt' }]);
  });

  it('takes pasted images, smaller where they are large, and sends those that were not taken off', async () => {
    await panel.page.evaluate(async () => {
      const draw = async (width: number, height: number): Promise<File> => {
        const canvas = Object.assign(document.createElement('canvas'), { width, height });
        canvas.getContext('2d')?.fillRect(0, 0, width / 2, height);
        return new File([await new Promise<Blob>((resolve) => canvas.toBlob((blob) => resolve(blob!)))], 'shot.png', { type: 'image/png' });
      };
      const paste = new DataTransfer();
      for (const file of [await draw(20, 10), await draw(3136, 1000)]) paste.items.add(file);
      document.querySelector('[data-testid="composer"]')?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: paste, bubbles: true, cancelable: true }));
      const drop = new DataTransfer();
      drop.items.add(new File(['no image'], 'broken.png', { type: 'image/png' }));
      document.querySelector('.composer')?.dispatchEvent(new DragEvent('drop', { dataTransfer: drop, bubbles: true, cancelable: true }));
    });
    await panel.page.getByTestId('attached-image').nth(1).waitFor();
    assert.match((await panel.page.getByTestId('attached-trouble').textContent()) ?? '', /^broken\.png could not be attached/);
    const sizes = await panel.page.locator('.attached-image img').evaluateAll((all) => Promise.all((all as HTMLImageElement[]).map(async (image) => {
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    })));
    assert.deepEqual(sizes, [[20, 10], [1568, 500]]);
    await panel.page.getByRole('button', { name: 'Remove attached image 1' }).click();
    await composer().fill('');
    await composer().press('Enter');
    const [ready, sent] = await panel.posted();
    assert.equal(ready?.type, 'ready');
    assert.ok(sent?.type === 'prompt-submit' && sent.text === '' && sent.images?.length === 1);
    assert.deepEqual([sent.images[0]!.mediaType, atob(sent.images[0]!.data).slice(8, 12)], ['image/webp', 'WEBP']);
    assert.equal(await panel.page.getByTestId('attached-image').count(), 0);
  });

  it('keeps what is too much for one message, and says so', async () => {
    await composer().evaluate((box: HTMLTextAreaElement) => {
      box.value = 'x'.repeat(10_000_001);
      box.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await panel.page.getByTestId('send').click();
    await panel.page.getByTestId('attached-trouble').waitFor();
    assert.deepEqual(await panel.posted(), [{ type: 'ready' }]);
    assert.equal(await composer().evaluate((box: HTMLTextAreaElement) => box.value.length), 10_000_001);
  });
});
