import { expect, test } from 'vitest';
import type { BacktestOptions } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import type { HookContext } from '../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf, type Row } from './bars.ts';

/** A whole number below `n` each time. */
type Dice = (n: number) => number;

const diceOf = (seed: number): Dice => {
  const random = seededRandom(seed);
  return (n) => Math.floor(random.next() * n);
};

/** Prices that jump by up to a twentieth from bar to bar. */
function wild(dice: Dice): Row[] {
  let price = 10_000;
  const cents = (...prices: number[]) => prices.map((each) => each / 100) as [number, number, number, number];
  return Array.from({ length: 500 }, () => {
    const open = price + dice(1_000) - 500;
    price = Math.max(open + dice(400) - 200, 2_000);
    const [high, low] = [Math.max(open, price) + dice(50), Math.min(open, price) - dice(50)];
    return [...cents(open, high, low, price), dice(400)] as const;
  });
}

/** Buys and sells at random, with all that it has. */
const gambler = (dice: Dice) =>
  strategyOf({
    onBar({ order, view, bar }: HookContext & { bar: { close: number } }) {
      const shares = 1 + dice(40);
      const price = Math.round(bar.close * (97 + dice(6))) / 100;
      const acts = [
        () => order.buy('X', { shares }),
        () => order.buy('X', { notional: 100 + dice(2_000) }),
        () => order.limit('X', { side: 'buy', shares, price }),
        () => view.position('X') > 0 && order.sell('X', { all: true }),
      ];
      acts[dice(12)]?.();
    },
  });

const optionsOf = (seed: number): BacktestOptions => {
  const dice = diceOf(seed);
  const one = <Value>(...values: Value[]) => values[dice(values.length)] as Value;
  return plainly({
    strategies: ['a', 'b'].map((id, index) => ({ id, definition: gambler(diceOf(2 * seed + index)) })),
    bars: [barsFrom('2026-06-15', wild(dice))],
    fill: one('venue', 'next-open', 'close'),
    slippage: one('none', 'bps:7', 'volume:0.2'),
    fees: one('venue', 'bps:25'),
    ambiguous: one('worst', 'best'),
    latencyMs: one(0, 1_000, 400_000),
    settlementMs: one(0, 2_000, 700_000),
    ...(dice(2) === 0 && { volumeCap: 0.1 }),
  });
};

test.each(Array.from({ length: 40 }, (_, index) => index + 1))(
  'the final account equals the sum of its fills: seed %i',
  async (seed) => {
    const options = optionsOf(seed);
    const { fills, equity, marks, open, fees } = await runBacktest(options);
    const [bars] = options.bars;
    const cash = fills.reduce(
      (sum, fill) => sum + (fill.side === 'buy' ? -1 : 1) * fill.shares * fill.price - fill.fees,
      10_000,
    );
    const worth = Number(open[0]?.quantity ?? 0) * (bars?.close.at(-1) ?? NaN);
    expect(cash).toBeGreaterThan(-1e-6);
    expect(Number(equity.end)).toBeCloseTo(cash + worth, 6);
    expect(marks.at(-1)).toMatchObject({ equity: expect.closeTo(cash + worth, 6) as number });
    expect(Number(fees)).toBeCloseTo(
      fills.reduce((sum, fill) => sum + fill.fees, 0),
      6,
    );
  },
);

test('a fraction that a split leaves in two accounts is neither held nor counted as exposure', async () => {
  const strategies = ['a', 'b'].map((id) => {
    let seen = 0;
    const onBar = ({ order }: HookContext) => {
      if (++seen === 1) order.buy('X', { shares: 5 });
      if (seen === 3) order.sell('X', { all: true });
    };
    return { definition: strategyOf({ onBar }, { bars: [{ symbol: 'X', interval: '1d' }] }), id };
  });
  const type = 'reverse_split';
  const actions = [{ symbol: 'X', type, exDate: '2026-06-17', oldRate: '3', newRate: '1' }];
  const bars = [barsFrom('2026-06-15', [100, 100, 300, 300, 300], '1d')];
  const { marks, open, metrics } = await runBacktest(plainly({ strategies, actions, bars }));
  expect(marks.map(({ positions }) => Object.keys(positions))).toEqual([[], ['X'], ['X'], [], []]);
  expect({ open, exposure: metrics.exposureTime }).toEqual({ open: [], exposure: 0.6 });
});
