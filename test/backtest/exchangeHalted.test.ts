import { describe, expect, test } from 'vitest';
import type { BacktestBars, BacktestOptions } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { backtestText } from '../../src/cli/commands/backtest/summary.ts';
import type { Orders, StrategyHooks } from '../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf } from './bars.ts';

const terminal = { colour: false, out: () => undefined, err: () => undefined };
const NO_PRICE = 'X had no price in the session of … that it was for: halted, or without data';

/** Removes the bars at these places. */
function without(bars: BacktestBars, ...places: readonly number[]): BacktestBars {
  const cut = (column: Float64Array) => column.filter((_, index) => !places.includes(index));
  const { symbol, interval, start, open, high, low, close, volume } = bars;
  const prices = { open: cut(open), high: cut(high), low: cut(low), close: cut(close) };
  return { symbol, interval, start: cut(start), ...prices, volume: cut(volume) };
}

const days = (symbol: string) => ({ ...barsFrom('2026-06-15', [100, 102, 95, 90, 90], '1d'), symbol });
/** Halted on the third day, 2026-06-17. */
const halted = without(days('X'), 2);

/** Acts once, on the close of the second day. */
function acting(act: (order: Orders) => void, more: StrategyHooks = {}) {
  let seen = 0;
  return strategyOf(
    {
      ...more,
      onBar({ order }) {
        if (++seen === 2) act(order);
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
}

const run = (act: (order: Orders) => void, more: Partial<BacktestOptions> = {}, hooks?: StrategyHooks) =>
  runBacktest(plainly({ strategy: acting(act, hooks), bars: [halted, days('Y')], ...more }));

describe('an order for a symbol that is halted in the session', () => {
  const orders: readonly (readonly [string, (order: Orders) => void])[] = [
    ['market', (order) => order.buy('X', { shares: 10 })],
    ['market by notional', (order) => order.buy('X', { notional: '1000' })],
    ['target', (order) => order.target('X', { weight: 0.5 })],
    [
      'limit of the day',
      (order) => order.limit('X', { side: 'buy', shares: 10, price: 110, goodTill: 'day' }),
    ],
  ];
  const others = [[days('Y')], []] as const;
  const cases = orders.flatMap(([what, act]) =>
    others.flatMap((beside) =>
      (['venue', 'next-open', 'close'] as const).map((fill) => ({ what, act, beside, fill })),
    ),
  );

  test.each(cases)(
    'of kind "$what" is dropped at its end, fill $fill, with $beside.length other symbols',
    async ({ act, beside, fill }) => {
      const heard: string[] = [];
      const hooks: StrategyHooks = { onOrder: ({ update }) => void heard.push(update.status) };
      const result = await run(act, { bars: [halted, ...beside], fill }, hooks);
      expect(result.fills).toEqual([]);
      expect(result.dropped).toEqual({ [NO_PRICE]: 1 });
      expect(result.orders.dropped).toBe(1);
      expect(heard.at(-1)).toBe('dropped');
      expect(backtestText(result, terminal)).toContain(`\ndropped  1: ${NO_PRICE}\n`);
    },
  );

  test('good till cancelled waits for the next session with prices', async () => {
    const { fills, dropped } = await run((order) =>
      order.limit('X', { side: 'buy', shares: 10, price: 110, goodTill: 'cancelled' }),
    );
    expect({ dropped, fills: fills.map(({ price }) => price) }).toEqual({ dropped: {}, fills: [90] });
  });

  test('at the market already expires at the close', async () => {
    const minutes = barsFrom('2026-06-15', [100, 100, 100, 100, 100, 100], '5m');
    const next = barsFrom('2026-06-16', [90, 90], '5m');
    const join = (key: 'start' | 'open' | 'high' | 'low' | 'close' | 'volume') =>
      Float64Array.from([...minutes[key], ...next[key]]);
    const bars: BacktestBars = {
      symbol: 'X',
      interval: '5m',
      start: join('start'),
      open: join('open'),
      high: join('high'),
      low: join('low'),
      close: join('close'),
      volume: join('volume'),
    };
    let seen = 0;
    const strategy = strategyOf(
      {
        onBar({ order }) {
          if (++seen === 6) order.buy('X', { shares: 10 });
        },
      },
      { bars: [{ symbol: 'X', interval: '5m' }] },
    );
    const { fills, orders: counts } = await runBacktest(plainly({ strategy, bars: [bars] }));
    expect(fills).toEqual([]);
    expect(counts).toMatchObject({ sent: 1, expired: 1, filled: 0 });
  });

  test('an order before the first price of a symbol is dropped', async () => {
    const late = without(days('X'), 0, 1, 2);
    const strategy = strategyOf(
      { onStart: ({ order }) => order.buy('X', { shares: 10 }) },
      { bars: [{ symbol: 'Y', interval: '1d' }], quotes: ['X'] },
    );
    const result = await runBacktest(plainly({ strategy, bars: [days('Y'), late] }));
    expect([result.fills, result.dropped]).toEqual([[], { [NO_PRICE]: 1 }]);
  });
});
