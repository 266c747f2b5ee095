import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cash, parseCash, parsePrice, shares } from '../../../src/core/amount.ts';
import { epochMs, type EpochMs } from '../../../src/core/brand.ts';
import type { Address } from '../../../src/domain/instrument.ts';
import {
  transferHasEnded,
  type Transfer,
  type TransferId,
  type TransferState,
} from '../../../src/domain/transfers/transfer.ts';
import {
  wantCash,
  wantRepayment,
  wantStock,
  type TreasuryPolicies,
  type TreasuryInput,
  type TransferIntent,
} from '../../../src/engine/treasury/policy.ts';
import { STOCK_TOKEN, USDC } from '../../domain/operations.ts';
import { AAPL, MSFT, SENT } from '../../domain/orders.ts';
import { runs } from '../../runs.ts';

const $ = parseCash;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const policies = {
  cashBuffer: { below: $('1000'), upTo: $('3000'), atLeast: $('100'), maxPerDay: $('5000') },
  stockForSells: { maxPerOrder: $('2000'), maxPerDay: $('4000') },
  repayDebt: { maxPerDay: $('1500') },
} satisfies TreasuryPolicies;
const caps = { cashBuffer: $('5000'), stockForSells: $('4000'), repayDebt: $('1500') };

const freshness = (changes: Partial<TreasuryInput> = {}): TreasuryInput => ({
  now: SENT,
  freeCash: $('500'),
  tokens: new Map([[USDC, $('10000')]]),
  transfers: [],
  stocks: new Map([[AAPL, shares($('40'))]]),
  debts: new Map([[AAPL, shares($('30'))]]),
  priceOf: (symbol) => (symbol === AAPL ? parsePrice('100') : null),
  addressOf: () => STOCK_TOKEN,
  nameOf: () => null,
  uncommittedOf: () => null,
  isOwedUnsettled: () => false,
  endedAt: () => SENT,
  ...changes,
});

const need = { intentId: 'w1', symbol: AAPL, missing: shares($('4')) };
const wants = {
  cashBuffer: (at: TreasuryInput, on: TreasuryPolicies = policies) => wantCash(on, at),
  stockForSells: (at: TreasuryInput, on: TreasuryPolicies = policies) => wantStock(on, need, at),
  repayDebt: (at: TreasuryInput, on: TreasuryPolicies = policies) => wantRepayment(on, at),
};
const names = Object.keys(wants) as (keyof typeof wants)[];

const begun = (intent: TransferIntent, state: TransferState, plannedAt: EpochMs = SENT): Transfer => ({
  id: 'op-1' as TransferId,
  strategyId: '',
  cause: intent.cause,
  terms: intent.terms,
  value: intent.value,
  plannedAt,
  state,
});
const LIVE: TransferState[] = [
  { kind: 'planned' },
  { kind: 'sent', at: SENT },
  { kind: 'unknown', at: SENT, reason: 'reset' },
  { kind: 'acknowledged', at: SENT, txHash: '0x1' },
  { kind: 'processing', at: SENT, txHash: '0x1' },
];

describe.each(names)('the transfer policy %s', (name) => {
  const want = wants[name];
  const wished = () => {
    const intent = want(freshness());
    if (!intent) throw new Error('nothing is wanted');
    return intent;
  };

  test('is off unless it is set', () => {
    expect(want(freshness(), {})).toBeNull();
    expect(wished().policy).toBe(name);
  });

  test.each(LIVE)('does nothing while a transfer of its own is $kind, however old', (state) => {
    const operation = begun(wished(), state, epochMs(SENT - 10 * DAY));
    // One that was assumed gone and has turned up has an end in the past.
    const now = epochMs(SENT + 2 * DAY);
    expect(want(freshness({ transfers: [operation], now }))).toBeNull();
  });

  test('waits ten minutes after a refused transfer', () => {
    const operations = [begun({ ...wished(), cause: 'other' }, { kind: 'refused', reason: 'no' })];
    expect(want(freshness({ transfers: operations, now: epochMs(SENT + 9 * MINUTE) }))).toBeNull();
    expect(want(freshness({ transfers: operations, now: epochMs(SENT + 10 * MINUTE) }))).not.toBeNull();
  });
});

test('the policy repayDebt does nothing while a deferred sell may change the debt', () => {
  expect(wants.repayDebt(freshness({ isOwedUnsettled: (symbol) => symbol === AAPL }))).toBeNull();
});

test('the policy stockForSells does not deposit stock that is needed to repay a debt', () => {
  expect(wants.stockForSells(freshness({ uncommittedOf: () => shares($('4')) }))).not.toBeNull();
  expect(wants.stockForSells(freshness({ uncommittedOf: () => shares($('3.9')) }))).toBeNull();
});

describe('the policy cashBuffer', () => {
  test('deposits up to its goal once cash is below its mark', () => {
    expect(wants.cashBuffer(freshness())?.terms).toEqual({
      kind: 'cashDeposit',
      token: USDC,
      amount: $('2500'),
    });
    expect(wants.cashBuffer(freshness({ freeCash: $('1000') }))).toBeNull();
  });

  test('deposits whole cents, at least its minimum and at most what the wallet has', () => {
    const amountWith = (text: string) =>
      wants.cashBuffer(freshness({ tokens: new Map([[USDC, $(text)]]) }))?.terms.amount;
    expect(amountWith('123.456789')).toBe($('123.45'));
    expect(amountWith('99.99')).toBeUndefined();
  });

  test('does nothing when two tokens could be deposited and none is named', () => {
    const other: Address = `0x${'dd'.repeat(20)}`;
    const tokens = new Map([
      [USDC, $('10000')],
      [other, $('10000')],
    ]);
    expect(wants.cashBuffer(freshness({ tokens }))).toBeNull();
    const named = { cashBuffer: { ...policies.cashBuffer, token: other } };
    expect(wants.cashBuffer(freshness({ tokens }), named)?.terms.token).toBe(other);
  });
});

