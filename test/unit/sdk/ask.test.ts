import assert from 'node:assert/strict';
import { ask, ReadFileState } from '../../../src/sdk/index.ts';
import type { EngineOptions } from '../../../src/sdk/index.ts';
import type { SDKMessage } from '../../../src/protocol/messages.ts';
import { EngineHarness, resultOf, toolResults } from '../../support/engineHarness.ts';
import { message, toolUse } from '../../support/scriptedMessage.ts';
import { turn } from '../../support/scriptedTurn.ts';
import type { ScriptedTurn } from '../../support/scriptedTurn.ts';

describe('ask', () => {
  let harness: EngineHarness;
  afterEach(() => harness.close());

  const start = async (turns: readonly ScriptedTurn[]) => (harness = await EngineHarness.start(turns, { files: { 'a.ts': 'a\n' } }));
  const options = (readFileState?: ReadFileState): EngineOptions => ({
    cwd: harness.cwd,
    dataRoot: harness.dataRoot,
    endpoint: { baseUrl: harness.server.url, apiKey: async () => 'test-key', apiKeySource: 'test' },
    canUseTool: async () => ({ behavior: 'allow' }),
    readFileState,
  });
  const collect = async (run: AsyncGenerator<SDKMessage>): Promise<SDKMessage[]> => {
    const messages: SDKMessage[] = [];
    for await (const each of run) messages.push(each);
    return messages;
  };
  const read = turn({ reply: () => message([toolUse('Read', { file_path: harness.path('a.ts') })]) });
  const edit = turn({ reply: () => message([toolUse('Edit', { file_path: harness.path('a.ts'), old_string: 'a', new_string: 'A' }, { id: 'e1' })]) });
  const done = turn({ reply: message('done') });

  it('runs one turn on a session of its own', async () => {
    await start([done]);
    assert.equal(resultOf(await collect(ask('hi', options()))).result, 'done');
    harness.server.assertClean();
  });

  it('hands back what the turn has read, so that the next one may edit it', async () => {
    await start([read, done, edit, done]);
    const state = new ReadFileState();
    await collect(ask('read', options(state)));
    assert.deepEqual(state.list().map(({ path }) => path), [harness.path('a.ts')]);
    await collect(ask('edit', options(state)));
    assert.equal(await harness.read('a.ts'), 'A\n');
    assert.doesNotMatch(toolResults(harness.server.requests[3]!.body)['e1']!, /read it/i);
  });

  it('works on a copy: what the caller knows does not change while the turn runs', async () => {
    await start([read, done]);
    const state = new ReadFileState();
    for await (const each of ask('read', options(state))) if (each.type === 'user') assert.equal(state.size, 0);
    assert.equal(state.size, 1);
  });

  it('hands it back also when the turn fails, and when the caller stops early', async () => {
    await start([read, turn({ status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'no' } } }), read, done]);
    const failed = new ReadFileState();
    assert.equal(resultOf(await collect(ask('read', options(failed)))).is_error, true);
    assert.equal(failed.size, 1);
    const stopped = new ReadFileState();
    for await (const each of ask('read', options(stopped))) if (each.type === 'user') break;
    assert.equal(stopped.size, 1);
  });
});
