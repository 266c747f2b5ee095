import { describe, expect, test } from 'vitest';
import type { BacktestOptions } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { HookContext, OrderView } from '../../src/strategy/index.ts';
import rebalance from '../../strategies/rebalance.ts';
import { barsFrom, plainly, strategyOf, type Row } from './bars.ts';

const DAY = '2026-06-15';
/** The next session of DAY opens here. */
const NEXT_OPEN = Date.parse('2026-06-16T13:30:00Z');
const OPEN = Date.parse('2026-06-15T13:30:00Z');
const MINUTE = 60_000;

type Act = (context: HookContext) => void;

/** Calls one act after each bar of a given number, counted from 0. */
function acting(acts: Readonly<Record<number, Act>>, updates: OrderView[] = []) {
  let bar = -1;
  return strategyOf({
    onBar(context) {
      bar++;
      acts[bar]?.(context);
    },
    onOrder: ({ update }) => void updates.push(update),
  });
}

const run = (
  rows: readonly Row[],
  acts: Readonly<Record<number, Act>>,
  options: Partial<BacktestOptions> = {},
) => runBacktest(plainly({ strategy: acting(acts), bars: [barsFrom(DAY, rows)], ...options }));

const buy: Act = ({ order }) => order.buy('X', { shares: 10 });
const sell: Act = ({ order }) => order.sell('X', { all: true });
const limitBuy =
  (price: number, shares = 10): Act =>
  ({ order }) =>
    order.limit('X', { side: 'buy', shares, price });

const shortly = ({ fills }: Awaited<ReturnType<typeof run>>) =>
  fills.map(({ at, side, shares, price }) => [at, side, shares, price]);

describe('a market order under fill: next-open', () => {
  test('fills the exact shares at the open of the next bar', async () => {
    const result = await run([100, [101.1234, 102, 101, 102], 103], { 0: buy });
    expect(shortly(result)).toEqual([[OPEN + MINUTE, 'buy', 10, 101.1234]]);
    expect(result.pnl).toBe('18.766');
    expect(result.open).toEqual([{ symbol: 'X', quantity: '10' }]);
  });

  test('of the last bar fills at the open of the next session', async () => {
    const rows = Array.from({ length: 392 }, (_, index) => 100 + index);
    const result = await run(rows, { 389: buy });
    expect(shortly(result)).toEqual([[NEXT_OPEN, 'buy', 10, 490]]);
  });

  test('pays the open, even above the quote at its decision', async () => {
    expect(shortly(await run([100, 150], { 0: buy }))).toEqual([[OPEN + MINUTE, 'buy', 10, 150]]);
  });

  test('is rejected where the cash does not pay the open', async () => {
    const { orders, fills, equity } = await run([100, 150], { 0: buy }, { cash: '1200' });
    expect({ ...orders, fills }).toMatchObject({ planned: 1, sent: 1, rejected: 1, filled: 0, fills: [] });
    expect(equity.end).toBe('1200');
  });

  test('counts in a round trip with excursions and fees on both sides', async () => {
    const rows: Row[] = [100, [100, 104, 98, 101], [101, 110, 99, 108], [107, 300, 1, 107]];
    const result = await run(rows, { 0: buy, 2: sell }, { fees: 'bps:10' });
    const [trade] = result.tradeList;
    expect(result.trades).toBe(1);
    expect(trade).toMatchObject({ entryPrice: 100, exitPrice: 107, shares: 10, bars: 2, fees: 2.07 });
    expect(trade?.mae).toBeCloseTo(-0.02, 12);
    expect(trade?.mfe).toBeCloseTo(0.1, 12);
    expect(result.pnl).toBe('67.93');
  });
});

describe('a limit order', () => {
  test.each([
    ['reaches it', [100, [99, 99, 95, 97]], 96, 96],
    ['opens below it', [100, [94, 99, 93, 97]], 96, 94],
    ['stays above it', [100, [99, 99, 96.01, 97]], 96, null],
  ] as const)('fills when the price %s', async (...[, rows, price, filled]) => {
    const result = await run(rows, { 0: limitBuy(price) });
    expect(result.fills.map((fill) => fill.price)).toEqual(filled === null ? [] : [filled]);
  });

  test.each([
    ['touch', 95, 1],
    ['through', 95, 0],
    ['through', 95.01, 1],
  ] as const)('under limitFill: %s at a limit of %f fills or not', async (limitFill, price, count) => {
    const { fills } = await run([100, [99, 99, 95, 97]], { 0: limitBuy(price) }, { limitFill });
    expect(fills).toHaveLength(count);
  });

  test('expires at the close, before the last bar is shown', async () => {
    const seen: number[] = [];
    const rows: Row[] = [...Array.from({ length: 391 }, () => 100), [50, 50, 50, 50] as const];
    const acts: Record<number, Act> = { 0: limitBuy(90), 389: ({ view }) => seen.push(view.orders().length) };
    const { orders, fills } = await run(rows, acts);
    expect(seen).toEqual([0]);
    expect(orders).toMatchObject({ expired: 1, filled: 0 });
    expect(fills).toEqual([]);
  });

  test('good till cancelled is placed again in the next session', async () => {
    const rows: Row[] = [...Array.from({ length: 391 }, () => 100), [89, 89, 89, 89] as const];
    const standing: Act = ({ order }) =>
      order.limit('X', { side: 'buy', shares: 10, price: 90, goodTill: 'cancelled' });
    const { orders, fills } = await run(rows, { 0: standing });
    expect(orders).toMatchObject({ planned: 2, expired: 1, filled: 1 });
    expect(fills).toMatchObject([{ price: 89, at: NEXT_OPEN + MINUTE }]);
  });

  test('that is cancelled does not fill', async () => {
    const cancel: Act = ({ order }) => order.cancel({ symbol: 'X' });
    const { orders } = await run([100, 100, 80], { 0: limitBuy(90), 1: cancel });
    expect(orders).toMatchObject({ cancelled: 1, filled: 0 });
  });
});

