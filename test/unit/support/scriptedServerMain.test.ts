import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { foldEvents, parseEventStream } from '../../support/readEventStream.ts';
import { minimalBody, postMessages } from './postMessages.ts';

describe('scriptedServerMain', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scripted-server-'));
  after(() => rmSync(folder, { recursive: true }));

  it('serves a script file, logs each request, and ends with its standard input', async () => {
    const [script, log] = [join(folder, 'script.json'), join(folder, 'log.jsonl')];
    const turns = [{ when: { lastUserIncludes: 'Hello' }, reply: 'Good day' }, { textOfLength: 1000, times: 'forever' }];
    writeFileSync(script, JSON.stringify({ turns }));
    const main = fileURLToPath(new URL('../../support/scriptedServerMain.ts', import.meta.url));
    const child = spawn(process.execPath, ['--no-warnings', main, script, log], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = line.toString().trim();
    const textOf = async (): Promise<unknown> => foldEvents(parseEventStream((await postMessages(url)).body)).content[0]?.['text'];
    assert.equal(await textOf(), 'Good day');
    assert.equal(String(await textOf()).length, 1000);
    assert.equal((await postMessages(url, { ...minimalBody, x: 1 })).status, 400);
    const exited = once(child, 'exit');
    child.stdin.end();
    assert.deepEqual(await exited, [0, null]);
    const lines = readFileSync(log, 'utf8').trim().split('\n').map(each => JSON.parse(each));
    assert.deepEqual(lines.map(each => each.n ?? each.problem), [1, 2, 3, 'request 3 is malformed: x: Extra inputs are not permitted']);
    assert.deepEqual(lines[0].body, minimalBody);
  });
});