describe('the policy stockForSells', () => {
  test('deposits all that a sell needs, or nothing', () => {
    const stocks = new Map([[AAPL, shares($('3.9'))]]);
    expect(wants.stockForSells(freshness({ stocks }))).toBeNull();
  });

  test('deposits once for each sell, whatever its outcome', () => {
    const intent = wants.stockForSells(freshness());
    const later = epochMs(SENT + 3 * DAY);
    for (const state of [
      { kind: 'settled', txHash: '0x1', received: 4n },
      { kind: 'failed', txHash: '0x1', reason: 'x' },
    ] as const) {
      const operations = intent ? [begun(intent, state)] : [];
      expect(wants.stockForSells(freshness({ transfers: operations, now: later }))).toBeNull();
      expect(
        wantStock(policies, { ...need, intentId: 'w2' }, freshness({ transfers: operations, now: later })),
      ).not.toBeNull();
    }
  });

  test('does nothing without a price', () => {
    const stocks = new Map([[MSFT, shares($('40'))]]);
    expect(wantStock(policies, { ...need, symbol: MSFT }, freshness({ stocks }))).toBeNull();
  });
});

test('the policy repayDebt leaves stock that is on its way to the exchange', () => {
  const intent = wants.stockForSells(freshness());
  const operations = intent ? [begun(intent, { kind: 'sent', at: SENT })] : [];
  expect(wants.repayDebt(freshness({ transfers: operations }))).toBeNull();
});

/** Final state of a transfer: it may stay open, and all but the last three have or may have moved something. */
const ends: TransferState[] = [
  ...LIVE.slice(1),
  { kind: 'settled', txHash: '0x1', received: 1n },
  { kind: 'neverExisted', at: SENT },
  { kind: 'failed', txHash: '0x1', reason: 'x' },
  { kind: 'refused', reason: 'x' },
  { kind: 'abandoned', reason: 'x' },
];

/** Weeks of policy decisions at any time, in any state of the account. */
const moment = fc.record({
  wait: fc.integer({ min: 0, max: 6 * 60 * MINUTE }),
  name: fc.constantFrom(...names),
  end: fc.constantFrom(...ends),
  wallet: fc.bigInt({ min: 0n, max: $('9000') }),
  stock: fc.bigInt({ min: 0n, max: $('50') }),
  debt: fc.bigInt({ min: 0n, max: $('40') }),
  free: fc.bigInt({ min: 0n, max: $('2000') }),
  missing: fc.bigInt({ min: -1n, max: $('25') }),
  wish: fc.integer({ min: 0, max: 6 }),
  price: fc.bigInt({ min: 1n, max: $('300') }),
});

test('the policies keep every daily cap, act once per cause, and never next to an open transfer', () => {
  fc.assert(
    fc.property(fc.array(moment, { minLength: 1, maxLength: 60 }), (moments) => {
      const operations: Transfer[] = [];
      const ended = new Map<string, EpochMs>();
      let now = SENT;
      for (const { wait, name, end, wallet, stock, debt, free, missing, wish: intent, price } of moments) {
        now = epochMs(now + wait);
        const at = freshness({
          now,
          freeCash: cash(free),
          tokens: new Map([[USDC, wallet]]),
          transfers: [...operations],
          stocks: new Map([[AAPL, shares(stock)]]),
          debts: new Map([[AAPL, shares(debt)]]),
          priceOf: () => price as never,
          endedAt: ({ id }: Transfer) => ended.get(id),
        });
        const wanted =
          name === 'stockForSells'
            ? wantStock(policies, { intentId: `w${intent}`, symbol: AAPL, missing: shares(missing) }, at)
            : wants[name](at);
        if (!wanted) continue;
        const ofPolicy = operations.filter(({ terms }) => terms.kind === wanted.terms.kind);
        expect(ofPolicy.every(transferHasEnded)).toBe(true);
        const counted = ofPolicy.filter(
          ({ state, plannedAt }) =>
            plannedAt > now - DAY && !['failed', 'refused', 'abandoned'].includes(state.kind),
        );
        const sum = counted.reduce<bigint>((total, { value }) => total + value, wanted.value);
        expect(sum).toBeLessThanOrEqual(caps[name]);
        expect(wanted.terms.amount).toBeGreaterThan(0n);
        expect(wanted.terms.amount).toBeLessThanOrEqual(name === 'cashBuffer' ? wallet : stock);
        if (name === 'repayDebt') expect(wanted.terms.amount).toBeLessThanOrEqual(debt);
        if (name === 'stockForSells') {
          expect(wanted.value).toBeLessThanOrEqual(policies.stockForSells.maxPerOrder);
          expect(operations.map(({ cause }) => cause)).not.toContain(wanted.cause);
        }
        const id = `op-${operations.length + 1}` as TransferId;
        operations.push({ ...begun(wanted, end, now), id });
        if (ends.indexOf(end) >= 4) ended.set(id, now);
      }
    }),
    { numRuns: runs(500) },
  );
});
