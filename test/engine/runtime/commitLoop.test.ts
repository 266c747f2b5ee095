import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import { CommitLoop, type CommitLoopOptions } from '../../../src/engine/runtime/commitLoop.ts';
import type { Step } from '../../../src/engine/state/kernelEvent.ts';

const now = epochMs(1_700_000_000_000);

/** A step that plans, notifies and requests a send. */
const turn: Step = {
  facts: [{ at: now, fact: { kind: 'halted', why: 'a test' } }],
  effects: [{ kind: 'place', id: 'w1.1' as never }],
  notices: [{ at: now, kind: 'decision', strategyId: null, text: 'buy' }],
  answers: [{ id: 'c1' as never, answer: { kind: 'done', text: 'done', result: {} } }],
};

/** A step that saves a strategy's state, and sends nothing. */
const keeping: Step = {
  facts: [{ at: now, fact: { kind: 'strategyState', strategyId: 'solo', state: { high: 1 } } }],
  effects: [],
  notices: [],
};

function turnsOver(commit: () => void, brought: Step | Step[] = turn) {
  const clock = new VirtualClock({ start: now });
  const steps: string[] = [];
  const options = {
    kernel: { handle: () => (Array.isArray(brought) ? brought.shift() : brought) },
    journal: {
      commit() {
        steps.push('commit');
        commit();
      },
    },
    clock,
    deliver: () => steps.push('notify'),
    answer: () => steps.push('answer'),
    committed: () => steps.push('committed'),
    notify: () => steps.push('notify'),
    carry: () => steps.push('carry'),
    onFatal: () => undefined,
  };
  return { turns: new CommitLoop(options as unknown as CommitLoopOptions), steps, clock };
}

test('the commit loop commits a step before it notifies, answers and carries out effects', () => {
  const { turns: commitLoop, steps } = turnsOver(() => undefined);
  commitLoop.take({ kind: 'start' });
  expect(steps).toEqual(['commit', 'committed', 'notify', 'answer', 'carry']);
});

test('the commit loop carries out no part of a step whose commit failed', () => {
  const { turns: commitLoop, steps } = turnsOver(() => {
    throw new Error('the disk is broken');
  });
  expect(() => commitLoop.take({ kind: 'start' })).toThrow('the disk is broken');
  expect(steps).toEqual(['commit']);
});

test('the commit loop does nothing more after a failed commit, even in a step that needs no commit', () => {
  const steps = [turn, { ...keeping, facts: [] }];
  const { turns: commitLoop, steps: done } = turnsOver(() => {
    throw new Error('the disk is broken');
  }, steps);
  expect(() => commitLoop.take({ kind: 'start' })).toThrow('the disk is broken');
  commitLoop.take({ kind: 'start' });
  expect(done).toEqual(['commit']);
  expect(commitLoop.trouble).toBe('the disk is broken');
});

test('the commit loop writes strategy state at most 20 s later, with all changes until then', async () => {
  const { turns: commitLoop, steps, clock } = turnsOver(() => undefined, keeping);
  for (let second = 0; second < 60; second++) {
    commitLoop.take({ kind: 'start' });
    await clock.advanceBy(1_000);
  }
  expect(steps).toEqual(Array.from({ length: 3 }, () => ['commit', 'committed']).flat());
});
