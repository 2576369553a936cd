/** A value that generator number `index` yielded, or what it returned. */
export type Merged<Y, R> =
  | { readonly index: number; readonly done: false; readonly value: Y }
  | { readonly index: number; readonly done: true; readonly value: R };

/**
 * Runs generators together, at most `limit` at a time, and yields what they yield as it comes.
 * A consumer that stops early ends all of them. The first throw ends the others and is rethrown.
 */
export async function* mergeGenerators<Y, R>(
  generators: readonly AsyncGenerator<Y, R, void>[],
  limit: number,
): AsyncGenerator<Merged<Y, R>, void, void> {
  const running = new Map<number, Promise<{ index: number; result: IteratorResult<Y, R> }>>();
  let next = 0;
  const advance = (index: number): void => {
    running.set(index, generators[index]!.next().then((result) => ({ index, result })));
  };
  try {
    while (running.size > 0 || next < generators.length) {
      while (running.size < limit && next < generators.length) advance(next++);
      const { index, result } = await Promise.race(running.values());
      if (result.done) {
        running.delete(index);
        yield { index, done: true, value: result.value };
      } else {
        advance(index);
        yield { index, done: false, value: result.value };
      }
    }
  } finally {
    for (const pending of running.values()) pending.catch(() => {});
    await Promise.allSettled(generators.slice(0, next).map((generator) => generator.return(undefined as R)));
  }
}
