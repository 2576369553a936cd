import assert from 'node:assert/strict';
import { lastPrompt, promptContent, promptItem } from '../../../src/vscode/prompts.ts';

describe('prompts', () => {
  const image = { mediaType: 'image/png', data: 'aGk=' } as const;
  const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };

  it('go as text, or as blocks with the images before their words', () => {
    assert.equal(promptContent({ id: 'u', text: 'Look', images: [] }), 'Look');
    assert.deepEqual(promptContent({ id: 'u', text: 'Look', images: [image] }), [block, { type: 'text', text: 'Look' }]);
    assert.deepEqual(promptContent({ id: 'u', text: ' ', images: [image] }), [block]);
  });

  it('are shown without the images themselves', () => {
    const { timestamp, ...shown } = promptItem({ id: 'u', text: 'Look', images: [image] });
    assert.deepEqual([shown, Number.isNaN(Date.parse(timestamp))], [{ kind: 'user', id: 'u', text: 'Look', imageCount: 1 }, false]);
  });

  it('are sent once more with their images', () => {
    const content = promptContent({ id: 'u', text: 'Look', images: [image] });
    const target = { messageId: 'u', text: 'Look', timestamp: '', fileCount: 0, shellCommandCount: 0 };
    const message = { type: 'user', uuid: 'u', session_id: 's', parent_tool_use_id: null, message: { role: 'user', content } } as const;
    assert.deepEqual(lastPrompt({ messages: [message], rewindTargets: () => [target] }), { text: 'Look', images: [image] });
    assert.equal(lastPrompt({ messages: [], rewindTargets: () => [] }), undefined);
  });
});
