import { expect, test } from 'vitest';
import type { BacktestAction, BacktestOptions } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import { formatDecimal } from '../../src/core/amount.ts';
import type { Trade } from '../../src/sim/roundTrips.ts';
import { barsFrom, plainly, strategyOf } from './bars.ts';

/** Sessions of 15, 16, 17, 18 and, after a holiday, 22 June: 80 from the ex-date, the 17th, on. */
const BARS = barsFrom('2026-06-15', [100, 100, 80, 80, 80], '1d');
const ACTIONS: BacktestAction[] = [
  { symbol: 'X', type: 'cash_dividend', exDate: '2026-06-17', payableDate: '2026-06-18', cashPerShare: '20' },
];

/** Buys ten at the open of the 16th, and sells everything at the last close if `sells`. */
async function run(options: Partial<BacktestOptions>, sells = false) {
  let seen = 0;
  const strategy = strategyOf(
    {
      onBar({ order }) {
        seen++;
        if (seen === 1) order.buy('X', { shares: 10 });
        if (seen === 4 && sells) order.target('X', { shares: 0 });
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
  const facts: JournalEntry[] = [];
  const onFact = (entry: JournalEntry) => void facts.push(entry);
  const result = await runBacktest(plainly({ strategy, bars: [BARS], actions: ACTIONS, onFact, ...options }));
  const kinds = facts.map(({ fact }) => fact.kind).filter((kind) => /entitled|paid|difference/i.test(kind));
  return { ...result, equities: result.marks.map(({ equity }) => equity), kinds };
}

test('a dividend in tokens is due from its ex-date and then held as shares, without a jump in equity', async () => {
  const result = await run({ dividends: 'tokens', withheldPercent: 20 });
  // 10 shares at 100; 16 of 20 mUSD a share reach the holder: 160 mUSD, which are 2 shares at 80.
  expect(result.equities).toEqual([10_000, 10_000, 9_960, 9_960, 9_960]);
  expect(result).toMatchObject({ dividends: '160', receivable: '0', pnl: '-40' });
  expect(result.open).toEqual([{ symbol: 'X', quantity: '12' }]);
  expect(result.kinds).toEqual(['entitled', 'paidInTokens']);
  expect(result.events.map(({ kind, text }) => [kind, text])).toEqual([
    ['dividend', '160 mUSD paid as 2 X: cash dividend of X on 2026-06-17, 20 a share'],
  ]);
});

test('a dividend in tokens that is paid on its ex-date is valued at the ex-dividend price', async () => {
  const actions = ACTIONS.map(({ payableDate: _, ...action }) => action);
  const result = await run({ dividends: 'tokens', withheldPercent: 20, actions });
  expect(result.equities).toEqual([10_000, 10_000, 9_960, 9_960, 9_960]);
  expect(result.open).toEqual([{ symbol: 'X', quantity: '12' }]);
});

test('a dividend in tokens on a split day is valued at the price less its amount per new share', async () => {
  const bars = [barsFrom('2026-06-15', [100, 100, 20, 20], '1d')];
  const exDate = '2026-06-17';
  const actions: BacktestAction[] = [
    { symbol: 'X', type: 'forward_split', exDate, oldRate: '1', newRate: '4' },
    { symbol: 'X', type: 'cash_dividend', exDate, cashPerShare: '20' },
  ];
  const result = await run({ dividends: 'tokens', bars, actions });
  // 200 mUSD for ten old shares, at 25 less 5.
  expect(result.equities).toEqual([10_000, 10_000, 10_000, 10_000]);
  expect(result.open).toEqual([{ symbol: 'X', quantity: '50' }]);
});

test('shares received as a dividend enter the round trip at their cost', async () => {
  const result = await run({ dividends: 'tokens', withheldPercent: 20 }, true);
  expect(result).toMatchObject({ pnl: '-40', open: [], trades: 1 });
  const [{ shares, pnl }] = result.tradeList as [Trade];
  expect([shares, formatDecimal(pnl)]).toEqual([12, '-200']);
});

test('shares received as a dividend form a lot at their value', async () => {
  const kept = await run({ dividends: 'tokens', withheldPercent: 20 });
  expect(kept.lots.open.map(({ shares, cost, reason }) => [shares, cost, reason])).toEqual([
    [10, 1_000, ''],
    [2, 160, 'dividend'],
  ]);
  expect(kept.metrics.openGain).toBe(-200);
  const { closed } = (await run({ dividends: 'tokens', withheldPercent: 20 }, true)).lots;
  expect(closed.map(({ shares, pnl, entryReason }) => [shares, pnl, entryReason])).toEqual([
    [10, -200, ''],
    [2, 0, 'dividend'],
  ]);
});

test('a dividend within the price, or net of what is withheld in cash, counts as such', async () => {
  const inPrice = await run({ dividends: 'price' });
  expect(inPrice).toMatchObject({ dividends: '0', receivable: '0', pnl: '-200', events: [], kinds: [] });
  const cash = await run({ withheldPercent: 20 });
  expect(cash).toMatchObject({ dividends: '160', pnl: '-40', kinds: ['entitled', 'paid'] });
  const ofX = await run({ stockDividends: { X: 'tokens' }, withheldPercent: 20 });
  expect(ofX.open).toEqual([{ symbol: 'X', quantity: '12' }]);
  const ids = await Promise.all(
    [{}, { dividends: 'cash', withheldPercent: 0 } as const].map((each) => run(each)),
  );
  expect(new Set(ids.map(({ runId }) => runId)).size).toBe(1);
  expect(new Set([ids[0]?.runId, inPrice.runId, cash.runId]).size).toBe(3);
});

test('a stop moves down by a dividend, or is touched by the fall of the price', async () => {
  const strategy = strategyOf(
    {
      onStart: ({ order }) => void order.buy('X', { shares: 10 }),
      onFill: ({ order, fill }) => {
        if (fill.side === 'buy') order.stop('X', { all: true, stop: 95 });
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
  const kept = await run({ strategy });
  expect(kept).toMatchObject({ open: [], trades: 1 });
  const adjusted = await run({ strategy, exitDividends: 'adjust' });
  expect(adjusted).toMatchObject({ open: [{ symbol: 'X', quantity: '10' }], trades: 0 });
  expect(new Set([kept.runId, adjusted.runId]).size).toBe(2);
  expect((await run({ strategy, exitDividends: 'keep' })).runId).toBe(kept.runId);
});

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

const dividend = (exDate: string, payableDate: string, cashPerShare = '2'): BacktestAction => ({
  symbol: 'X',
  type: 'cash_dividend',
  exDate,
  payableDate,
  cashPerShare,
});

test.each(['cash', 'tokens'] as const)(
  'of two equal dividends in %s, the one that is payable is paid',
  async (way) => {
    const actions = [dividend('2026-06-17', '2026-06-22'), dividend('2026-06-18', '2026-06-18')];
    const { events, receivable } = await run({ dividends: way, actions });
    expect(events.map(({ at, text }) => [dayOf(at), /on (\S+),/.exec(text)?.[1]])).toEqual([
      ['2026-06-18', '2026-06-18'],
      ['2026-06-22', '2026-06-17'],
    ]);
    expect(receivable).toBe('0');
  },
);

test('shares received for one dividend are not taken as payment for all that are due', async () => {
  let seen = 0;
  const strategy = strategyOf(
    {
      onBar({ order }) {
        seen++;
        if (seen === 1) order.buy('X', { shares: 10 });
        if (seen === 3) order.sell('X', { shares: 9.5 });
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
  // 20 mUSD are due for ten shares, and 1 for the remainder: together within the tolerance of the first.
  const actions = [dividend('2026-06-17', '2026-06-22'), dividend('2026-06-22', '2026-06-24')];
  const result = await run({ strategy, actions, dividends: 'tokens' });
  expect(result).toMatchObject({ dividends: '20', receivable: '1' });
});

test('a dividend in tokens on the tiny remainder of a rounded split does not end a backtest', async () => {
  const holder = () => {
    let seen = 0;
    return strategyOf(
      {
        onBar({ order }) {
          seen++;
          if (seen === 1) order.buy('X', { shares: 2 });
          if (seen === 3) order.target('X', { shares: 0 });
        },
      },
      { bars: [{ symbol: 'X', interval: '1d' }] },
    );
  };
  const strategies = ['a', 'b'].map((id) => ({ id, definition: holder() }));
  const bars = [barsFrom('2026-06-15', [100, 100, 300, 300, 300], '1d')];
  const split = { symbol: 'X', type: 'reverse_split', exDate: '2026-06-17', oldRate: '3', newRate: '1' };
  const actions = [split, dividend('2026-06-22', '2026-06-22')];
  const options: BacktestOptions = plainly({ strategies, bars, actions, dividends: 'tokens' });
  const { dividends, open } = await runBacktest(options);
  expect({ dividends, open }).toEqual({ dividends: '0', open: [] });
});

test('a dividend in tokens is booked after an order in flight on its stock has ended', async () => {
  const strategy = strategyOf(
    {
      onStart: ({ order }) => void order.buy('X', { shares: 10 }),
      onFill: ({ order, fill }) => {
        if (fill.side === 'buy') order.stop('X', { all: true, stop: 95 });
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
  // Touched in the last minute of the 17th, sold at the open of the 18th.
  const bars = [barsFrom('2026-06-15', [100, 100, [100, 100, 90, 100], 100, 100], '1d')];
  const actions = [dividend('2026-06-18', '2026-06-18')];
  const result = await run({ strategy, bars, actions, dividends: 'tokens', latencyMs: 60_000 });
  expect(result.fills.map(({ side }) => side)).toEqual(['buy', 'sell']);
  expect(result).toMatchObject({ dividends: '20', receivable: '0' });
  expect(result.events.map(({ at }) => dayOf(at))).toEqual(['2026-06-22']);
});
