import assert from 'node:assert/strict';
import type { ChatEvent } from '../../../../src/protocol/chatView.ts';
import { connectToHost } from '../../../../webview-ui/store/connection.ts';

/** As much of a window as the connection uses; frames come when the test says so. */
class FakeWindow {
  #listeners = new Map<string, ((event: unknown) => void)[]>();
  #frames: (() => void)[] = [];

  addEventListener(type: string, listener: (event: unknown) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }
  requestAnimationFrame(callback: () => void): number {
    return this.#frames.push(callback);
  }
  cancelAnimationFrame(): void {}

  receive(...events: ChatEvent[]): void {
    for (const listener of this.#listeners.get('message') ?? []) listener({ data: { type: 'events', events } });
    for (const frame of this.#frames.splice(0)) frame();
  }
}

function connect(saved?: unknown) {
  const target = new FakeWindow();
  const api = { postMessage: () => {}, getState: () => saved, setState: () => {} };
  return { target, panel: connectToHost(api, target as unknown as Window) };
}

const opened = (sessionId: string, draft = ''): ChatEvent => ({ type: 'session-opened', sessionId, title: '', draft, readOnly: false });

describe('connectToHost', () => {
  it('keeps what was typed before the host was there', () => {
    const { target, panel } = connect();
    panel.composerText.value = 'typed early';
    target.receive(opened('s1'));
    assert.equal(panel.composerText.value, 'typed early');
  });

  it('keeps it beside the draft that the host has', () => {
    const { target, panel } = connect();
    panel.composerText.value = 'typed early';
    target.receive(opened('s1', 'from yesterday'));
    assert.equal(panel.composerText.value, 'from yesterday\n\ntyped early');
  });

  it('brings back the draft that the host has, and no older one of its own', () => {
    const { target, panel } = connect({ sessionId: 's1', draft: 'sent long ago' });
    target.receive(opened('s1', 'from yesterday'));
    assert.equal(panel.composerText.value, 'from yesterday');
  });

  it('does not carry a draft into another session', () => {
    const { target, panel } = connect();
    target.receive(opened('s1'));
    panel.composerText.value = 'for the first';
    target.receive(opened('s2', 'of the second'));
    assert.equal(panel.composerText.value, 'of the second');
  });
});
