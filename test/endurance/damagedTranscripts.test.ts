import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadTranscript } from '../../src/engine/transcript/loadTranscript.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import { corpusFolder } from '../support/corpus.ts';
import { assistantMessage, inFolder, storeIn, userMessage } from '../unit/engine/transcript/support.ts';

/** Of each kind of damage, for each transcript. */
const tries = process.env['TURNSTONE_LONG'] ? 40 : 3;

/** The same numbers each time, so that what fails once fails again. Between 0 and 1. */
function* numbers(seed: number): Generator<number, never, void> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Damages a transcript in every way, and each time it is read, with what is wrong said by line. Throws an AssertionError. */
async function damage(bytes: Buffer, name: string): Promise<void> {
  const random = numbers(bytes.length);
  const place = (): number => Math.floor(random.next().value * bytes.length);
  const lines = bytes.toString('latin1').split('\n');
  const written = lines.map((line, index) => ({ line, number: index + 1 })).filter(({ line }) => line.trim() !== '');
  await inFolder(async (folder) => {
    const path = join(folder, 'damaged.jsonl');
    const load = async (content: Uint8Array): ReturnType<typeof loadTranscript> => {
      await writeFile(path, content);
      return loadTranscript(nodeFileSystem, path);
    };
    const wholeNotices = new Set((await load(bytes)).notices);
    for (let round = 0; round < tries; round++) {
      // Torn off anywhere: the last line is named unless it is whole or empty.
      const cut = place();
      const torn = await load(bytes.subarray(0, cut));
      const last = bytes.subarray(0, cut).toString('latin1').split('\n');
      if (!isWhole(last.at(-1)!)) assert.ok(torn.notices.some((notice) => notice.includes(`Line ${last.length} `) || notice.includes('more lines')), `${name} cut at ${cut}: ${torn.notices.join(' ')}`);

      // A line in the middle is no line any more.
      const { number, line } = written[Math.floor(random.next().value * written.length)]!;
      const garbled = lines.with(number - 1, line.slice(0, Math.floor(line.length * random.next().value)));
      const middle = await load(Buffer.from(garbled.join('\n'), 'latin1'));
      if (!isWhole(garbled[number - 1]!)) assert.ok(middle.notices.some((notice) => notice.includes(`Line ${number} `) || notice.includes('more lines')), `${name} without the end of line ${number}: ${middle.notices.join(' ')}`);

      // Any byte is another one: the conversation is there, but for what stood in that line.
      const flipped = Buffer.from(bytes);
      flipped[place()] = Math.floor(random.next().value * 256);
      const { messages } = await load(flipped);
      if (wholeNotices.size === 0) assert.ok(messages.every(({ uuid }) => typeof uuid === 'string'), name);

      // Zeros in place of what a crash kept from being written.
      const [start, end] = [place(), place()].sort((one, other) => one - other) as [number, number];
      await load(Buffer.from(bytes).fill(0, start, end));
    }
  });
}

/** Nothing, or something that can be read. */
function isWhole(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

describe('A damaged transcript', function () {
  this.timeout(600_000);

  it('of our own is read, and says which lines are not', () =>
    inFolder(async (folder) => {
      const store = storeIn(folder);
      for (let index = 0; index < 12; index++) store.recordMessage(index % 2 ? assistantMessage(`a${index}`, `Çok güzel ${index}`) : userMessage(`u${index}`, `北京 🙂 ${index}`));
      store.record({ type: 'session-state', model: 'm', permissionMode: 'default', cost: null });
      await store.dispose();
      await damage(readFileSync(store.path), 'our own');
    }));

  it('of Claude Code, each real one: is read, says which lines are not, and is itself not touched', async () => {
    const corpus = corpusFolder('transcripts');
    if (corpus === undefined) return;
    const paths = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'));
    assert.ok(paths.length > 50);
    for (const path of paths) {
      const file: string = join(corpus, path);
      const before = statSync(file);
      await damage(readFileSync(file), path);
      const after = statSync(file);
      assert.deepEqual([after.mtimeMs, after.size, after.ino], [before.mtimeMs, before.size, before.ino]);
    }
  });
});
