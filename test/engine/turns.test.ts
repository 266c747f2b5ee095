import { expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { Turns, type TurnsOptions } from '../../src/engine/turns.ts';
import type { Turn } from '../../src/engine/kernelEvent.ts';

const now = epochMs(1_700_000_000_000);

/** A turn that plans, tells and asks for a send. */
const turn: Turn = {
  facts: [{ at: now, fact: { kind: 'halted', why: 'a test' } }],
  effects: [{ kind: 'place', id: 'w1.1' as never }],
  notices: [{ at: now, kind: 'decision', owner: null, text: 'buy' }],
};

function turnsOver(commit: () => void) {
  const steps: string[] = [];
  const options = {
    kernel: { handle: () => turn },
    journal: {
      commit() {
        steps.push('commit');
        commit();
      },
    },
    clock: new VirtualClock({ start: now }),
    tell: () => steps.push('tell'),
    carry: () => steps.push('carry'),
    onFatal: () => undefined,
  };
  return { turns: new Turns(options as unknown as TurnsOptions), steps };
}

test('facts are durable first, then people are told, then effects are carried out', () => {
  const { turns, steps } = turnsOver(() => undefined);
  turns.take({ kind: 'start' });
  expect(steps).toEqual(['commit', 'tell', 'carry']);
});

test('nothing follows from facts that could not be written', () => {
  const { turns, steps } = turnsOver(() => {
    throw new Error('the disk is broken');
  });
  expect(() => turns.take({ kind: 'start' })).toThrow('the disk is broken');
  expect(steps).toEqual(['commit']);
});
