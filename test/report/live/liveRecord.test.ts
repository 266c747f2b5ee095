import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { formatDecimal, parseDecimal, toNumber } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { DOCUMENTED_FEES } from '../../../src/domain/fees.ts';
import { UNALLOCATED } from '../../../src/domain/account/ledger.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { journalState } from '../../../src/ops/model/journalState.ts';
import { accountValues } from '../../../src/engine/state/exposure.ts';
import { moneyOf } from '../../../src/ops/model/money.ts';
import type { RunRecord } from '../../../src/report/runRecord.ts';
import { runRecord } from '../../../src/report/runRecord.ts';
import { someDay } from '../../domain/account/someDay.ts';
import { AAPL } from '../../domain/orders.ts';
import { LiveDays, recordOf, someYear } from './liveJournal.ts';
import { runs } from '../../runs.ts';

const RULES = {
  limits: {},
  ownLimits: new Map(),
  fees: DOCUMENTED_FEES,
  collarBps: 50,
  deadlineMs: 90_000,
} as never;

const signed = (text: string): bigint => parseDecimal(text, { signed: true });
const sum = (texts: readonly string[]): bigint => texts.reduce((total, text) => total + signed(text), 0n);

/** Compares a record with the account state, as `drover status` computes it, to the last digit. */
function expectBooks(record: RunRecord, entries: readonly JournalEntry[]): void {
  const { context } = journalState(
    { entries: () => entries },
    { calendar: tradingCalendar, rules: RULES, now: epochMs(0) },
  );
  const { accountState } = context;
  const money = moneyOf(context, accountValues(context, []));
  const { totals, fills } = record;
  expect(totals.equity.end).toBe(money.equity);
  expect(totals.pnl).toBe(money.pnl.total);
  expect(totals.fees).toBe(money.pnl.fees);
  expect(totals.equity.start).toBe(formatDecimal(accountState.opened?.equity ?? 0n));
  expect(signed(totals.equity.end)).toBe(
    signed(totals.equity.start) + signed(totals.pnl) + signed(totals.flows ?? ''),
  );
  expect(totals.orders['planned']).toBe(accountState.orders.size);
  expect(fills).toHaveLength(
    [...accountState.orders.values()].filter(({ state }) => state.kind === 'closed' && state.settlement)
      .length,
  );
  for (const own of money.strategies)
    expect(totals.strategies).toContainEqual(
      expect.objectContaining({
        id: own.id,
        realisedPnl: own.pnl.realised,
        unrealisedPnl: own.pnl.unrealised,
        pnl: own.pnl.total,
        fees: own.pnl.fees,
      }),
    );
  expect(totals.unallocated?.pnl).toBe(money.unallocated.pnl.total);
  for (const { symbol, quantity } of totals.open)
    expect(quantity).toBe(formatDecimal(accountState.ledger.total(symbol as typeof AAPL)));
  expect(sum((totals.symbols ?? []).map(({ pnl }) => pnl))).toBe(
    sum((totals.strategies ?? []).map(({ pnl }) => pnl)),
  );
  const last = record.marks.at(-1);
  if (last) {
    expect(last.equity).toBe(toNumber(signed(money.equity)));
    expect(last.cash).toBe(toNumber(signed(money.cash)));
    if (money.strategies.length > 1)
      expect(last.earned).toEqual(
        Object.fromEntries(money.strategies.map(({ id, pnl }) => [id, toNumber(signed(pnl.total))])),
      );
  }
  expect(runRecord.parse(record)).toEqual(record);
}

