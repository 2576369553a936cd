import assert from 'node:assert/strict';
import { changeRows } from '../../../../src/vscode/rewind/changeRows.ts';

describe('changeRows', () => {
  const options = { describe: (_name: string, input: object) => ({ title: String((input as { file_path?: string }).file_path) }), openFile: '/w/a.ts', name: (path: string) => path.slice(3) };
  const call = (id: string, file_path: string) => ({ type: 'tool_use', id, name: 'Edit', input: { file_path } });
  const session = {
    changes: () => [
      { messageId: 'm2', toolUseId: 't3', paths: ['/w/b.ts'] },
      { messageId: 'm1', toolUseId: 't2', paths: ['/w/b.ts'] },
      { messageId: 'm1', toolUseId: 't1', paths: ['/w/a.ts'] },
      { messageId: 'cut', toolUseId: undefined, paths: ['/w/c.ts'] },
    ],
    rewindTargets: () => [{ messageId: 'm2', text: 'again' }, { messageId: 'm1', text: 'rename\n it' }],
    messages: [{ type: 'assistant', message: { content: [call('t1', 'a.ts'), call('t2', 'b.ts')] } }],
  } as never;

  it('lists the open file, then messages with their calls, newest first', () => {
    assert.deepEqual(
      changeRows(session, options).map(({ label, value, isHeading }) => (isHeading ? `— ${label}` : `${label} ${JSON.stringify(value)}`)),
      [
        'All changes to a.ts {"path":"/w/a.ts"}',
        '— again',
        'All changes of this message {"messageId":"m2"}',
        '— rename it',
        'All changes of this message {"messageId":"m1"}',
        'Edit b.ts {"toolUseId":"t2"}',
        'Edit a.ts {"toolUseId":"t1"}',
        '— A message that is no longer part of the conversation',
        'All changes of this message {"messageId":"cut"}',
      ],
    );
  });

  it('says nothing of an open file that was not changed', () => {
    assert.ok(!changeRows(session, { ...options, openFile: '/w/other.ts' }).some(({ value }) => value.path !== undefined));
  });
});