describe('the volume cap', () => {
  test('lets a market order continue at later opens, and a limit order end partly filled', async () => {
    const rows: Row[] = [[100, 100, 100, 100, 40], [101, 101, 101, 101, 40], [102, 102, 102, 102, 80], 103];
    const result = await run(rows, { 0: buy }, { volumeCap: 0.1 });
    expect(result.fills).toMatchObject([{ shares: 10, at: OPEN + 2 * MINUTE }]);
    expect(result.fills[0]?.price).toBeCloseTo((4 * 101 + 6 * 102) / 10, 12);
    const rest = await run([100, [90, 90, 90, 90, 50]], { 0: limitBuy(95) }, { volumeCap: 0.1 });
    expect(rest.orders).toMatchObject({ expired: 1, partlyFilled: 1 });
    expect(rest.open).toEqual([{ symbol: 'X', quantity: '5' }]);
  });

  test('is shared by orders of one symbol, the older first', async () => {
    const both: Act = (context) => {
      limitBuy(95, 3)(context);
      limitBuy(95, 4)(context);
    };
    const { orders, open } = await run(
      [100, 100, [90, 90, 90, 90, 50]],
      { 0: limitBuy(95, 3), 1: both },
      { volumeCap: 0.1 },
    );
    expect(open).toEqual([{ symbol: 'X', quantity: '5' }]);
    expect(orders).toMatchObject({ filled: 1, partlyFilled: 1 });
  });
});

