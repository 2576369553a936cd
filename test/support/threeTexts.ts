import fc from 'fast-check';

/** Mostly lines of their own, so that there is one way to see what changed. */
const line = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 0, max: 400 }).map((number) => `line ${number}\n`) }, { weight: 1, arbitrary: fc.constantFrom('\n', '}\n', 'x\r\n') });
const lines = fc.array(line, { maxLength: 30 });

/** Takes a few lines out or puts some in, here and there. */
const edited = (from: readonly string[]) =>
  fc.array(fc.record({ at: fc.nat(), remove: fc.nat(2), insert: fc.array(line, { maxLength: 2 }) }), { maxLength: 3 }).map((edits) => {
    const result = [...from];
    for (const { at, remove, insert } of edits) result.splice(at % (result.length + 1), remove, ...insert);
    return result.join('');
  });

/** A text, and what two people made of it. */
export const threeTexts = lines.chain((base) => fc.record({ base: fc.constant(base.join('')), present: edited(base), target: edited(base) }));