describe('the record of a journal equals its ledger to the last digit', () => {
  test('with dividends, a split, transfers, a write-off and stock held before', () => {
    const { entries } = someYear();
    const record = recordOf(entries);
    expectBooks(record, entries);
    expect(record.marks.map(({ date, flow }) => [date, flow])).toEqual([
      ['2026-01-05', undefined],
      ['2026-01-06', 40_000],
      ['2026-01-07', 100],
      ['2026-01-08', -300],
    ]);
    expect(record.totals).toMatchObject({ dividends: '6', writtenOff: '408', flows: '39800' });
    expect(record.events.map(({ kind }) => kind)).toEqual([
      'deposit',
      'split',
      'stock in',
      'dividend',
      'withdrawal',
      'writeOff',
    ]);
  });

  test('on any day of two strategies', () => {
    fc.assert(
      fc.property(someDay, (entries) => expectBooks(recordOf(entries), entries)),
      { numRuns: runs(40) },
    );
  });

  test('for each strategy', () => {
    const { entries } = someYear();
    const all = recordOf(entries);
    for (const own of all.totals.strategies ?? []) {
      const { totals } = recordOf(entries, own.id);
      expect(totals.pnl).toBe(own.pnl);
      expect(totals.fees).toBe(own.fees);
      expect(signed(totals.equity.end)).toBe(
        signed(totals.equity.start) + signed(totals.pnl) + signed(totals.flows ?? ''),
      );
    }
  });

  test('with a deferred sell, whose proceeds are capital and no trade', () => {
    const days = new LiveDays().quote({ AAPL: '100' }).open('1000').allocate('1000');
    days.add({ kind: 'walletOpened', tokens: [], stocks: [[AAPL, parseDecimal('5') as never]] });
    days.add({ kind: 'debtsOpened', debts: [] }).opens('2026-01-05').on('2026-01-05');
    days.trade({ side: 'sell', quantity: '5', price: '100', fee: '0.05', deferred: true });
    const { entries } = days.closes('2026-01-05');
    const record = recordOf(entries);
    expectBooks(record, entries);
    expect(record.totals).toMatchObject({ pnl: '0', flows: '499.95', trades: 0 });
    expect(record.metrics['totalReturn']).toBeCloseTo(0, 12);
  });

  test('with a price from before a split', () => {
    const days = new LiveDays().quote({ AAPL: '100' }).open('1000').allocate('1000').opens('2026-01-05');
    days.on('2026-01-05').trade({ side: 'buy', quantity: '5', price: '100' });
    days.closes('2026-01-05');
    const { entries } = days.on('2026-01-06', '04:00').split(1n, 4n).opens('2026-01-06').closes('2026-01-06');
    const record = recordOf(entries);
    expectBooks(record, entries);
    expect(record.marks.map(({ equity }) => equity)).toEqual([1000, 1000]);
  });

  test('with a trade that the chain has undone', () => {
    const days = new LiveDays().quote({ AAPL: '100' }).open('1000').allocate('1000').opens('2026-01-05');
    const buy = { side: 'buy', quantity: '3', price: '100' } as const;
    const undone = days.on('2026-01-05', '10:00').trade(buy);
    days.reopen(undone);
    const { entries } = days.quote({ AAPL: '120' }).closes('2026-01-05');
    const record = recordOf(entries);
    expectBooks(record, entries);
    expect(record.fills).toEqual([]);
  });
});

test('deposits and withdrawals are neither profit nor drawdown', () => {
  const days = new LiveDays().quote({ AAPL: '100' }).open('1000').allocate('1000');
  days.opens('2026-01-05').on('2026-01-05').trade({ side: 'buy', quantity: '5', price: '100' });
  days.quote({ AAPL: '110' }).closes('2026-01-05');
  days.opens('2026-01-06').on('2026-01-06').transfer('cashDeposit', { amount: '9000' }).closes('2026-01-06');
  days.opens('2026-01-07').on('2026-01-07').transfer('cashWithdrawal', { amount: '8000' });
  const { metrics, totals } = recordOf(days.closes('2026-01-07').entries);
  expect(totals).toMatchObject({ pnl: '50', flows: '1000' });
  expect(metrics['totalReturn']).toBeCloseTo(0.05, 12);
  expect(metrics['maxDrawdown']).toBe(0);
});

