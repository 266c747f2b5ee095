import { describe, expect, test } from 'vitest';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { backtestText } from '../../src/cli/commands/backtest/summary.ts';
import rebalance from '../../strategies/rebalance.ts';
import { barsFrom, plainly, strategyOf, type Row } from './bars.ts';

const LATE = 'the session closed before its sells had brought the money';
const terminal = { colour: false, out: () => undefined, err: () => undefined };

/** Two stocks that swap places each day, so that the proceeds of one are spent on the other. */
const [rising, falling] = [
  [100, 140, 60, 130],
  [130, 140, 60, 100],
] as const;
const days = (symbol: string, first: Row, second: Row) => ({
  ...barsFrom(
    '2026-06-15',
    Array.from({ length: 20 }, (_, day) => (day % 2 === 0 ? first : second)),
    '1d',
  ),
  symbol,
});
const bars = [days('X', rising, falling), days('Y', falling, rising)];
const weights = { X: 0.5, Y: 0.5 };

describe('a rebalance on daily bars, whose sells fill at the close', () => {
  test.each(['venue', 'next-open', 'close'] as const)(
    'drops its buys of that day, and says how many and why: %s',
    async (fill) => {
      const params = { weights, band: 0.01 };
      const result = await runBacktest(plainly({ strategy: rebalance, params, bars, fill }));
      expect(result.orders.dropped).toBeGreaterThan(5);
      expect(result.dropped).toEqual({ [LATE]: result.orders.dropped });
      expect(backtestText(result, terminal)).toContain(`\ndropped  ${result.orders.dropped}: ${LATE}\n`);
    },
  );

  test('fills them at the next open if they may wait', async () => {
    const strategy = strategyOf(
      { onTimer: ({ order }) => order.rebalance(weights, { band: 0.01 }) },
      { quotes: ['X', 'Y'], timers: [{ name: 'look', at: 'open+15m' }] },
    );
    const { orders, dropped, fills } = await runBacktest(plainly({ strategy, bars }));
    expect({ dropped, count: orders.dropped }).toEqual({ dropped: {}, count: 0 });
    expect(fills.filter(({ at }) => bars[0]?.start.includes(at)).length).toBeGreaterThan(5);
  });
});

test('drop reasons are counted without their amounts, the most frequent first', async () => {
  let bar = 0;
  const strategy = strategyOf(
    {
      onBar({ order }) {
        bar++;
        order.sell('X', { shares: bar });
        if (bar < 9) order.buy('X', { shares: 1_000 + bar });
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
  const result = await runBacktest(plainly({ strategy, bars: [days('X', 100, 101)], fill: 'close' }));
  expect(result.dropped).toEqual({ '… X to sell, … free': 19, 'needs … mUSD, has … free': 8 });
  expect(backtestText(result, terminal)).toContain(
    '\ndropped  19: … X to sell, … free\n         8: needs … mUSD, has … free\n',
  );
});

test('a sell of stock in the wallet is dropped, because a backtest has none', async () => {
  let bar = 0;
  const strategy = strategyOf(
    {
      onBar({ order }) {
        if (bar++ === 0) order.sell('X', { shares: 2, depositFirst: true });
        else order.sell('X', { shares: 2, deferred: true });
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
  const { orders, dropped } = await runBacktest(plainly({ strategy, bars: bars.slice(0, 1) }));
  expect(orders.planned).toBe(0);
  expect(orders.dropped).toBeGreaterThan(10);
  expect(Object.keys(dropped).sort()).toEqual([
    expect.stringMatching(/a simulated account has neither/),
    expect.stringMatching(/X to sell, .* free/),
  ]);
});

describe('the hints for a strategy that trades less than intended', () => {
  const played = (hooks: Parameters<typeof strategyOf>[0]) =>
    runBacktest(plainly({ strategy: strategyOf(hooks, { quotes: ['X', 'Y'] }), bars }));

  test('name a strategy that never decides', async () => {
    const result = await played({});
    expect(result).toMatchObject({ notReached: 0, hints: [expect.stringMatching(/^test decided nothing/)] });
    expect(backtestText(result, terminal)).toContain(
      '\nhint     test decided nothing: it never called order',
    );
  });

  test('count targets that were not reached for lack of cash', async () => {
    const result = await played({
      onQuote({ order, symbol }) {
        if (symbol === 'X') order.rebalance({ X: 1 }, { rest: 'keep' });
        else order.rebalance({ Y: 1 }, { rest: 'keep' });
      },
    });
    expect(result.notReached).toBeGreaterThan(5);
    expect(result.strategies).toMatchObject([{ notReached: result.notReached }]);
    expect(result.hints).toEqual([
      expect.stringMatching(`^${result.notReached} targets of test not reached: no cash was left`),
    ]);
  });

  test('count sells of shares that it does not hold', async () => {
    const { hints } = await played({ onQuote: ({ order }) => order.sell('X', { shares: 1 }) });
    expect(hints).toEqual([expect.stringMatching(/^\d+ sells of test dropped: it held fewer shares/)]);
  });
});

test('the buys of a rebalance wait for the sale of what is still being bought', async () => {
  const weights = [{ X: 1 }, { Y: 1 }, { X: 1 }, { Y: 1 }];
  const strategy = strategyOf(
    {
      onBar({ bar, order }) {
        const next = bar.symbol === 'Y' ? weights.shift() : undefined;
        if (next) order.rebalance(next, { rest: 'sell' });
      },
    },
    { bars: ['X', 'Y'].map((symbol) => ({ symbol, interval: '1d' as const })) },
  );
  const bars = ['X', 'Y'].map((symbol) => days(symbol, 100, 100));
  const given = plainly({ strategy, bars, fill: 'venue', slippage: 'none' });
  const { fills, notReached } = await runBacktest(given);
  // A buy is known some seconds after the close at which it fills, and the next weights come at exactly that close.
  expect(fills.map(({ side, symbol }) => `${side} ${symbol}`)).toEqual([
    'buy X', 'sell X', 'buy Y', 'sell Y', 'buy X', 'sell X', 'buy Y',
  ]); // prettier-ignore
  expect(notReached).toBe(0);
});
