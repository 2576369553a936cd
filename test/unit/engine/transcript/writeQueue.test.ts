import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import type { Clock } from '../../../../src/base/abort.ts';
import { systemClock } from '../../../../src/base/abort.ts';
import { isTurnstoneError } from '../../../../src/base/errors.ts';
import { WriteQueue } from '../../../../src/engine/transcript/writeQueue.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import { failingFiles, inFolder } from './support.ts';

const queueIn = (folder: string, options: Partial<ConstructorParameters<typeof WriteQueue>[0]> = {}): WriteQueue =>
  new WriteQueue({ files: nodeFileSystem, clock: systemClock, path: join(folder, 'deep', 'session.jsonl'), endsWithNewline: true, ...options });

const linesIn = async (folder: string): Promise<string[]> => (await readFile(join(folder, 'deep', 'session.jsonl'), 'utf8')).split('\n');

describe('WriteQueue', function () {
  this.timeout(60_000);

  it('writes what gathered with one append, in order, readable by the owner alone', () =>
    inFolder(async (folder) => {
      let appends = 0;
      const files = { ...nodeFileSystem, appendFile: (path: string, text: string) => (appends++, nodeFileSystem.appendFile(path, text)) };
      const queue = queueIn(folder, { files });
      for (const text of ['1', '2', '3']) queue.enqueue(() => text);
      await queue.flush();
      assert.deepEqual(await linesIn(folder), ['1', '2', '3', '']);
      assert.equal(appends, 1);
      assert.equal((await stat(join(folder, 'deep', 'session.jsonl'))).mode & 0o777, 0o600);
      assert.equal((await stat(join(folder, 'deep'))).mode & 0o777, 0o700);
    }));

  it('drains by itself after a while, and serialises only then', () =>
    inFolder(async (folder) => {
      const waits: (() => void)[] = [];
      const clock: Clock = { now: () => 0, setTimeout: (callback, ms) => (assert.equal(ms, 100), waits.push(callback), { dispose() {} }) };
      const queue = queueIn(folder, { clock });
      let text = 'early';
      queue.enqueue(() => text);
      text = 'late';
      assert.equal(waits.length, 1);
      waits[0]!();
      await queue.flush();
      assert.deepEqual(await linesIn(folder), ['late', '']);
    }));

  it('splits appends at 1 MiB, between lines', () =>
    inFolder(async (folder) => {
      const sizes: number[] = [];
      const files = { ...nodeFileSystem, appendFile: (path: string, text: string) => (sizes.push(text.length), nodeFileSystem.appendFile(path, text)) };
      const queue = queueIn(folder, { files });
      for (const size of [600_000, 600_000, 3_000_000, 10]) queue.enqueue(() => 'x'.repeat(size));
      await queue.flush();
      assert.deepEqual(sizes, [600_001, 600_001, 3_000_001, 11]);
    }));

  it('keeps a held line and those behind it until the hold ends, however it ends', () =>
    inFolder(async (folder) => {
      const queue = queueIn(folder);
      let end!: (reason: Error) => void;
      queue.enqueue(() => 'before');
      await queue.flush();
      queue.enqueue(() => 'held', { holdUntil: new Promise<void>((_, reject) => (end = reject)) });
      queue.enqueue(() => 'behind');
      const flushed = queue.flush();
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(await linesIn(folder), ['before', '']);
      end(new Error('stream broke'));
      await flushed;
      assert.deepEqual(await linesIn(folder), ['before', 'held', 'behind', '']);
    }));

  it('does not wait for holds when it is disposed of', () =>
    inFolder(async (folder) => {
      const queue = queueIn(folder);
      queue.enqueue(() => 'held', { holdUntil: new Promise<void>(() => {}) });
      await queue.dispose();
      assert.deepEqual(await linesIn(folder), ['held', '']);
    }));

  it('starts on a line of its own when the last one was torn', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'session.jsonl');
      await writeFile(path, '{"a":1}\n{"b":');
      const queue = queueIn(folder, { path, endsWithNewline: false });
      queue.enqueue(() => '{"c":3}');
      await queue.flush();
      queue.enqueue(() => '{"d":4}');
      await queue.flush();
      assert.equal(await readFile(path, 'utf8'), '{"a":1}\n{"b":\n{"c":3}\n{"d":4}\n');
    }));

  it('makes the folder again when it is gone, with what it held', () =>
    inFolder(async (folder) => {
      const queue = queueIn(folder);
      queue.enqueue(() => '1');
      await queue.flush();
      await rm(join(folder, 'deep'), { recursive: true });
      queue.enqueue(() => '2');
      await queue.flush();
      assert.deepEqual(await linesIn(folder), ['1', '2', '']);
    }));

  it('brings a file back that somebody has removed, byte for byte, also what was in it before', () =>
    inFolder(async (folder) => {
      const seen: string[] = [];
      const path = join(folder, 'deep', 'session.jsonl');
      const bytes = Buffer.concat([Buffer.from('{"was":"here"}\n'), Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from('torn')]);
      await mkdir(join(folder, 'deep'));
      await writeFile(path, bytes);
      const queue = queueIn(folder, { size: bytes.length, endsWithNewline: false, onForeignChange: (how) => void seen.push(how), linesAgain: () => ['never'] });
      queue.hold();
      queue.enqueue(() => '1');
      await queue.flush();
      for (const line of ['2', '3']) {
        await rm(join(folder, 'deep'), { recursive: true });
        queue.enqueue(() => line);
        await queue.flush();
      }
      await queue.dispose();
      assert.deepEqual(await readFile(path), Buffer.concat([bytes, Buffer.from('\n1\n2\n3\n')]));
      assert.deepEqual(seen, ['restored', 'restored']);
      assert.deepEqual(await readdir(join(folder, 'deep')), ['session.jsonl']);
    }));

  it('says again what a file held that somebody has removed and that could not be held on to, before what comes next', () =>
    inFolder(async (folder) => {
      const seen: string[] = [];
      const said = ['1', '2', '3'];
      const files = { ...nodeFileSystem, hold: () => Promise.reject(new Error('EMFILE')) };
      const queue = queueIn(folder, { files, size: 0, onForeignChange: (how) => void seen.push(how), linesAgain: (isQueued) => said.filter((key) => !isQueued(key)) });
      queue.enqueue(() => '1', { key: '1' });
      queue.enqueue(() => '2', { key: '2' });
      await queue.flush();
      await rm(join(folder, 'deep'), { recursive: true });
      queue.enqueue(() => '3', { key: '3' });
      await queue.flush();
      queue.enqueue(() => '4', { key: '4' });
      await queue.flush();
      assert.deepEqual(await linesIn(folder), ['1', '2', '3', '4', '']);
      assert.deepEqual(seen, ['removed']);
    }));

  it('tells once that the disk is full, keeps the lines, and writes them when it works again', () =>
    inFolder(async (folder) => {
      const plan: { failAfterBytes: number | undefined } = { failAfterBytes: 0 };
      const told: string[] = [];
      const queue = queueIn(folder, { files: failingFiles(plan), onTrouble: (text) => told.push(text) });
      queue.enqueue(() => '1');
      await assert.rejects(queue.flush(), (error) => isTurnstoneError(error) && error.code === 'disk' && /the disk is full/.test(error.message));
      queue.enqueue(() => '2');
      await assert.rejects(queue.flush());
      assert.equal(told.length, 1);
      assert.match(queue.trouble ?? '', /goes on in memory/);
      plan.failAfterBytes = undefined;
      await queue.flush();
      assert.equal(queue.trouble, undefined);
      assert.deepEqual(await linesIn(folder), ['1', '2', '']);
      plan.failAfterBytes = 0;
      queue.enqueue(() => '3');
      await assert.rejects(queue.flush());
      assert.equal(told.length, 2);
      await assert.rejects(queue.dispose());
    }));

  it('after an append that stopped at any byte, has every line once and only whole ones beside the torn piece', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 5 }), fc.nat(120), fc.boolean(), (texts, cut, torn) =>
        inFolder(async (folder) => {
          const path = join(folder, 'session.jsonl');
          await writeFile(path, torn ? '{"old":' : '');
          const plan: { failAfterBytes: number | undefined } = { failAfterBytes: cut };
          const queue = queueIn(folder, { path, files: failingFiles(plan), endsWithNewline: !torn });
          const lines = texts.map((text, index) => JSON.stringify({ index, text }));
          for (const line of lines) queue.enqueue(() => line);
          await assert.rejects(queue.flush());
          plan.failAfterBytes = undefined;
          await queue.flush();
          const found = (await readFile(path, 'utf8')).split('\n').filter((line) => lines.includes(line));
          assert.deepEqual(found, lines);
        }),
      ),
      { numRuns: 60, examples: [[['a', 'b', 'c'], 22, false], [['a', 'b', 'c'], 24, false], [['a', 'b', 'c'], 23, false], [['a', 'b', 'c'], 1, true]] },
    ));

  it('a line that was withdrawn after a failure never appears; one that is on disk can not be withdrawn', () =>
    inFolder(async (folder) => {
      const plan: { failAfterBytes: number | undefined } = { failAfterBytes: 6 };
      const queue = queueIn(folder, { files: failingFiles(plan) });
      const first = queue.enqueue(() => 'first');
      const second = queue.enqueue(() => 'second');
      await assert.rejects(queue.flush());
      assert.deepEqual([await first.withdraw(), await second.withdraw()], [false, true]);
      plan.failAfterBytes = undefined;
      queue.enqueue(() => 'third');
      await queue.flush();
      assert.deepEqual(await linesIn(folder), ['first', 'third', '']);
    }));

  it('a line that can not be serialised is told of and does not block the others', () =>
    inFolder(async (folder) => {
      const told: string[] = [];
      const queue = queueIn(folder, { onTrouble: (text) => told.push(text) });
      queue.enqueue(() => JSON.stringify({ big: 1n }));
      queue.enqueue(() => 'fine');
      await queue.flush();
      assert.deepEqual(await linesIn(folder), ['fine', '']);
      assert.equal(told.length, 1);
    }));

  it('what was flushed survives kill -9', function () {
    this.timeout(60_000);
    return inFolder(async (folder) => {
      const path = join(folder, 'session.jsonl');
      const source = (name: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../../src', name)).href);
      const script = join(folder, 'writer.mjs');
      await writeFile(
        script,
        `import { WriteQueue } from ${source('engine/transcript/writeQueue.ts')};
         import { nodeFileSystem } from ${source('platform/nodeFileSystem.ts')};
         import { systemClock } from ${source('base/abort.ts')};
         const queue = new WriteQueue({ files: nodeFileSystem, clock: systemClock, path: ${JSON.stringify(path)}, endsWithNewline: true });
         for (let index = 0; ; index++) {
           queue.enqueue(() => JSON.stringify({ index, text: 'x'.repeat(index % 977) }));
           if (index % 7 === 0) { await queue.flush(); process.stdout.write(index + '\\n'); }
         }`,
      );
      const child = spawn(process.execPath, ['--no-warnings', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      const ended = new Promise((resolve) => child.on('close', resolve));
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (output.split('\n').length > 40) child.kill('SIGKILL');
      });
      await ended;
      const flushed = Number(output.split('\n').at(-2));
      assert.ok(flushed > 100);
      const lines = (await readFile(path, 'utf8')).split('\n').slice(0, flushed + 1);
      assert.deepEqual(lines.map((line) => (JSON.parse(line) as { index: number }).index), Array.from({ length: flushed + 1 }, (_, index) => index));
    });
  });
});