test('returns are measured around a large deposit within a session', () => {
  const days = new LiveDays().quote({ AAPL: '100' }).open('1000').allocate('1000');
  days.opens('2026-01-05').on('2026-01-05').trade({ side: 'buy', quantity: '5', price: '100' });
  days.quote({ AAPL: '110' }).closes('2026-01-05');
  days.opens('2026-01-06').on('2026-01-06').quote({ AAPL: '120' });
  days.transfer('cashDeposit', { amount: '9000' });
  const record = recordOf(days.on('2026-01-06', '15:00').quote({ AAPL: '130' }).closes('2026-01-06').entries);
  // 1000 to 1050; to 1100 before 9000 came; 10100 to 10150 after it. Over 1050 alone the day would have made 9.5 %.
  expect(record.marks.map(({ flow, flowEquities }) => [flow, flowEquities])).toEqual([
    [undefined, undefined],
    [9000, [{ before: 1100, after: 10_100 }]],
  ]);
  expect(record.metrics['totalReturn']).toBeCloseTo(1.1 * (10_150 / 10_100) - 1, 12);
  expect(record.metrics['worstDay']).toBeCloseTo(0.05, 12);
  expect(record.totals).toMatchObject({ pnl: '150', flows: '9000' });
});

test('returns of a strategy begin with the first session at which it has capital', () => {
  const days = new LiveDays().quote({ AAPL: '100' }).open('10000').allocate('0');
  days.opens('2026-01-05').closes('2026-01-05').on('2026-01-06', '09:00').allocate('1000');
  days.opens('2026-01-06').on('2026-01-06').trade({ side: 'buy', quantity: '10', price: '100' });
  days.quote({ AAPL: '110' }).closes('2026-01-06');
  const record = recordOf(days.entries, 'alpha');
  expect(record.marks.map(({ date, equity, flow }) => [date, equity, flow])).toEqual([
    ['2026-01-06', 1100, undefined],
  ]);
  expect(record.metrics['totalReturn']).toBeCloseTo(0.1, 12);
  expect(record.totals).toMatchObject({ pnl: '100', equity: { start: '1000', end: '1100' } });
});

test('returns of a strategy that has given all its capital back go on once it has some again', () => {
  const days = new LiveDays().quote({ AAPL: '100' }).open('10000').allocate('1000');
  days.opens('2026-01-05').on('2026-01-05').trade({ side: 'buy', quantity: '10', price: '100' });
  days.trade({ side: 'sell', quantity: '10', price: '90' });
  days
    .closes('2026-01-05')
    .on('2026-01-06', '09:00')
    .allocate('-900')
    .opens('2026-01-06')
    .closes('2026-01-06');
  days.on('2026-01-07', '09:00').allocate('900').opens('2026-01-07').on('2026-01-07');
  days.trade({ side: 'buy', quantity: '9', price: '100' });
  days.quote({ AAPL: '120' }).closes('2026-01-07');
  const { metrics, marks, totals } = recordOf(days.entries, 'alpha');
  expect(marks.map(({ equity }) => equity)).toEqual([900, 0, 1080]);
  // 1000 to 900, nothing, and 900 to 1080.
  expect(metrics['totalReturn']).toBeCloseTo(0.9 * 1.2 - 1, 12);
  expect(totals.pnl).toBe('80');
});

test('lots of a strategy that started later have excursions from the closes since its start', () => {
  const days = new LiveDays().quote({ AAPL: '200' }).open('10000').allocate('1000');
  for (const day of ['05', '06']) days.opens(`2026-01-${day}`).closes(`2026-01-${day}`);
  days.on('2026-01-07', '09:00').quote({ AAPL: '100' }).allocate('1000', 'beta').opens('2026-01-07');
  days.on('2026-01-07').trade({ side: 'buy', quantity: '5', price: '100', strategyId: 'beta' });
  days.closes('2026-01-07').opens('2026-01-08').quote({ AAPL: '90' }).closes('2026-01-08');
  days.opens('2026-01-09').quote({ AAPL: '110' }).on('2026-01-09');
  days.trade({ side: 'sell', quantity: '5', price: '110', strategyId: 'beta' });
  days.closes('2026-01-09');
  const [lot] = recordOf(days.entries, 'beta').lotTrades ?? [];
  expect([lot?.mae, lot?.mfe]).toEqual([expect.closeTo(-0.1, 12), expect.closeTo(0.1, 12)]);
});

