import assert from 'node:assert/strict';
import { readConversation } from '../../../src/demo/conversation.ts';

const isTask = (text: string): boolean => text.startsWith('run');
const read = (messages: readonly { role: string; content: unknown }[]): ReturnType<typeof readConversation> =>
  readConversation({ system: [{ type: 'text', text: 'Hi\nWorking directory: /home/me/my project\n' }], messages }, isTask);
const call = { type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'ls' } };
const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'cart.ts' }] };
const said = (text: string): { type: string; text: string } => ({ type: 'text', text });
const asked = { role: 'user', content: 'run ls' };
const called = { role: 'assistant', content: [said('I run ls.'), call] };

describe('readConversation', () => {
  it('finds the folder, the prompt behind what the agent adds, and what was done', () => {
    const conversation = read([{ role: 'user', content: [said('<context>git</context>'), said('run ls'), said('<note/>')] }, called, { role: 'user', content: [result] }]);
    assert.deepEqual(
      { ...conversation, tools: [...conversation.tools], system: '' },
      {
        system: '',
        cwd: '/home/me/my project',
        tools: [],
        prompts: ['run ls'],
        done: [{ call: { name: 'Bash', input: { command: 'ls' } }, result: { text: 'cart.ts', isError: false } }],
        isFirstAnswer: false,
      },
    );
  });

  it('takes a note beside results for a note, and a task there for a new prompt', () => {
    const withNote = read([asked, called, { role: 'user', content: [result, said('cart.ts has changed on disk.')] }]);
    assert.deepEqual([withNote.prompts, withNote.done.length], [['run ls'], 1]);
    const withTask = read([asked, called, { role: 'user', content: [result, said('run pwd')] }]);
    assert.deepEqual([withTask.prompts, withTask.done.length], [['run ls', 'run pwd'], 0]);
  });

  it('takes anything said beside an interrupted result for a new prompt, but not the remark about it', () => {
    const interrupted = { ...result, is_error: true, content: 'The user interrupted this.' };
    const remark = said('The user interrupted the answer above.');
    assert.deepEqual(read([asked, called, { role: 'user', content: [interrupted, remark] }]).prompts, ['run ls']);
    assert.deepEqual(read([asked, called, { role: 'user', content: [interrupted, remark, said('Hello?')] }]).prompts, ['run ls', 'Hello?']);
  });
});
