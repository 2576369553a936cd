import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describeTool, forkSession } from '../../src/sdk/index.ts';
import type { Session } from '../../src/sdk/index.ts';
import type { ChatItem } from '../../src/protocol/chatView.ts';
import type { SDKMessage } from '../../src/protocol/messages.ts';
import { ChatLog } from '../../src/vscode/chatLog.ts';
import { historyToChatEvents, newChatState, toChatEvents } from '../../src/vscode/toChatEvents.ts';
import { EngineHarness } from '../support/engineHarness.ts';
import { message, text, thinking, toolUse } from '../support/scriptedMessage.ts';
import { fault, turn } from '../support/scriptedTurn.ts';
import { summaries } from '../unit/engine/compaction/engineSupport.ts';

const model = 'claude-haiku-4-5';
const usage = { input_tokens: 1_000, output_tokens: 100 };

describe('a session that is opened again', function () {
  this.timeout(20_000);
  let harness: EngineHarness;
  afterEach(() => harness.close());

  /** A panel that looks on while a session runs, as the host feeds it. */
  class Panel {
    readonly #log = new ChatLog();
    readonly #state = newChatState(describeTool);
    readonly session: Session;

    constructor(session: Session) {
      this.session = session;
      this.#log.apply(historyToChatEvents(this.#state, session.shownMessages, session.pendingPermission?.toolUseId));
    }

    async send(prompt: string, see: (each: SDKMessage) => void = () => {}): Promise<void> {
      const uuid = crypto.randomUUID();
      this.#log.apply([{ type: 'items-put', items: [{ kind: 'user', id: uuid, text: prompt, timestamp: '' }] }]);
      for await (const each of this.session.submitMessage(prompt, { uuid })) {
        this.#log.apply(toChatEvents(this.#state, each));
        see(each);
      }
      if (!this.session.rewindTargets().some(({ messageId }) => messageId === uuid)) this.#log.apply([{ type: 'items-put', items: [{ kind: 'user', id: uuid, text: prompt, timestamp: '', isLocal: true }] }]);
    }

    /** All that is shown; the times of prompts are those of whoever shows them. */
    get items(): ChatItem[] {
      const shown = this.#log.snapshot().flatMap((event) => (event.type === 'items-put' ? event.items : []));
      return shown.map((item) => (item.kind === 'user' ? { ...item, timestamp: '' } : item));
    }
  }

  async function open(resume?: string): Promise<Panel> {
    return new Panel(await harness.open({ model, resume, includePartialMessages: true, random: () => 0, costReminderUsd: 0.002 }));
  }

  async function reopen({ session }: Panel): Promise<Panel> {
    await session.dispose();
    return open(session.sessionId);
  }

  const kinds = (items: readonly ChatItem[]): string[] => items.map((item) => item.kind);

  it('shows what was shown before: notices, how each turn ended, commands that were answered here, decisions', async () => {
    harness = await EngineHarness.start(
      [
        turn({ reply: message([thinking('Hm.'), text('I write it.'), toolUse('Write', { file_path: 'a.txt', content: 'one\n' }), toolUse('Bash', { command: 'echo done' })], { usage }) }),
        turn({ reply: message('Written.', { usage }) }),
        fault.cut(message('It breaks off in the midst of this.', { usage }), { events: 4, how: 'reset' }),
        turn({ reply: message([toolUse('Write', { file_path: 'b.txt', content: 'two\n' })], { usage }) }),
        turn({ reply: message('Not written.', { usage }) }),
        fault.status(400, { message: 'no' }),
        turn({ reply: message('And on and on and on and on and on.', { usage }), deltaSize: 4, stallAfter: { events: 6 } }),
      ],
    );
    harness.answer = ({ title }) => (title.includes('b.txt') ? { behavior: 'deny', message: 'not that one' } : { behavior: 'allow' });
    const panel = await open();
    await panel.send('Write it');
    await panel.send('And another');
    await panel.send('/cost');
    await panel.send('Fail, please');
    await panel.send('Stop in the midst', (each) => {
      if (each.type === 'stream_event' && each.event.type === 'content_block_delta') panel.session.interrupt();
    });
    const before = panel.items;
    assert.deepEqual(before.filter(({ kind }) => kind === 'turn').length, 4, kinds(before).join(' '));
    assert.ok(before.some((item) => item.kind === 'notice' && item.text.startsWith('A reminder: ')));
    assert.ok(before.some((item) => item.kind === 'notice' && item.text.startsWith('This session has cost ')));
    assert.ok(before.some((item) => item.kind === 'user' && item.isLocal));
    assert.ok(before.some((item) => item.kind === 'tool' && item.status === 'rejected'));
    assert.ok(before.some((item) => item.kind === 'turn' && item.unreported));
    const again = await reopen(panel);
    assert.deepEqual(again.items, before);
    assert.deepEqual((await reopen(again)).items, before);
    harness.server.assertClean();
  });

  it('also where an answer was withdrawn after something was told about it', async () => {
    const whole = message('Cut by the limit.', { usage, stopReason: 'max_tokens' });
    harness = await EngineHarness.start([turn({ reply: message('Yes.', { usage }) }), turn({ reply: whole }), turn({ reply: message('Whole.', { usage }) })]);
    const panel = await open();
    await panel.send('First');
    await panel.send('Second');
    const before = panel.items;
    assert.ok(before.some((item) => item.kind === 'notice' && /ran into the output limit/.test(item.text)));
    assert.deepEqual((await reopen(panel)).items, before);
  });

  it('also after going back, and going forth again', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Yes.', { usage }), times: 4 })]);
    const panel = await open();
    for (const prompt of ['One', '/cost', 'Two', 'Three']) await panel.send(prompt);
    const all = panel.items;
    const target = panel.session.rewindTargets().find(({ text: said }) => said === 'Two')!;
    await panel.session.rewind(target.messageId, { scope: 'conversation', skip: [], overwrite: [] });
    const shorter = new Panel(panel.session).items;
    assert.deepEqual(shorter, all.slice(0, all.findIndex((item) => item.id === target.messageId)));
    const again = await reopen(panel);
    assert.deepEqual(again.items, shorter);
    await again.session.undoRewind();
    assert.deepEqual(new Panel(again.session).items, all);
    await again.session.rewind(target.messageId, { scope: 'conversation', skip: [], overwrite: [] });
    const other = new Panel(again.session);
    await other.send('Otherwise');
    assert.deepEqual((await reopen(other)).items, other.items);
    assert.deepEqual(other.items.slice(0, shorter.length), shorter);
  });

  it('also after /clear, which starts with what it said', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Yes.', { usage }), times: 2 })]);
    const panel = await open();
    await panel.send('One');
    await panel.send('/clear');
    const cleared = new Panel(panel.session);
    assert.deepEqual(kinds(cleared.items), ['notice']);
    await cleared.send('Anew');
    assert.deepEqual((await reopen(cleared)).items, cleared.items);
  });

  it('also after a compaction: from the first message that stays, all of it in the same order', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Yes.', { usage }), times: 9 })], { aside: [summaries(message('All was said. '.repeat(40), { usage }))] });
    const panel = await open();
    for (let index = 0; index < 6; index++) await panel.send('Please tell. '.repeat(2_000));
    await panel.send('/compact');
    await panel.send('And now?');
    const before = panel.items;
    const again = await reopen(panel);
    assert.ok(again.items.length > 5 && again.items.length < before.length, `${again.items.length} of ${before.length}`);
    assert.deepEqual(again.items, before.slice(-again.items.length));
    assert.ok(again.items.some((item) => item.kind === 'notice' && item.text.startsWith('Earlier conversation summarised')));
  });

  it('in a copy, too, and no model ever sees it', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Yes.', { usage }), times: 3 })]);
    const panel = await open();
    await panel.send('One');
    await panel.send('/help');
    await panel.session.dispose();
    const { sessionId } = await forkSession({ session: panel.session.sessionId, dataRoot: harness.dataRoot });
    const fork = await open(sessionId);
    assert.deepEqual(fork.items, panel.items);
    await fork.send('Two');
    const sent = JSON.stringify(harness.server.requests.at(-1)!.body.messages);
    assert.ok(sent.includes('One') && sent.includes('Two'));
    assert.ok(!sent.includes('/help') && !sent.includes('turn_cost_usd'));
  });

  it('an empty one leaves nothing behind, whatever was asked in it; with the first prompt, that is kept as well', async () => {
    harness = await EngineHarness.start([turn({ reply: message('Yes.', { usage }) })]);
    const panel = await open();
    await panel.send('/help');
    await assert.rejects(readFile(panel.session.transcriptPath), /ENOENT/);
    await panel.send('One');
    assert.deepEqual((await reopen(panel)).items, panel.items);
    assert.deepEqual(kinds(panel.items), ['user', 'notice', 'user', 'text', 'turn']);
  });
});
