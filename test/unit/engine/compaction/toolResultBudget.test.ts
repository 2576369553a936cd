import assert from 'node:assert/strict';
import { applyResultBudget } from '../../../../src/engine/compaction/toolResultBudget.ts';
import { toolCallsOf } from '../../../../src/engine/compaction/toolCalls.ts';
import type { SessionMessage } from '../../../../src/protocol/messages.ts';
import { answered, call, exchange, result, resultsIn, said, text } from './support.ts';

const budget = (messages: readonly SessionMessage[]) => applyResultBudget(messages, toolCallsOf(messages), '/data/s/tool-results');

describe('applyResultBudget', () => {
  it('leaves a conversation alone in which everything fits', () => {
    const messages = [said('u', 'hi'), ...exchange('t1', 'Bash', 'x'.repeat(40_000))];
    assert.equal(budget(messages).messages, messages);
  });

  it('shows the beginning, the end and the path of a result that is too large, and gives the whole to be kept', () => {
    const output = `first line\n${'x'.repeat(50_000)}\nlast line`;
    const { messages, stored } = budget([said('u', 'hi'), ...exchange('t1', 'Bash', output)]);
    assert.deepEqual(stored, [{ path: '/data/s/tool-results/t1.txt', text: output }]);
    const shown = String(resultsIn(messages)['t1']);
    assert.match(shown, /^\(This result has 50021 characters[^\n]*\/data\/s\/tool-results\/t1\.txt[\s\S]*first line[\s\S]*\n\[…\]\n[\s\S]*last line$/);
    assert.ok(shown.length < 5_000);
  });

  it('decides the same for the same messages, byte for byte and object for object', () => {
    const messages = [said('u', 'hi'), ...exchange('t1', 'Bash', 'y'.repeat(50_000))];
    const again = JSON.parse(JSON.stringify(messages)) as SessionMessage[];
    assert.equal(JSON.stringify(budget(messages).messages), JSON.stringify(budget(again).messages));
    assert.equal(budget(messages).messages[2], budget(messages).messages[2]);
    const longer = [...messages, answered('a', [text('ok')]), ...exchange('t2', 'Bash', 'z'.repeat(60_000))];
    assert.equal(budget(longer).messages[2], budget(messages).messages[2]);
  });

  it('lets Read give more, because that is what was asked for', () => {
    assert.equal(budget([...exchange('r1', 'Read', 'x'.repeat(90_000))]).stored.length, 0);
    assert.equal(budget([...exchange('r1', 'Read', 'x'.repeat(110_000))]).stored.length, 1);
  });

  it('shortens the largest of many results of one answer until they fit together', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const sizes = [70_000, 90_000, 80_000, 60_000];
    const messages = [answered('m', ids.map((id) => call(id, 'Read'))), ...ids.map((id, index) => said(`r-${id}`, [result(id, 'x'.repeat(sizes[index]!))]))];
    assert.deepEqual(budget(messages).stored.map(({ path }) => path), ['/data/s/tool-results/b.txt']);
  });

  it('keeps the images of a result, and cuts no character in half', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } } as const;
    const messages = [answered('m', [call('t', 'Bash')]), said('r', [result('t', [{ type: 'text', text: '🙂'.repeat(30_000) }, image])])];
    const content = resultsIn(budget(messages).messages)['t'] as { type: string; text: string }[];
    assert.deepEqual(content.map(({ type }) => type), ['text', 'image']);
    assert.equal(Buffer.from(content[0]!.text).toString(), content[0]!.text);
  });

  it('lets no id leave the folder', () => {
    const { stored } = budget([...exchange('../../etc/passwd', 'Bash', 'x'.repeat(50_000))]);
    assert.equal(stored[0]!.path, '/data/s/tool-results/______etc_passwd.txt');
  });
});