test('the profit of a round trip is that of its fills and of the stock moved in', () => {
  const [trade, ...others] = recordOf(someYear().entries, 'alpha').trades;
  // 10 at 100 with 1.1 in fees, 40 after the split; 4 moved in, worth 100; sold 16 at 25 and 28 at 26.
  expect(others).toEqual([]);
  expect(trade).toMatchObject({ strategy: 'alpha', symbol: 'AAPL', shares: 44, exitReason: 'test' });
  expect(trade?.pnl).toBeCloseTo(16 * 25 - 0.04 + 28 * 26 - 0.0728 - 1001.1 - 100, 9);
  expect(trade?.entryPrice).toBeCloseTo(25, 12);
  // The close at 99 of before the split is 24.75 a share, and 27.5 the highest.
  expect(trade?.mae).toBeCloseTo(24.75 / 25 - 1, 9);
  expect(trade?.mfe).toBeCloseTo(27.5 / 25 - 1, 9);
});

test('a day without a close ends where the journal ends', () => {
  const days = new LiveDays().quote({ AAPL: '100' }).open('1000').allocate('1000').opens('2026-01-05');
  days.on('2026-01-05').trade({ side: 'buy', quantity: '5', price: '100' });
  days.on('2026-01-05', '13:00').quote({ AAPL: '104' });
  const record = recordOf(days.entries);
  expectBooks(record, days.entries);
  expect(record.marks).toMatchObject([{ date: '2026-01-05', at: days.at, equity: 1020 }]);
  expect(record.run.to).toBe('2026-01-05T18:00:00Z');
});

test('a decision has the price known at the time, in shares of today', () => {
  const days = new LiveDays()
    .quote({ AAPL: '100', MSFT: '1' })
    .open('1000')
    .allocate('1000')
    .quote({ AAPL: '101' });
  days.trade({ side: 'buy', quantity: '1', price: '100.5' });
  const order = days.entries.find(({ fact }) => fact.kind === 'planned');
  const intent = {
    id: 'w1',
    strategyId: 'alpha',
    symbol: AAPL,
    terms: { kind: 'buyShares', quantity: parseDecimal('1') as never },
    reason: 'dip',
    at: days.at,
    notBefore: days.at,
    outside: 'wait',
    after: [],
  } as const;
  const place = days.entries.indexOf(order as JournalEntry);
  const entries = days.entries.toSpliced(place, 0, { at: days.at, fact: { kind: 'intentCreated', intent } });
  const later = entries.concat({ at: days.at, fact: { kind: 'quotes', prices: [[AAPL, 7n as never]] } });
  const record = recordOf(later);
  expect(record.fills).toMatchObject([{ decisionPrice: 101, price: 100.5, decidedAt: days.at }]);
  expect(record.decisions).toMatchObject([{ side: 'buy', price: 101, terms: 'buy 1 AAPL', end: null }]);
  expect(record.orderList).toMatchObject([{ decision: 'w1', state: 'filled', type: 'limit', why: '' }]);
});

test('an empty journal has a record without marks', () => {
  const { marks, totals, fills } = recordOf([]);
  expect([marks, fills, totals.equity, totals.pnl]).toEqual([[], [], { start: '0', end: '0' }, '0']);
});

test('stock bought by a manual order is a round trip of "unallocated"; stock held before is in none', () => {
  const days = new LiveDays().quote({ AAPL: '100' }).open('1000', [[AAPL, '2', '100']]);
  days.trade({ side: 'buy', quantity: '1', price: '100', strategyId: UNALLOCATED });
  days.trade({ side: 'sell', quantity: '3', price: '120', strategyId: UNALLOCATED });
  const record = recordOf(days.entries);
  expectBooks(record, days.entries);
  expect(record.trades).toMatchObject([{ strategy: 'unallocated', shares: 1, pnl: 20 }]);
});

