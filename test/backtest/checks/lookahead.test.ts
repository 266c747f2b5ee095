import { describe, expect, test } from 'vitest';
import { d10, m5y, type BarSet } from '../../../bench/bars.ts';
import { checkLookahead } from '../../../src/backtest/checks/lookahead.ts';
import type { StrategyDefinition, StrategyHooks } from '../../../src/strategy/index.ts';
import dca from '../../../strategies/dca.ts';
import limitLadder from '../../../strategies/limit-ladder.ts';
import rebalance from '../../../strategies/rebalance.ts';
import smaCross from '../../../strategies/sma-cross.ts';
import { barsFrom, plainly, strategyOf } from '../bars.ts';

const MINUTE_MS = 60_000;
const BUY = 'buyShares X, quantity 1';
const prices = Array.from({ length: 60 }, (_, minute) => 100 + ((minute * 7) % 10));
const bars = [barsFrom('2026-06-15', prices)];
const check = (hooks: StrategyHooks, histories = 24) =>
  checkLookahead(plainly({ strategy: strategyOf(hooks), bars }), histories);

describe('a strategy that looks ahead', () => {
  test('by keeping an earlier run is found by its first decision that differs', async () => {
    const closes = new Map<number, number>();
    const { decisions, found } = await check({
      onBar({ bar, order }) {
        closes.set(bar.start, bar.close);
        if ((closes.get(bar.start + MINUTE_MS) ?? 0) > bar.close) order.buy('X', { shares: 1 });
      },
    });
    expect(decisions).toBe(0);
    // 100, 107, 104: the first rise is known at the end of the first bar.
    expect(found).toEqual({
      strategy: 'test',
      at: '2026-06-15T13:31:00Z',
      withFuture: null,
      withoutFuture: BUY,
    });
  });

  test('is found by a decision made only with the whole history', async () => {
    let runs = 0;
    const { found } = await check(
      {
        onStart() {
          runs++;
        },
        onBar({ bar, order }) {
          if (runs === 1 && bar.start === bars[0]?.start[20]) order.buy('X', { shares: 1 });
        },
      },
      2,
    );
    expect(found).toEqual({
      strategy: 'test',
      at: '2026-06-15T13:51:00Z',
      withFuture: BUY,
      withoutFuture: null,
    });
  });

  test('is found by the price to which it moves a stop', async () => {
    let runs = 0;
    let held = '';
    const { found } = await check(
      {
        onStart() {
          runs++;
        },
        onBar({ bar, order }) {
          if (bar.start === bars[0]?.start[5]) order.buy('X', { shares: 1 });
          if (bar.start === bars[0]?.start[10]) held = order.stop('X', { all: true, stop: 50 });
          if (bar.start === bars[0]?.start[20]) order.adjust(held, { stop: runs === 1 ? 60 : 61 });
        },
      },
      2,
    );
    expect(found).toMatchObject({
      withFuture: expect.stringContaining('stop 60') as string,
      withoutFuture: expect.stringContaining('stop 61') as string,
    });
  });

  test('is found by the prices of a bracket with an entry stop and two take-profits', async () => {
    for (const [name, terms, text] of [
      ['entry', (by: number) => ({ entry: { shares: 1, stop: 1_000 + by }, takeProfit: 2_000 }), 'stop 1001'],
      [
        'second',
        (by: number) => ({
          entry: { shares: 1 },
          takeProfit: [
            { price: 2_000, share: 0.5 },
            { price: 3_000 + by, share: 0.5 },
          ] as const,
        }),
        'price 3001',
      ],
    ] as const) {
      let runs = 0;
      const { found } = await check(
        {
          onStart() {
            runs++;
          },
          onBar({ bar, order }) {
            if (bar.start === bars[0]?.start[20]) order.bracket('X', terms(runs));
          },
        },
        2,
      );
      expect(found, name).toMatchObject({ withFuture: expect.stringContaining(text) as string });
    }
  });

  test('is found when it throws without the future', async () => {
    let runs = 0;
    const { found } = await check({
      onStart() {
        runs++;
      },
      onBar() {
        if (runs > 1) throw new Error('no next bar');
      },
    });
    expect(found).toMatchObject({ at: '2026-06-15T13:31:00Z', withFuture: null });
    expect(found?.withoutFuture).toContain('no next bar');
  });
});

describe('a look-ahead check with a span', () => {
  const start = bars[0]?.start ?? new Float64Array();
  const span = { from: start[40] ?? NaN, to: start[44] ?? NaN };

  test('cuts its histories within the span', async () => {
    const closes = new Map<number, number>();
    const strategy = strategyOf({
      onBar({ bar, order }) {
        closes.set(bar.start, bar.close);
        if ((closes.get(bar.start + MINUTE_MS) ?? 0) > bar.close) order.buy('X', { shares: 1 });
      },
    });
    const { histories, found } = await checkLookahead(plainly({ strategy, bars, ...span }), 4);
    expect(histories).toBeGreaterThan(0);
    expect(found).toMatchObject({ at: '2026-06-15T14:11:00Z', withoutFuture: BUY });
    const honest = await checkLookahead(plainly({ strategy: strategyOf({}), bars, ...span }), 10);
    // The histories that end after bars 40, 41 and 42; the one after 43 is complete.
    expect(honest).toEqual({ decisions: 0, histories: 3, undecided: ['test'], found: null });
  });

  test('checks nothing if no shorter history ends in the span', async () => {
    const strategy = strategyOf({});
    const none = { decisions: 0, histories: 0, undecided: ['test'], found: null };
    const ofOne = { ...span, to: start[41] ?? NaN };
    expect(await checkLookahead(plainly({ strategy, bars, ...ofOne }), 10)).toEqual(none);
    const oneBar = [barsFrom('2026-06-15', [100])];
    expect(await checkLookahead(plainly({ strategy, bars: oneBar }), 10)).toEqual(none);
  });
});

