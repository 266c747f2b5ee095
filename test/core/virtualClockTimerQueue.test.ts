import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { TimerQueue } from '../../src/core/virtualClock.ts';
import { runs } from '../runs.ts';

type Step = Readonly<{ kind: 'add'; due: number } | { kind: 'cancel'; nth: number } | { kind: 'fire' }>;

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('add' as const), due: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), nth: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'fire' as const }) },
);

describe('the timer queue', () => {
  test('fires in the order of a sorted list, ties in the order they were set, without the cancelled timers', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = new TimerQueue();
        const [fired, expected]: [number[], number[]] = [[], []];
        const cancels: (() => void)[] = [];
        let oracle: { due: number; id: number }[] = [];
        const fire = () => {
          oracle.sort((a, b) => a.due - b.due || a.id - b.id);
          const [first] = oracle;
          expect(queue.next()).toBe(first?.due);
          queue.fireNext();
          if (first) expected.push(first.id);
          oracle = oracle.slice(1);
        };
        for (const each of steps) {
          const id = cancels.length;
          if (each.kind === 'add') {
            cancels.push(queue.add(epochMs(each.due), () => fired.push(id)));
            oracle.push({ due: each.due, id });
          } else if (each.kind === 'cancel') {
            cancels[each.nth]?.();
            oracle = oracle.filter((timer) => timer.id !== each.nth);
          } else fire();
        }
        while (oracle.length > 0) fire();
        fire();
        expect(fired).toEqual(expected);
      }),
      { numRuns: runs(500) },
    );
  });

  test('lets a timer set and cancel others while it fires', () => {
    const queue = new TimerQueue();
    const fired: string[] = [];
    const cancelled = queue.add(epochMs(5), () => fired.push('cancelled'));
    queue.add(epochMs(5), () => {
      fired.push('first');
      queue.add(epochMs(5), () => fired.push('set meanwhile'));
      late();
    });
    const late = queue.add(epochMs(6), () => fired.push('late'));
    cancelled();
    for (let count = 0; count < 4; count++) queue.fireNext();

    expect(fired).toEqual(['first', 'set meanwhile']);
    expect(queue.next()).toBeUndefined();
  });

  test('ignores the cancellation of a timer that has fired', () => {
    const queue = new TimerQueue();
    const cancel = queue.add(epochMs(1), () => undefined);
    queue.fireNext();
    cancel();
    queue.add(epochMs(2), () => undefined);
    expect(queue.next()).toBe(2);
  });
});
