import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Proposal } from '../../../../src/protocol/fileChange.ts';
import { planWrites } from '../../../../src/engine/review/planWrites.ts';
import type { DecidedEdit } from '../../../../src/engine/review/planWrites.ts';

const start = '1\n2\n3\n4\n5\n6\n7\n';
const proposal = (before: string | undefined, after: string): Proposal => ({ path: '/f', targetPath: '/f', before, after });
const first = proposal(start, start.replace('1', 'one'));
const second = proposal(first.after, first.after.replace('7', 'seven'));
const accept = (each: Proposal, accepted = each.after): DecidedEdit => ({ proposal: each, accepted });
const refuse = (each: Proposal): DecidedEdit => ({ proposal: each, accepted: undefined });

describe('planWrites', () => {
  it('builds each edit of a file on the one before', () => {
    assert.deepEqual(planWrites([accept(first), accept(second)]), [
      { kind: 'write', from: start, proposed: first.after, to: first.after },
      { kind: 'write', from: first.after, proposed: second.after, to: second.after, follows: true },
    ]);
  });

  it('keeps a later edit without the one that was rejected, where it fits', () => {
    const only = start.replace('7', 'seven');
    assert.deepEqual(planWrites([refuse(first), accept(second)]), [{ kind: 'refused' }, { kind: 'write', from: start, proposed: only, to: only }]);
    const same = proposal(first.after, first.after.replace('one', 'ONE'));
    assert.deepEqual(planWrites([refuse(first), accept(same)]), [{ kind: 'refused' }, { kind: 'unfit' }]);
  });

  it('keeps what the user changed in an earlier edit', () => {
    const byHand = first.after.replace('3', 'three, by hand');
    const last = planWrites([accept(first, byHand), accept(second)]).at(-1);
    assert.equal(last?.kind === 'write' && last.to, byHand.replace('7', 'seven'));
  });

  it('takes one text for all edits of a file as it is', () => {
    const whole = { ...proposal(start, second.after), path: '/f' };
    const steps = planWrites([accept(first), { proposal: second, accepted: 'all mine\n', rebased: whole }]);
    assert.deepEqual(steps.at(-1), { kind: 'write', from: first.after, proposed: second.after, to: 'all mine\n', follows: true });
  });

  it('starts from the text that a proposal was rebased on', () => {
    const moved = start.replace('4', 'vier');
    const whole = proposal(moved, second.after.replace('4', 'vier'));
    const steps = planWrites([accept(first), { proposal: second, accepted: whole.after, rebased: whole }]);
    assert.deepEqual(steps.map((step) => step.kind === 'write' && [step.from, step.to]), [[moved, moved.replace('1', 'one')], [moved.replace('1', 'one'), whole.after]]);
    const clash = proposal(start.replace('1', 'uno'), 'uno, resolved\n');
    assert.deepEqual(planWrites([accept(first), { proposal: second, accepted: clash.after, rebased: clash }]).map(({ kind }) => kind), ['contained', 'write']);
  });

  it('leaves nothing to write for what is there already', () => {
    assert.deepEqual(planWrites([accept(first, start)]), [{ kind: 'contained' }]);
  });

  it('ends with the accepted text whatever was proposed, when everything is accepted', () => {
    const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n'), { maxLength: 8 }).map((all) => all.join(''));
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 5 }), (texts) => {
        const edits = texts.slice(1).map((after, index) => accept(proposal(texts[index], after)));
        let now = texts[0];
        for (const step of planWrites(edits)) {
          assert.notEqual(step.kind, 'unfit');
          if (step.kind !== 'write') continue;
          assert.equal(step.from, now);
          now = step.to;
        }
        assert.equal(now, texts.at(-1));
      }),
    );
  });
});
