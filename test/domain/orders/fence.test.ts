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
    ['lets an order go with every proof', {}, absent],
    ['waits at the deadline', { now: epochMs(deadline) }, waiting('deadline')],
    ['waits a minute more', { now: epochMs(deadline + 60_000) }, waiting('deadline')],
    ['waits for an indexer that has shown nothing', { indexedThrough: null }, waiting('indexer')],
    [
      'waits for an indexer that is at the deadline',
      { indexedThrough: epochMs(deadline) },
      waiting('indexer'),
    ],
    [
      'takes a chain without a trace of it instead of the indexer',
      { indexedThrough: null, absentAt: epochMs(deadline + 60_001) },
      absent,
    ],
    [
      'does not take a block that is no minute past the deadline',
      { indexedThrough: null, absentAt: epochMs(deadline + 60_000) },
      waiting('indexer'),
    ],
    [
      'takes a nonce that another transaction has used instead of deadline and indexer',
      { now: epochMs(0), indexedThrough: null, isReplaced: true },
      absent,
    ],
    ['takes no nonce for a list', { isReplaced: true, cleanLists: 1 }, waiting('lists')],
    ['takes no nonce for the ledger', { isReplaced: true, ledgerAgrees: false }, waiting('ledger')],
    ['waits for a first list', { cleanLists: 0 }, waiting('lists')],
    ['waits for a second list', { cleanLists: 1 }, waiting('lists')],
    ['waits for the ledger', { ledgerAgrees: false }, waiting('ledger')],
    [
      'does not take time for proof',
      { now: epochMs(deadline + 1e9), indexedThrough: null },
      waiting('indexer'),
    ],
    ['takes an operator at their word on the indexer', { indexedThrough: null, vouched: true }, absent],
    ['takes no word for time', { now: epochMs(deadline), vouched: true }, waiting('deadline')],
    ['takes no word for a list', { cleanLists: 1, vouched: true }, waiting('lists')],
    ['takes no word for the ledger', { ledgerAgrees: false, vouched: true }, waiting('ledger')],
    ['does not take many lists for time', { now: epochMs(0), cleanLists: 99 }, waiting('deadline')],
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
