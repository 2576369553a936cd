import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { Mirror } from '../../src/sdk/mirror.ts';
import type { Session } from '../../src/sdk/index.ts';
import { EngineHarness, resultOf, runTurn } from '../support/engineHarness.ts';
import { S3Server } from '../support/s3Server.ts';
import type { S3Fault } from '../support/s3Server.ts';
import { message, toolUse } from '../support/scriptedMessage.ts';
import { TestClock } from '../support/testClock.ts';
import { turn } from '../support/scriptedTurn.ts';

describe('a mirror of sessions', function () {
  this.timeout(60_000);
  let harness: EngineHarness;
  let server: S3Server;
  let troubles: string[];
  const mirrors: Mirror[] = [];
  const folders: string[] = [];

  beforeEach(async () => {
    harness = await EngineHarness.start([], { files: { 'a.txt': 'old\n' } });
    server = await S3Server.start();
    troubles = [];
  });
  afterEach(async () => {
    for (const mirror of mirrors.splice(0)) mirror.dispose();
    await harness.close();
    await server.close();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });

  function open(changes: Partial<ConstructorParameters<typeof Mirror>[0]> = {}): Mirror {
    const { url, region, accessKeyId, secretAccessKey } = server;
    const mirror = new Mirror({ url, region, accessKeyId, secretAccessKey, prefix: 'turnstone', dataRoot: harness.dataRoot, onTrouble: (text) => troubles.push(text), ...changes });
    mirrors.push(mirror);
    return mirror;
  }

  async function otherMachine(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'turnstone-other-'));
    folders.push(folder);
    return folder;
  }

  /** Reads a.txt, edits it, and says so. */
  async function sessionWithEdit(mirror: Mirror): Promise<Session> {
    harness.server.push(turn({ reply: message([toolUse('Read', { file_path: 'a.txt' })]) }), turn({ reply: message([toolUse('Edit', { file_path: 'a.txt', old_string: 'old', new_string: 'new' })]) }), turn({ reply: message('Done.') }));
    const session = await harness.open({ permissionMode: 'acceptEdits', mirror });
    assert.equal(resultOf(await runTurn(session, 'Edit it.')).subtype, 'success');
    return session;
  }

  const parts = (sessionId: string): string[] => [...server.objects.keys()].filter((key) => key.includes(sessionId) && key.endsWith('.jsonl') && !key.includes('/files/')).sort();
  const mirrored = (sessionId: string): string => parts(sessionId).map((key) => server.text(key)).join('');

  it('holds every line, what a line names first, and what a list shows of it', async () => {
    const mirror = open();
    const session = await sessionWithEdit(mirror);
    const beside = join(session.transcriptPath.replace(/\.jsonl$/, ''), 'sub agents', 'ü+1.jsonl');
    await mkdir(dirname(beside), { recursive: true });
    await writeFile(beside, '{}\n');
    await mirror.settle(30_000);
    assert.equal(mirrored(session.sessionId), await readFile(session.transcriptPath, 'utf8'));
    const keys = server.requests.filter(({ method }) => method === 'PUT').map(({ key }) => key.replace('turnstone/', ''));
    const kinds = keys.map((key) => (key.startsWith('blobs/') ? 'blob' : key.includes('/files/') ? 'file' : key.endsWith('about.json') ? 'about' : 'part'));
    assert.deepEqual([...new Set(kinds)], ['file', 'blob', 'part', 'about']);
    assert.ok(keys.some((key) => key.endsWith(`${session.sessionId}/files/sub agents/ü+1.jsonl`)));
    assert.ok([...server.objects.values()].some((content) => content.toString() === 'old\n'), 'what the file held');
    for (const [position, key] of keys.entries()) {
      for (const hash of kinds[position] === 'part' ? server.text(`turnstone/${key}`)!.matchAll(/\b[0-9a-f]{64}\b/g) : []) {
        const blob = keys.indexOf(`blobs/${hash[0].slice(0, 2)}/${hash[0].slice(2)}`);
        assert.ok(blob >= 0 && blob < position, `${hash[0]} is there before the line that names it`);
      }
    }
    const [listed] = await mirror.list();
    assert.deepEqual([listed?.sessionId, listed?.title, listed?.folder, listed?.size], [session.sessionId, 'Edit it.', session.cwd, mirrored(session.sessionId).length]);
    harness.server.push(turn({ reply: message('More.') }));
    await runTurn(session, 'Go on.');
    assert.equal(mirror.waiting, 1);
    await mirror.settle(30_000);
    assert.equal(mirrored(session.sessionId), await readFile(session.transcriptPath, 'utf8'));
    assert.equal(parts(session.sessionId).length, 1, 'what is new joins what is there');
    assert.deepEqual([server.complaints, troubles, mirror.waiting], [[], [], 0]);
  });

  it('is a few objects, however often something was sent, whatever goes wrong, and whoever forgets what was sent', async () => {
    const mirror = open({ timeoutMs: 500 });
    const session = await sessionWithEdit(mirror);
    await session.dispose();
    const line = (index: number): string => `{"type":"note","index":${index},"text":"${'x'.repeat(10_000)}"}\n`;
    for (let index = 0; index < 80; index++) {
      await appendFile(session.transcriptPath, line(index));
      if (index % 7 === 0) server.fail(/^PUT .*\.jsonl/, { kind: 'lostAnswer' });
      if (index % 11 === 0) server.fail(/^PUT .*\.jsonl/, { kind: 'status', status: 503 });
      if (index % 13 === 0) await rm(join(harness.dataRoot, 'mirror'), { recursive: true, force: true });
      mirror.touch(session.transcriptPath);
      await mirror.settle(30_000);
      // At each moment there is a whole session to give back.
      assert.ok((await readFile(session.transcriptPath, 'utf8')).startsWith(mirrored(session.sessionId)));
      assert.ok(mirrored(session.sessionId).endsWith('\n'));
    }
    for (let round = 0; round < 5 && mirror.waiting > 0; round++) await mirror.settle(30_000);
    assert.equal(mirrored(session.sessionId), await readFile(session.transcriptPath, 'utf8'));
    // 800 kB, in parts of 256 kB and whatever was sent with the line that filled them.
    assert.ok(parts(session.sessionId).length <= 4, `${parts(session.sessionId).length} parts`);
    const there = open({ dataRoot: await otherMachine() });
    const restored = await there.restore({ project: dirname(session.transcriptPath).split('/').at(-1)!, sessionId: session.sessionId });
    assert.deepEqual(await readFile(restored), await readFile(session.transcriptPath));
    assert.deepEqual(server.complaints, []);
  });

  it('is filled again when somebody has emptied it', async () => {
    const mirror = open();
    const session = await sessionWithEdit(mirror);
    await mirror.settle(30_000);
    server.objects.clear();
    harness.server.push(turn({ reply: message('More.') }));
    await runTurn(session, 'Go on.');
    await mirror.settle(30_000);
    assert.equal(mirrored(session.sessionId), await readFile(session.transcriptPath, 'utf8'));
    assert.deepEqual([troubles, mirror.waiting], [[], 0]);
  });

  it('gives a session of another folder back, which can be gone on with in this one', async () => {
    const mirror = open();
    const session = await sessionWithEdit(mirror);
    await session.dispose();
    await mirror.settle(30_000);
    const dataRoot = await otherMachine();
    const elsewhere = await otherMachine();
    await writeFile(join(elsewhere, 'b.txt'), 'here\n');
    const there = open({ dataRoot });
    const [listed] = await there.list();
    assert.equal(listed?.folder, session.cwd, 'the list says where it worked');
    harness.server.push(turn({ reply: message([toolUse('Read', { file_path: 'b.txt' })]) }), turn({ reply: message('It says here.') }));
    const again = await harness.open({ resume: session.sessionId, cwd: elsewhere, dataRoot, mirror: there });
    assert.deepEqual([again.cwd, again.messages.length, again.notices], [await realpath(elsewhere), session.messages.length, []]);
    const [target] = again.rewindTargets();
    assert.equal(target?.text, 'Edit it.');
    // Its files lie where they lay: going back there finds them, in whatever folder one is now.
    await again.rewind(target.messageId, { scope: 'files', skip: [], overwrite: [] });
    assert.equal(await harness.read('a.txt'), 'old\n');
    const result = resultOf(await runTurn(again, 'What does it say?'));
    assert.deepEqual([result.subtype, result.result], ['success', 'It says here.']);
    await again.dispose();
    await there.settle(30_000);
    assert.equal(mirrored(session.sessionId), await readFile(again.transcriptPath, 'utf8'));
    assert.equal(dirname(again.transcriptPath).split('/').at(-1), dirname(session.transcriptPath).split('/').at(-1), 'it stays the session of its folder');
    harness.server.assertClean();
  });

  it('gives a session back on another machine, byte for byte, with all that it needs to go back', async () => {
    const mirror = open();
    const session = await sessionWithEdit(mirror);
    const beside = join(session.transcriptPath.replace(/\.jsonl$/, ''), 'results', 'one.txt');
    await mkdir(dirname(beside), { recursive: true });
    await writeFile(beside, 'a large result');
    await session.dispose();
    await mirror.settle(30_000);
    const dataRoot = await otherMachine();
    const there = open({ dataRoot });
    harness.server.push(turn({ reply: message('Here.') }));
    const again = await harness.open({ resume: session.sessionId, dataRoot, mirror: there });
    assert.deepEqual(again.notices, []);
    assert.deepEqual(await readFile(again.transcriptPath), await readFile(session.transcriptPath));
    assert.equal(await readFile(join(again.transcriptPath.replace(/\.jsonl$/, ''), 'results', 'one.txt'), 'utf8'), 'a large result');
    await again.rewind(again.rewindTargets()[0]!.messageId, { scope: 'files', skip: [], overwrite: [] });
    assert.equal(await harness.read('a.txt'), 'old\n');
    await runTurn(again, 'Where are you?');
    await there.settle(30_000);
    assert.equal(mirrored(session.sessionId), await readFile(again.transcriptPath, 'utf8'));
    await assert.rejects(there.restore({ project: dirname(again.transcriptPath).split('/').at(-1)!, sessionId: session.sessionId }), /on this machine already/);
    await assert.rejects(harness.open({ resume: '00000000-0000-4000-8000-000000000000', dataRoot, mirror: there }), /There is no session/);
    assert.deepEqual(server.complaints, []);
  });

  it('that can’t be reached stops nothing, is told once, and is caught up with, also by the next process', async () => {
    await server.close();
    const mirror = open();
    const session = await sessionWithEdit(mirror);
    for (let attempt = 0; attempt < 3; attempt++) await mirror.settle(30_000);
    assert.deepEqual(troubles.length, 1);
    assert.match(troubles[0]!, /^The mirror of your sessions can’t be written: The server can’t be reached \(ECONNREFUSED\)\. Everything is saved here/);
    assert.equal(mirror.waiting, 1);
    mirror.dispose();
    await server.listen();
    const next = open();
    await next.catchUp();
    await next.settle(30_000);
    assert.equal(mirrored(session.sessionId), await readFile(session.transcriptPath, 'utf8'));
    assert.deepEqual([troubles.length, next.waiting], [1, 0]);
    // What is there already is not sent again.
    const before = server.requests.length;
    const third = open();
    await third.catchUp();
    await third.settle(30_000);
    assert.deepEqual([server.requests.length - before, third.waiting], [0, 0]);
  });

  it('is told of again only after it worked in between', async () => {
    const mirror = open();
    const session = await sessionWithEdit(mirror);
    server.fail(/^PUT/, { kind: 'status', status: 503 }, { kind: 'status', status: 500 });
    await mirror.settle(30_000);
    await mirror.settle(30_000);
    await mirror.settle(30_000);
    assert.deepEqual([troubles.length, mirror.waiting], [1, 0]);
    server.fail(/^PUT/, { kind: 'status', status: 503 });
    harness.server.push(turn({ reply: message('More.') }));
    await runTurn(session, 'Go on.');
    await mirror.settle(30_000);
    assert.equal(troubles.length, 2);
    assert.match(troubles[1]!, /The server answers with status 503\./);
  });

  it('with the wrong key says that the key is refused', async () => {
    const mirror = open({ secretAccessKey: 'wrong' });
    await sessionWithEdit(mirror);
    await mirror.settle(30_000);
    assert.match(troubles.join(), /The server refuses the access key\./);
    assert.equal(server.objects.size, 0);
    assert.throws(() => open({ url: 'my-bucket' }), /is no address of a bucket/);
  });

  it('holds the same whatever goes wrong on the way, and however often', async () => {
    const first = open();
    const session = await sessionWithEdit(first);
    await session.dispose();
    await first.settle(30_000);
    first.dispose();
    const fault = fc.constantFrom<S3Fault>({ kind: 'status', status: 500 }, { kind: 'status', status: 503 }, { kind: 'status', status: 409 }, { kind: 'hang' }, { kind: 'slow', ms: 30 }, { kind: 'reset' }, { kind: 'lostAnswer' });
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 6 }), fc.constantFrom('PUT', 'GET', '.'), async (faults, method) => {
        server.objects.clear();
        await rm(join(harness.dataRoot, 'mirror'), { recursive: true, force: true });
        const mirror = open({ timeoutMs: 250 });
        server.fail(new RegExp(`^${method}`), ...faults);
        await mirror.catchUp();
        for (let round = 0; round < 20 && mirror.waiting > 0; round++) await mirror.settle(10_000);
        server.clearFaults();
        // On a busy machine an honest answer may take longer than the mirror here is willing to wait.
        for (let round = 0; round < 20 && (round === 0 || mirror.waiting > 0); round++) await mirror.settle(10_000);
        // The next run empties the folder that this one writes to when its timer fires.
        mirror.dispose();
        assert.equal(mirrored(session.sessionId), await readFile(session.transcriptPath, 'utf8'));
      }),
      { numRuns: 25 },
    );
    assert.deepEqual(server.complaints, []);
  });

  it('holds the same when two processes of this machine send at the same time', async () => {
    const session = await sessionWithEdit(open());
    await session.dispose();
    await Promise.all([open(), open()].map(async (mirror) => {
      await mirror.catchUp();
      for (let round = 0; round < 5 && mirror.waiting > 0; round++) await mirror.settle(30_000);
      assert.equal(mirror.waiting, 0);
    }));
    assert.equal(mirrored(session.sessionId), await readFile(session.transcriptPath, 'utf8'));
    assert.deepEqual([server.complaints, troubles], [[], []]);
  });

  it('overwrites nothing when a session was gone on with on two machines: both stay, and it is said once', async () => {
    const mirror = open();
    const session = await sessionWithEdit(mirror);
    await session.dispose();
    await mirror.settle(30_000);
    const dataRoot = await otherMachine();
    const there = open({ dataRoot });
    harness.server.push(turn({ reply: message('There.') }), turn({ reply: message('Here.') }), turn({ reply: message('Here again.') }));
    const other = await harness.open({ resume: session.sessionId, dataRoot, mirror: there });
    await runTurn(other, 'Said there.');
    await there.settle(30_000);
    const kept = mirrored(session.sessionId);
    // Nothing was said here since: the mirror is merely ahead of us.
    mirror.touch(session.transcriptPath);
    await mirror.settle(30_000);
    assert.deepEqual(troubles, []);
    const here = await harness.open({ resume: session.sessionId, mirror });
    await runTurn(here, 'Said here.');
    await mirror.settle(30_000);
    await runTurn(here, 'Said here again.');
    await mirror.settle(30_000);
    assert.equal(troubles.length, 1);
    assert.match(troubles[0]!, /gone on with on another machine as well.*saved here.*go on in a fork/);
    assert.equal(mirrored(session.sessionId), kept);
    assert.match(kept, /Said there\./);
    assert.match(await readFile(session.transcriptPath, 'utf8'), /Said here again\./);
    assert.deepEqual([server.complaints, mirror.waiting], [[], 0]);
  });

  it('gets a torn line when it is whole, and a file that was exchanged is compared from its beginning', async () => {
    const mirror = open();
    const session = await sessionWithEdit(mirror);
    await session.dispose();
    const whole = await readFile(session.transcriptPath, 'utf8');
    await appendFile(session.transcriptPath, '{"type":"cu');
    await mirror.settle(30_000);
    assert.equal(mirrored(session.sessionId), whole);
    await appendFile(session.transcriptPath, 'stom-title","customTitle":"x"}\n');
    mirror.touch(session.transcriptPath);
    await mirror.settle(30_000);
    assert.equal(mirrored(session.sessionId), await readFile(session.transcriptPath, 'utf8'));
    await truncate(session.transcriptPath, whole.length - 100);
    await appendFile(session.transcriptPath, `${'"'.padEnd(200, 'y')}\n`);
    mirror.touch(session.transcriptPath);
    const kept = mirrored(session.sessionId);
    await mirror.settle(30_000);
    assert.equal(mirrored(session.sessionId), kept);
    assert.match(troubles.join(), /gone on with on another machine/);
  });

  it('says so when it is ahead of a session that was given back an older state, and forgets one that is gone', async () => {
    const mirror = open();
    const session = await sessionWithEdit(mirror);
    await session.dispose();
    await mirror.settle(30_000);
    const whole = await readFile(session.transcriptPath, 'utf8');
    await writeFile(session.transcriptPath, whole.slice(0, whole.indexOf('\n') + 1));
    mirror.touch(session.transcriptPath);
    await mirror.settle(30_000);
    assert.match(troubles.join(), /The mirror holds more of the session .* Nothing was overwritten/);
    assert.equal(mirrored(session.sessionId), whole);
    await rm(session.transcriptPath);
    mirror.touch(session.transcriptPath);
    await mirror.settle(30_000);
    assert.deepEqual([troubles.length, mirror.waiting], [1, 0]);
  });

  it('sends together what is written in three seconds, waits longer after each failure, and makes nobody wait', async () => {
    const clock = new TestClock();
    const mirror = open({ clock });
    const session = await sessionWithEdit(mirror);
    await clock.waitForTimer(3_000);
    assert.equal(server.requests.length, 0);
    server.fail(/^PUT/, { kind: 'status', status: 500 }, { kind: 'status', status: 500 });
    clock.advance(3_000);
    await clock.waitForTimer(5_000);
    clock.advance(5_000);
    await clock.waitForTimer(10_000);
    assert.deepEqual([troubles.length, parts(session.sessionId).length, mirror.waiting], [1, 0, 1]);
    server.fail(/^PUT/, { kind: 'hang' });
    const settled = mirror.settle(7_000);
    await clock.waitForTimer(7_000);
    clock.advance(7_000);
    await settled;
    assert.equal(parts(session.sessionId).length, 0);
  });

  it('restores nothing that is incomplete, damaged, or would leave its folder', async () => {
    const mirror = open();
    const session = await sessionWithEdit(mirror);
    await session.dispose();
    await mirror.settle(30_000);
    const place = { project: dirname(session.transcriptPath).split('/').at(-1)!, sessionId: session.sessionId };
    const dataRoot = await otherMachine();
    const there = open({ dataRoot });
    const [first] = parts(session.sessionId) as [string];
    const blob = [...server.objects.keys()].find((key) => key.startsWith('turnstone/blobs/'))!;
    const good = new Map(server.objects);
    server.objects.set(blob, Buffer.from('damaged'));
    await assert.rejects(there.restore(place), /damaged copy of the content.*Nothing was restored/);
    server.objects.set(blob, good.get(blob)!);
    server.objects.delete(first);
    await assert.rejects(there.restore(place), /does not have all of this session.*Nothing was restored/);
    server.objects.set(first.replace('000000000000000', '000000000000007'), good.get(first)!);
    await assert.rejects(there.restore(place), /begins at byte 0 of the transcript is missing/);
    assert.deepEqual((await readdir(dataRoot, { recursive: true })).filter((name) => name.endsWith('.jsonl')), []);
    server.objects.clear();
    for (const [key, content] of good) server.objects.set(key, content);
    server.objects.set(first.replace(/[^/]*$/, 'files/../../../../outside.txt'), Buffer.from('x'));
    server.objects.set('turnstone/sessions/../x/000000000000000.jsonl', Buffer.from('x'));
    await there.restore(place);
    assert.equal((await readdir(dataRoot, { recursive: true })).some((name) => name.includes('outside')), false);
    assert.deepEqual((await there.list()).map(({ sessionId }) => sessionId), [session.sessionId]);
  });
});