describe('the marks of a journal', () => {
  /** Ten AAPL at 100 of an account of 10,000, which close at 103 on the last session of December. */
  const december = () => {
    const days = new LiveDays('2025-12-31').on('2025-12-31', '09:29');
    days.open('10000').allocate('10000').opens('2025-12-31');
    days.trade({ side: 'buy', quantity: '10', price: '100' });
    return days.quote({ AAPL: '103' }).closes('2025-12-31');
  };
  const marksOf = ({ marks }: RunRecord) => marks.map(({ date, equity }) => [date, equity]);

  test('keep the close of a session when a later price comes, which counts for its own day', () => {
    const days = december();
    const closed = recordOf(days.entries);
    const [close = NaN] = closed.marks.map(({ equity }) => equity);
    days.on('2026-01-02', '08:00').quote({ AAPL: '101' });
    const later = recordOf(days.entries);
    expect(marksOf(later)).toEqual([
      ['2025-12-31', close],
      ['2026-01-02', close - 20],
    ]);
    expect(later.run.sessions).toBe(1);
    expect(later.totals.equity.end).toBe(formatDecimal(parseDecimal(String(close - 20))));
    days.opens('2026-01-02').quote({ AAPL: '104' }).closes('2026-01-02');
    expect(marksOf(recordOf(days.entries))).toEqual([
      ['2025-12-31', close],
      ['2026-01-02', close + 10],
    ]);
  });

  test('do not grow if nothing has changed since the close', () => {
    const days = december();
    const closed = recordOf(days.entries);
    days.on('2025-12-31', '16:05').add({ kind: 'stopping' });
    expect(marksOf(recordOf(days.entries))).toEqual(marksOf(closed));
  });

  test('have a dividend from its ex-date on, and the record states the amount due', () => {
    const days = december();
    const [close = NaN] = recordOf(days.entries).marks.map(({ equity }) => equity);
    days.opens('2026-01-02');
    const id = days.entitle('2', '2026-01-05');
    days.quote({ AAPL: '101' }).closes('2026-01-02');
    const due = recordOf(days.entries, 'alpha');
    expect(marksOf(due)).toEqual([
      ['2025-12-31', close],
      ['2026-01-02', close],
    ]);
    expect(due.totals).toMatchObject({ receivable: '20', dividends: '0', equity: { end: String(close) } });
    days.opens('2026-01-05').pay(id).closes('2026-01-05');
    const paid = recordOf(days.entries, 'alpha');
    expect(marksOf(paid).at(-1)).toEqual(['2026-01-05', close]);
    expect(paid.totals).toMatchObject({ receivable: '0', dividends: '20', pnl: due.totals.pnl });
  });

  test('of an old journal leave a dividend out until it is paid, as its decisions did', () => {
    const days = december();
    const [close = NaN] = recordOf(days.entries).marks.map(({ equity }) => equity);
    days.opens('2026-01-02').entitle('2', '2026-01-05');
    days.quote({ AAPL: '101' }).closes('2026-01-02');
    const before = days.entries.map((entry): JournalEntry => {
      if (entry.fact.kind !== 'entitled') return entry;
      const { receivable: _, ...fact } = entry.fact;
      return { ...entry, fact };
    });
    expect(marksOf(recordOf(before)).at(-1)).toEqual(['2026-01-02', close - 20]);
  });
});

test('a record counts calls of `order` that could not be taken as dropped, as a run and a backtest do', () => {
  const days = someYear();
  const refusal = { symbol: AAPL, reason: '', call: 'trail', side: 'sell', code: 'NO_SHARES' } as const;
  days.add({
    ...refusal,
    kind: 'intentRefused',
    strategyId: 'beta',
    id: 'beta-9',
    why: '3 to protect, 1 held',
  });
  const { totals } = recordOf(days.entries);
  expect(totals.orders['dropped']).toBe(1);
  expect(totals.dropped).toEqual({ '… to protect, … held': 1 });
  expect(totals.strategies?.map(({ id, orders }) => [id, orders['dropped']])).toEqual([
    ['alpha', 0],
    ['beta', 1],
  ]);
  expect(recordOf(days.entries, 'alpha').totals.orders['dropped']).toBe(0);
});
