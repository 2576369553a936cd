import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mergeUserChanges } from '../../../../src/engine/fileHistory/mergeUserChanges.ts';
import { threeTexts } from '../../../support/threeTexts.ts';

describe('mergeUserChanges', () => {
  it('keeps what the user changed on the text of then', () => {
    const merged = mergeUserChanges({
      base: 'one\nTWO by the agent\nthree\nfour\nfive\n',
      present: 'one\nTWO by the agent\nthree\nfour\nfive, mine\nsix\n',
      target: 'one\ntwo\nthree\nfour\nfive\n',
    });
    assert.deepEqual(merged, { text: 'one\ntwo\nthree\nfour\nfive, mine\nsix\n', conflicts: [] });
  });

  it('says where both changed the same lines, and puts both between markers', () => {
    const merged = mergeUserChanges({ base: 'a\r\nagent\r\nc\r\nd\r\n', present: 'new\r\na\r\nmine\r\nc\r\nd\r\n', target: 'a\r\nb\r\nc\r\nd\r\n' });
    assert.deepEqual(merged.conflicts, [{ firstLine: 3, lineCount: 1 }]);
    assert.equal(merged.text, 'new\r\na\r\n<<<<<<< now\r\nmine\r\n=======\r\nb\r\n>>>>>>> then\r\nc\r\nd\r\n');
  });

  it('takes changes that touch for a conflict, and the same change on both sides for none', () => {
    assert.equal(mergeUserChanges({ base: 'a\nb\n', present: 'A\nb\n', target: 'a\nB\n' }).conflicts.length, 1);
    assert.deepEqual(mergeUserChanges({ base: 'a\nb\n', present: 'a\nx\n', target: 'a\nx\n' }), { text: 'a\nx\n', conflicts: [] });
  });

  it('never glues a marker to a last line without line end', () => {
    const { text } = mergeUserChanges({ base: 'agent', present: 'mine', target: 'then' });
    assert.equal(text, '<<<<<<< now\nmine\n=======\nthen\n>>>>>>> then\n');
  });

  it('gives the other text where one side changed nothing, and either where both agree', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (x, y) => {
        assert.deepEqual(mergeUserChanges({ base: x, present: x, target: y }), { text: y, conflicts: [] });
        assert.deepEqual(mergeUserChanges({ base: x, present: y, target: x }), { text: y, conflicts: [] });
        assert.deepEqual(mergeUserChanges({ base: x, present: y, target: y }), { text: y, conflicts: [] });
      }),
    );
    fc.assert(
      fc.property(threeTexts, ({ base, present, target }) => {
        const forth = mergeUserChanges({ base, present, target });
        const back = mergeUserChanges({ base, present: target, target: present });
        assert.equal(forth.conflicts.length, back.conflicts.length);
        if (forth.conflicts.length === 0) assert.equal(forth.text, back.text);
      }),
    );
  });

  it('makes up no line and drops none that both sides kept', () => {
    fc.assert(
      fc.property(threeTexts, ({ base, present, target }) => {
        const { text, conflicts } = mergeUserChanges({ base, present, target });
        const known = new Set([base, present, target].flatMap((each) => each.split('\n')));
        const isMarker = (each: string): boolean => /^(<<<<<<< now|=======|>>>>>>> then)\r?$/.test(each);
        for (const each of text.split('\n')) assert.ok(known.has(each) || (conflicts.length > 0 && isMarker(each)), JSON.stringify(each));
        assert.equal(text.split('\n').filter((each) => each.startsWith('<<<<<<< now')).length, conflicts.length);
      }),
    );
  });

  it('is quick on long files with many equal lines', () => {
    const base = Array.from({ length: 10_000 }, (_, index) => (index % 3 === 0 ? '}\n' : index % 3 === 1 ? '\n' : `line ${index}\n`));
    const change = (seed: number): string => base.map((text, index) => (index % 500 === seed ? `changed ${seed}\n` : text)).join('');
    const { text, conflicts } = mergeUserChanges({ base: base.join(''), present: change(7), target: change(207) });
    assert.equal(conflicts.length, 0);
    assert.equal(text.split('changed 7\n').length - 1, 20);
    assert.equal(text.split('changed 207\n').length - 1, 20);
  });
});