test('a look-ahead check with one history counts one, and with none is refused', async () => {
  expect(await check({}, 1)).toEqual({ decisions: 0, histories: 1, undecided: ['test'], found: null });
  await expect(check({}, 0)).rejects.toThrow(/^0 histories check nothing: write 1 or more/);
});

describe('the look-ahead check', () => {
  test('finds nothing in a fill at the open of the next bar, at the end of a history', async () => {
    const { decisions, found } = await check({
      onBar({ view, order }) {
        if (view.position('X') === 0) order.buy('X', { shares: 1 });
      },
      onFill({ fill, order }) {
        if (fill.side === 'buy') order.sell('X', { all: true });
      },
    });
    expect(decisions).toBeGreaterThan(50);
    expect(found).toBeNull();
  });

  const minutes = m5y(42, 8);
  const inTheDark = { cash: '100000', slippage: 'none' };
  test.each<[name: string, definition: unknown, run: Readonly<{ params: unknown; set: BarSet }>]>([
    ['sma-cross', smaCross, { params: { symbol: 'X' }, set: d10() }],
    ['sma-cross on minutes', smaCross, { params: { symbol: 'X', interval: '1m' }, set: minutes }],
    ['dca', dca, { params: { symbol: 'X', notional: '100' }, set: minutes }],
    ['rebalance', rebalance, { params: { weights: { X: 0.5 }, band: 0 }, set: minutes }],
    [
      'limit-ladder',
      limitLadder,
      {
        params: { symbol: 'X', rungs: 3, stepBps: 10, notional: '500', maxExposure: '5000' },
        set: minutes,
      },
    ],
  ])('finds nothing in %s', async (_name, definition, { params, set: { interval, columns } }) => {
    const strategy = definition as StrategyDefinition;
    const given = [{ symbol: 'X', interval, ...columns }];
    const { decisions, found } = await checkLookahead({ ...inTheDark, strategy, params, bars: given }, 16);
    expect(decisions).toBeGreaterThan(0);
    expect(found).toBeNull();
  });
});

describe('held orders in the look-ahead check', () => {
  const falling = prices.map((price, minute) => [price, price + 3, price - 4, price + (minute % 2)] as const);
  const rows = [barsFrom('2026-06-15', falling)];
  const bracketBy = (takeProfit: (start: number) => number): StrategyHooks => ({
    onBar({ bar, view, order }) {
      if (view.position('X') > 0) return;
      order.bracket('X', {
        entry: { shares: 1 },
        takeProfit: { percent: takeProfit(bar.start) },
        stopLoss: { percent: 3 },
      });
    },
    onFill({ fill, order }) {
      if (fill.side === 'sell') order.stop('X', { side: 'buy', shares: 1, stop: 112 });
    },
  });

  test('of a strategy that does not look ahead are the same in every history', async () => {
    const strategy = strategyOf(bracketBy(() => 3));
    const { decisions, found } = await checkLookahead(plainly({ strategy, bars: rows }), 24);
    expect(decisions).toBeGreaterThan(10);
    expect(found).toBeNull();
  });

  test('that depend on a later price are found by the price of their legs', async () => {
    const known = new Set<number>();
    const strategy = strategyOf(
      bracketBy((start) => {
        known.add(start);
        return known.has(start + MINUTE_MS) ? 2 : 3;
      }),
    );
    const { found } = await checkLookahead(plainly({ strategy, bars: rows }), 24);
    expect([found?.withFuture, found?.withoutFuture].join()).toContain('takeProfit percent');
  });

  test('on daily bars reveal nothing of the day before the last minute of another stock', async () => {
    const minutes = {
      ...barsFrom(
        '2026-06-15',
        Array.from({ length: 3 * 390 }, (_, at) => 50 + (at % 9)),
      ),
      symbol: 'Y',
    };
    const days = barsFrom('2026-06-15', [100, [100, 108, 90, 101], [101, 108, 93, 100]], '1d');
    const strategy = strategyOf(
      {
        onBar({ bar, view, order }) {
          if (bar.symbol === 'X' && view.position('X') === 0)
            order.bracket('X', {
              entry: { shares: 1 },
              takeProfit: { percent: 5 },
              stopLoss: { percent: 5 },
            });
          if (bar.symbol === 'Y' && (bar.start / MINUTE_MS) % 200 === 0) order.buy('Y', { shares: 1 });
        },
        onFill({ fill, order }) {
          if (fill.symbol === 'X' && fill.side === 'sell') order.buy('Y', { shares: 1 });
        },
      },
      {
        bars: [
          { symbol: 'Y', interval: '1m' },
          { symbol: 'X', interval: '1d' },
        ],
      },
    );
    const { decisions, found } = await checkLookahead(plainly({ strategy, bars: [minutes, days] }), 40);
    expect(decisions).toBeGreaterThan(5);
    expect(found).toBeNull();
  });
});