describe('the fill models close and venue', () => {
  test('close fills at the close of the decision, with latency at that of the bar of arrival', async () => {
    const rows: Row[] = [
      [99, 100, 99, 100],
      [104, 106, 104, 105],
      [109, 111, 109, 110],
    ];
    expect(shortly(await run(rows, { 0: buy }, { fill: 'close' }))).toEqual([
      [OPEN + MINUTE, 'buy', 10, 100],
    ]);
    const late = await run(rows, { 0: buy }, { fill: 'close', latencyMs: 1_000 });
    expect(shortly(late)).toEqual([[OPEN + 2 * MINUTE, 'buy', 10, 105]]);
  });

  test('venue sends a buy of shares as a limit order with a collar, and reports its fill seconds later', async () => {
    const told: (readonly [number, number])[] = [];
    const strategy = strategyOf({
      onBar({ view, order }) {
        if (view.orders().length === 0 && view.position('X') === 0) order.buy('X', { shares: 10 });
      },
      onFill: ({ fill, view }) => void told.push([view.now, fill.price]),
    });
    const bars = [barsFrom(DAY, [100, [100.2, 100.3, 100.1, 100.2], 101])];
    const options = plainly({ strategy, bars, fill: 'venue', fees: 'venue' });
    const { fees, orders } = await runBacktest(options);
    expect(told).toEqual([[OPEN + MINUTE + 3_500, 100.21]]);
    expect(orders).toMatchObject({ planned: 1, filled: 1 });
    expect(fees).toBe('1.10231');
    const gap = await runBacktest({ ...options, bars: [barsFrom(DAY, [100, 101, 101])] });
    expect(gap.orders.filled).toBe(0);
  });

  test('venue sends no market order in the last thirty seconds', async () => {
    const strategy = strategyOf(
      { onTimer: ({ order }) => void order.buy('X', { notional: 100 }) },
      { quotes: ['X'], timers: [{ name: 'late', at: 'close-0m' }] },
    );
    const rows = Array.from({ length: 391 }, () => 100);
    const { fills } = await runBacktest(plainly({ strategy, bars: [barsFrom(DAY, rows)], fill: 'venue' }));
    expect(fills.map(({ at }) => at)).toEqual([NEXT_OPEN]);
  });

  test.each([
    ['none', 'buy', 100],
    ['bps:10', 'buy', 100.1],
    ['spread:50', 'buy', 100.5],
    ['volume:0.5', 'buy', 100.08],
    ['none', 'sell', 100],
    ['bps:10', 'sell', 99.9],
    ['spread:50', 'sell', 99.5],
    ['volume:0.5', 'sell', 99.92],
  ] as const)(
    'slippage %s of a %s is part of the price, and is stated next to the fees',
    async (...given) => {
      const [slippage, side, price] = given;
      const acts = { 0: ({ order }: HookContext) => order.buy('X', { shares: 40 }), 1: sell };
      const { fills, ...result } = await run([100, 100, 100], acts, { slippage });
      const fill = fills.find((one) => one.side === side);
      expect(fill?.price).toBeCloseTo(price, 10);
      expect(fill?.slippage).toBeCloseTo(Math.abs(price - 100) * 40, 9);
      expect(Number(result.slippage)).toBeCloseTo(Math.abs(price - 100) * 80, 9);
      expect(result.metrics.slippage).toBeCloseTo(Math.abs(price - 100) * 80, 9);
      expect(Number(result.pnl)).toBeCloseTo(-Number(result.slippage), 9);
    },
  );

  test('slippage raises a limit order to its limit at most, and is 0 for one that was waiting', async () => {
    const bounded = await run([100, 100], { 0: limitBuy(100.05) }, { slippage: 'bps:10' });
    expect(bounded).toMatchObject({ slippage: '0.5', fills: [{ price: 100.05, slippage: 0.5 }] });
    const resting = await run([100, [100, 100, 94, 97]], { 0: limitBuy(95) }, { slippage: 'bps:10' });
    expect(resting).toMatchObject({ slippage: '0', fills: [{ price: 95, slippage: 0 }] });
  });

  test('slippage adds up over the parts of an order', async () => {
    const rows: Row[] = [[100, 100, 100, 100, 40], [100, 100, 100, 100, 40], [200, 200, 200, 200, 80], 200];
    const result = await run(rows, { 0: buy }, { slippage: 'bps:10', volumeCap: 0.1 });
    expect(result.slippage).toBe('1.6'); // 4 shares at 0.10, 6 at 0.20
  });

  test.each([
    ['worst', 0],
    ['best', 1],
  ] as const)('an order fills in its bar of arrival or not, by the rule %s', async (ambiguous, count) => {
    const strategy = strategyOf(
      { onTimer: ({ order }) => void order.limit('X', { side: 'buy', shares: 1, price: 95 }) },
      { quotes: ['X'], timers: [{ name: 'noon', at: '12:00' }] },
    );
    const bars = [barsFrom(DAY, [100, [100, 101, 90, 99]], '1d')];
    const { fills } = await runBacktest(plainly({ strategy, bars, ambiguous, to: NEXT_OPEN + 1 }));
    expect(fills.filter(({ at }) => at > NEXT_OPEN)).toHaveLength(count);
  });
});

describe('a timer in the last bar of a session', () => {
  const timed = (act: Act, rows: readonly Row[], more: Partial<BacktestOptions> = {}) => {
    const hooks = { onTimer: act };
    const needs = { quotes: ['X'], timers: [{ name: 'late', at: 'close-1m' }] } as const;
    return runBacktest(
      plainly({ strategy: strategyOf(hooks, needs), bars: [barsFrom(DAY, rows, '1d')], ...more }),
    );
  };
  const CLOSE = Date.parse('2026-06-15T20:00:00Z');

  test.each(['venue', 'next-open', 'close'] as const)(
    'fills its market order at the close: %s',
    async (fill) => {
      const spend: Act = ({ order }) => order.buy('X', { notional: 1_010 });
      const result = await timed(spend, [[100, 104, 99, 101]], { fill, slippage: 'none' });
      expect(shortly(result)).toEqual([[CLOSE, 'buy', 10, 101]]);
    },
  );

  test('fills its limit order only where the close reaches the limit', async () => {
    const rows: Row[] = [[100, 104, 90, 101]];
    expect(shortly(await timed(limitBuy(99), rows))).toEqual([]);
    expect(shortly(await timed(limitBuy(102), rows))).toEqual([[CLOSE, 'buy', 10, 101]]);
  });

  test('decides at the open, and keeps the weight by trading at the closes', async () => {
    const rows = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? ([130, 140, 60, 70] as const) : ([70, 140, 60, 130] as const),
    );
    const at = { at: ['close-1m'], weights: { X: 0.5 }, band: 0 };
    const bars = [barsFrom(DAY, rows, '1d')];
    const result = await runBacktest(plainly({ strategy: rebalance, params: at, bars }));
    expect(result.fills.length).toBeGreaterThan(10);
    expect(result.orders).toMatchObject({ expired: 0, dropped: 0 });
  });

  test('with a latency beyond the close fills at the next open', async () => {
    const result = await timed(buy, [100, 100], { latencyMs: 2 * MINUTE });
    expect(shortly(result)).toEqual([[NEXT_OPEN, 'buy', 10, 100]]);
  });
});
