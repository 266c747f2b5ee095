import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { fence, type Evidence, type Verdict } from '../../../src/domain/orders/fence.ts';
import { anOrder, DEADLINE, states, type StateName } from '../orders.ts';

const deadline = DEADLINE * 1000;
const proof: Evidence = {
  now: epochMs(deadline + 60_001),
  indexedThrough: epochMs(deadline + 1),
  absentAt: null,
  cleanLists: 2,
  ledgerAgrees: true,
};
const absent: Verdict = { kind: 'absent' };
const waiting = (what: Extract<Verdict, { kind: 'waiting' }>['for']): Verdict => ({
  kind: 'waiting',
  for: what,
});

describe('the fence', () => {
  test.each<[name: string, missing: Partial<Evidence>, verdict: Verdict]>([
    ['declares an order absent with every proof', {}, absent],
    ['waits at the deadline', { now: epochMs(deadline) }, waiting('deadline')],
    ['waits until a minute past the deadline', { now: epochMs(deadline + 60_000) }, waiting('deadline')],
    ['waits for an indexer that has shown nothing', { indexedThrough: null }, waiting('indexer')],
    [
      'waits for an indexer that has only reached the deadline',
      { indexedThrough: epochMs(deadline) },
      waiting('indexer'),
    ],
    [
      'accepts the absence on chain in place of the indexer',
      { indexedThrough: null, absentAt: epochMs(deadline + 60_001) },
      absent,
    ],
    [
      'does not accept an absence as of a block within a minute of the deadline',
      { indexedThrough: null, absentAt: epochMs(deadline + 60_000) },
      waiting('indexer'),
    ],
    [
      'accepts a used nonce in place of deadline and indexer',
      { now: epochMs(0), indexedThrough: null, isReplaced: true },
      absent,
    ],
    [
      'does not accept a used nonce in place of a list',
      { isReplaced: true, cleanLists: 1 },
      waiting('lists'),
    ],
    [
      'does not accept a used nonce in place of the ledger',
      { isReplaced: true, ledgerAgrees: false },
      waiting('ledger'),
    ],
    ['waits for a first list', { cleanLists: 0 }, waiting('lists')],
    ['waits for a second list', { cleanLists: 1 }, waiting('lists')],
    ['waits for the ledger', { ledgerAgrees: false }, waiting('ledger')],
    [
      'does not accept elapsed time in place of proof',
      { now: epochMs(deadline + 1e9), indexedThrough: null },
      waiting('indexer'),
    ],
    ["accepts an operator's word in place of the indexer", { indexedThrough: null, vouched: true }, absent],
    [
      "does not accept an operator's word in place of time",
      { now: epochMs(deadline), vouched: true },
      waiting('deadline'),
    ],
    [
      "does not accept an operator's word in place of a list",
      { cleanLists: 1, vouched: true },
      waiting('lists'),
    ],
    [
      "does not accept an operator's word in place of the ledger",
      { ledgerAgrees: false, vouched: true },
      waiting('ledger'),
    ],
    ['does not accept many lists in place of time', { now: epochMs(0), cleanLists: 99 }, waiting('deadline')],
  ])('%s', (_name, missing, verdict) => {
    const order = (name: StateName) => anOrder({ state: states[name] });
    expect(fence(order('unknown'), { ...proof, ...missing })).toEqual(verdict);
    expect(fence(order('acknowledged'), { ...proof, ...missing })).toEqual(verdict);
  });

  test.each<StateName>([
    'planned',
    'sent',
    'working',
    'closed',
    'refused',
    'reverted',
    'abandoned',
    'neverExisted',
  ])('keeps waiting for an order that is %s, whatever the proof', (name) => {
    expect(fence(anOrder({ state: states[name] }), proof).kind).toBe('waiting');
  });
});
