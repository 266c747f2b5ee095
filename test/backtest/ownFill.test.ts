import { describe, expect, test } from 'vitest';
import type { BacktestOptions } from '../../src/backtest/options.ts';
import { backtestId, runBacktest } from '../../src/backtest/runBacktest.ts';
import { prepareColumnar } from '../../src/lab/columnar/prepareColumnar.ts';
import {
  defineFill,
  type FillDefinition,
  type FillQuestion,
  type HookContext,
} from '../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf, type Row } from './bars.ts';

type Orders = HookContext['order'];
const rows: Row[] = [
  100,
  [101, 103, 97, 100, 1_000],
  [102, 106, 99, 104, 1_000],
  [105, 107, 103, 106, 1_000],
  106,
];
const market = (order: Orders): void => void order.buy('X', { shares: 10 });
const limitAt =
  (price: number) =>
  (order: Orders): void =>
    void order.limit('X', { side: 'buy', shares: 10, price });

/** Orders once, at the end of the first bar. */
const options = (
  fill: FillDefinition['fill'],
  act = market,
  more: Partial<BacktestOptions> = {},
): BacktestOptions => {
  let count = 0;
  const strategy = strategyOf({
    onBar({ order }) {
      if (++count === 1) act(order);
    },
  });
  const model = defineFill({ name: 'own', fill });
  return plainly({ strategy, bars: [barsFrom('2026-06-15', rows)], fill: model, ...more });
};
const fillsOf = async (given: BacktestOptions) => {
  const { fills } = await runBacktest(given);
  return fills.map(({ side, shares, price, at }) => [
    side,
    shares,
    price,
    new Date(at).toISOString().slice(14, 16),
  ]);
};

describe("a user's fill model", () => {
  test('sets the price of a fill, rounded to the tick against the trader', async () => {
    const given = options(({ order, quote }) => ({ price: quote.price + 0.501, shares: order.shares }));
    expect(await fillsOf(given)).toEqual([['buy', 10, 101.51, '31']]);
  });

  test('is called each time an order meets the market, until the order has filled', async () => {
    const asked: string[] = [];
    const given = options(({ order, quote, moment, bar, volume, tick }) => {
      const text = `${moment} ${quote.price} ${order.shares} ${bar.high} ${volume} ${tick}`;
      if (asked.at(-1) !== text) asked.push(text);
      return { price: quote.price, shares: Math.min(order.shares, 4) };
    });
    expect(await fillsOf(given)).toEqual([['buy', 10, 102.2, '33']]);
    expect(asked).toEqual([
      'open 101 10 103 1000 0.01',
      'open 102 6 106 1000 0.01',
      'open 105 2 107 1000 0.01',
    ]);
  });

  test('returns null for no fill, and the order waits for the next bar', async () => {
    const given = options(({ quote, order }) =>
      quote.price < 102 ? null : { price: 103, shares: order.shares },
    );
    expect(await fillsOf(given)).toEqual([['buy', 10, 103, '32']]);
  });

  test('is called for a limit order when the market has reached its limit', async () => {
    const moments: unknown[] = [];
    const given = options(({ quote, order, moment }: FillQuestion) => {
      moments.push([moment, quote.price, order.limit]);
      return { price: quote.price, shares: order.shares };
    }, limitAt(98));
    expect(await fillsOf(given)).toEqual([['buy', 10, 98, '32']]);
    expect(moments).toEqual([
      ['within', 98, 98],
      ['within', 98, 98],
    ]);
  });

  test('may fill as much as the volume cap leaves', async () => {
    const given = options(
      ({ quote, order, volume }) => ({ price: quote.price, shares: Math.min(order.shares, volume) }),
      market,
      {
        volumeCap: 0.006,
      },
    );
    expect(await fillsOf(given)).toEqual([['buy', 10, 101.4, '32']]);
  });

  test('is part of the run id by its code', () => {
    const [one, same, other] = [
      options(({ order, quote }) => ({ price: quote.price, shares: order.shares })),
      options(({ order, quote }) => ({ price: quote.price, shares: order.shares })),
      options(({ order, bar }) => ({ price: bar.high, shares: order.shares })),
    ].map(backtestId);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
    expect(backtestId(options(() => null, market, { fill: 'next-open' }))).not.toBe(one);
  });

  test('is named in the result, and not played by the columnar engine', async () => {
    const given = options(() => null);
    const { model, fills } = await runBacktest(given);
    expect({ fill: model.fill, slippage: model.slippage, own: 'own' in model }).toEqual({
      fill: 'own',
      slippage: 'none',
      own: false,
    });
    expect(fills).toEqual([]);
    expect(prepareColumnar(given)).toMatchObject({
      supported: false,
      why: expect.arrayContaining(['the fill model own']),
    });
  });
});

const answering = (answer: unknown) => () => answer as ReturnType<FillDefinition['fill']>;
let calls = 0;

test.each([
  [
    'NaN',
    answering({ price: NaN, shares: 10 }),
    market,
    /own gave a price of NaN for the order to buy 10 X, at the open of the 1m bar of 2026-06-15T13:31:00Z\. Give one within the bar, from 97 to 103/,
  ],
  [
    'a price above the bar',
    answering({ price: 103.5, shares: 10 }),
    market,
    /gave a price of 103\.5 .* from 97 to 103/,
  ],
  ['a price below it', answering({ price: 96, shares: 10 }), market, /gave a price of 96/],
  [
    'a price worse than the limit',
    answering({ price: 99, shares: 10 }),
    limitAt(98),
    /gave a price of 99 for the order to buy 10 X at 98, within .* no worse than its limit/,
  ],
  [
    'more shares than the order has',
    answering({ price: 101, shares: 11 }),
    market,
    /gave 11 shares .* at most 10, which is the rest of the order/,
  ],
  ['no shares', answering({ price: 101, shares: 0 }), market, /gave 0 shares .* or null for no fill/],
  ['infinite shares', answering({ price: 101, shares: Infinity }), market, /gave Infinity shares/],
  ['nothing', answering(undefined), market, /gave undefined .* Give \{ price, shares \} as numbers, or null/],
  ['text', answering({ price: '101', shares: 10 }), market, /gave something else/],
  [
    'a different result at each call',
    () => ({ price: 101 + ++calls / 100, shares: 10 }),
    market,
    /gave two answers to the same question .* Keep no state between calls/,
  ],
] as const)('a fill model that returns %s ends the backtest', async (...[, fill, act, why]) => {
  await expect(runBacktest(options(fill, act))).rejects.toThrow(why);
});

test('a fill model that returns more than the volume cap ends the backtest', async () => {
  const given = options(answering({ price: 101, shares: 10 }), market, { volumeCap: 0.006 });
  await expect(runBacktest(given)).rejects.toThrow(/at most 6, which the volume cap leaves of the bar/);
});

test.each([
  [
    'with slippage',
    { slippage: 'bps:5' },
    /the fill model own says the price of each fill: leave slippage out/,
  ],
  ['that is an empty object', { fill: {} as never }, /not a fill model/],
])('a fill model %s is refused', (_what, more, why) => {
  expect(() => backtestId(options(() => null, market, more))).toThrow(why);
});
