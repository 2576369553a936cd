import assert from 'node:assert/strict';
import { AsyncQueue } from '../../../src/base/asyncQueue.ts';

describe('AsyncQueue', () => {
  it('ends for every reader, also for one that comes after the end', async () => {
    const queue = new AsyncQueue<number>();
    const read = async (): Promise<number[]> => {
      const items: number[] = [];
      for await (const item of queue) items.push(item);
      return items;
    };
    const readers = [read(), read()];
    await Promise.resolve();
    queue.push(1);
    queue.push(2);
    queue.end();
    assert.deepEqual((await Promise.all(readers)).flat().sort((a, b) => a - b), [1, 2]);
    assert.deepEqual(await read(), []);
  });
});
