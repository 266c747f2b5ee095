import { describe, expect, test } from 'vitest';
import type { BacktestAction, BacktestBars, BacktestOptions } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { recordOf } from '../../src/app/backtest/record.ts';
import type { HookContext } from '../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf, type Row } from './bars.ts';

/** Monday of each week, and the closes of their last sessions: the 19th of June and the 3rd of July are holidays. */
const WEEKS = ['2026-06-01', '2026-06-08', '2026-06-15', '2026-06-22', '2026-06-29'];
const ENDS = ['2026-06-05', '2026-06-12', '2026-06-18', '2026-06-26', '2026-07-02'];
const at = (date: string, time: string) => Date.parse(`${date}T${time}Z`);

function weekly(rows: readonly Row[]): BacktestBars {
  const start = WEEKS.slice(0, rows.length).map((monday) => at(monday, '13:30'));
  return { ...barsFrom('2026-06-01', rows, '1d'), interval: '1w', start: Float64Array.from(start) };
}

const ROWS: readonly Row[] = [
  [100, 110, 95, 105],
  [107, 120, 100, 115],
  [116, 130, 115, 128],
  [127, 135, 120, 133],
  131,
];

function run(
  acts: Readonly<Record<number, (context: HookContext) => void>>,
  more: Partial<BacktestOptions> = {},
) {
  let week = -1;
  const strategy = strategyOf(
    { onBar: (context) => acts[++week]?.(context) },
    { bars: [{ symbol: 'X', interval: '1w' }] },
  );
  const options = plainly({ strategy, bars: [weekly(ROWS)], ...more });
  return runBacktest(options).then((result) => ({ result, record: recordOf(result, options) }));
}

/** Without the bar of one week. */
function without(bars: BacktestBars, week: number): BacktestBars {
  const cut = (column: Float64Array) => column.filter((_, index) => index !== week);
  const prices = { open: cut(bars.open), high: cut(bars.high), low: cut(bars.low), close: cut(bars.close) };
  return { ...bars, ...prices, start: cut(bars.start), volume: cut(bars.volume) };
}

describe('weekly bars without daily ones', () => {
  test.each([[[]], [['Y']]])(
    'with a missing week drop the order for that week at its end, with other symbols %j',
    async (beside) => {
      const bars = [without(weekly(ROWS), 2), ...beside.map((symbol) => ({ ...weekly(ROWS), symbol }))];
      const { result } = await run(
        {
          1: ({ order }) => {
            order.buy('X', { shares: 10 });
            order.limit('X', { side: 'buy', shares: 1, price: 200, goodTill: 'cancelled' });
          },
        },
        { bars },
      );
      expect(result.dropped).toEqual({
        'X had no price in the session of … that it was for: halted, or without data': 1,
      });
      expect(result.fills).toMatchObject([{ shares: 1, price: 127 }]);
    },
  );

  test('fill a buy at the first price of the next week, and a sell at that of a later one', async () => {
    const { result } = await run({
      0: ({ order }) => order.buy('X', { shares: 10 }),
      2: ({ order }) => order.sell('X', { all: true }),
    });
    expect(result.fills.map(({ at: when, side, price }) => [when, side, price])).toEqual([
      [at('2026-06-12', '13:30'), 'buy', 107],
      [at('2026-06-26', '13:30'), 'sell', 127],
    ]);
    expect(result.marks.map(({ date, equity }) => [date, equity])).toEqual(
      ENDS.map((date, index) => [date, [10_000, 10_080, 10_210, 10_200, 10_200][index]]),
    );
    // Decided on 105 and 128.
    expect(result.metrics.shortfallBps).toBeCloseTo(((2 + 1) / (105 + 128)) * 1e4, 9);
  });

  test('fill a limit order within the week', async () => {
    const { result } = await run({
      2: ({ order }) => order.limit('X', { side: 'buy', shares: 5, price: 125 }),
    });
    expect(result.fills).toMatchObject([{ at: at('2026-06-26', '20:00'), price: 125, shares: 5 }]);
  });

  test('give a benchmark held from the open of the first week', async () => {
    const { result, record } = await run({});
    expect(result.benchmark).toEqual({ symbol: 'X', start: 100, closes: [105, 115, 128, 133, 131] });
    expect(result.metrics.benchmarkReturn).toBeCloseTo(0.31, 12);
    expect(record.candles[0]?.open).toEqual([100, 107, 116, 127, 131]);
  });
});

describe('a dividend of two a share, on weekly bars without daily ones', () => {
  /** Bought at the first price of the second week, sold at that of the fourth. */
  const acts = {
    0: ({ order }: HookContext) => order.buy('X', { shares: 10 }),
    2: ({ order }: HookContext) => order.sell('X', { all: true }),
  };
  const paid = async (exDate: string, more: Partial<BacktestOptions> = {}, payableDate?: string) => {
    const dividend = { symbol: 'X', type: 'cash_dividend', exDate, cashPerShare: '2' };
    const actions = [{ ...dividend, ...(payableDate === undefined ? {} : { payableDate }) }];
    return (await run(acts, { actions, ...more })).result;
  };

  test.each([
    ['the Monday on which it is bought', '2026-06-08', '0'],
    ['the Wednesday after it is bought', '2026-06-10', '20'],
    ['the Monday after', '2026-06-15', '20'],
    ['a holiday between two weeks', '2026-06-19', '20'],
    ['the Monday on which it is sold', '2026-06-22', '20'],
    ['the Tuesday after it is sold', '2026-06-23', '0'],
  ])('with an ex-date on %s', async (_what, exDate, dividends) => {
    expect((await paid(exDate)).dividends).toBe(dividends);
    expect((await paid(exDate, { fill: 'venue', fees: 'none', cash: '100000' })).dividends).toBe(dividends);
  });

  test('is paid on its payable date, even after the shares were sold', async () => {
    const { events, equity } = await paid('2026-06-17', {}, '2026-06-29');
    expect(events).toMatchObject([{ at: at('2026-07-02', '13:30'), kind: 'dividend' }]);
    expect(equity.end).toBe('10220');
    expect((await paid('2026-06-17', {}, '2026-06-18')).events).toMatchObject([
      { at: at('2026-06-18', '20:00') - 1 },
    ]);
  });

  test('in the middle of the last week goes to the holder at that time', async () => {
    const held = () =>
      run(
        { 0: acts[0] },
        { actions: [{ symbol: 'X', type: 'cash_dividend', exDate: '2026-07-01', cashPerShare: '2' }] },
      );
    expect((await held()).result.dividends).toBe('20');
  });
});

describe('weekly bars with daily bars of their symbol', () => {
  const days = barsFrom('2026-06-01', Array<number>(10).fill(100), '1d');
  const weekOf = (monday: string) => ({ ...barsFrom(monday, [100], '1d'), interval: '1w' as const });
  const runWith = (monday: string, action: Omit<BacktestAction, 'symbol'>) => {
    let seen = 0;
    const strategy = strategyOf(
      {
        onBar({ order }) {
          if (++seen === 1) order.buy('X', { shares: 10 });
        },
      },
      { bars: [{ symbol: 'X', interval: '1d' }] },
    );
    const actions = [{ symbol: 'X', ...action }];
    return runBacktest(plainly({ strategy, bars: [days, weekOf(monday)], actions }));
  };

  test.each([
    ['on which it is bought', '2026-06-02', '0'],
    ['after', '2026-06-03', '20'],
  ])(
    'pay a dividend with an ex-date on the day %s of the buy, by the daily bars',
    async (_what, exDate, dividends) => {
      const dividend = { type: 'cash_dividend', exDate, cashPerShare: '2' };
      expect((await runWith('2026-06-01', dividend)).dividends).toBe(dividends);
    },
  );

  test('that begin after a split are accepted', async () => {
    const split = { type: 'forward_split', exDate: '2026-06-03', oldRate: '1', newRate: '2' };
    expect((await runWith('2026-06-08', split)).events).toMatchObject([{ kind: 'split' }]);
  });
});

test('two bars of the same week are refused', async () => {
  const bars = weekly(ROWS);
  bars.start[2] = at('2026-06-09', '13:30');
  await expect(
    runBacktest(plainly({ strategy: strategyOf({}, { bars: [] }), bars: [bars] })),
  ).rejects.toThrow('bar 3 of X 1w: 2026-06-09T13:30:00Z is in the same week as the bar before it');
});

describe('weekly bars with daily bars of another symbol', () => {
  const DAYS = [10, 11, 12, 13, 14].map((price): Row => [price, price, price, price]);
  const bars = [weekly(ROWS), { ...barsFrom('2026-06-08', DAYS, '1d'), symbol: 'Y' }];
  const both = {
    bars: (['X', 'Y'] as const).map((symbol) => ({
      symbol,
      interval: symbol === 'X' ? ('1w' as const) : ('1d' as const),
    })),
  };

  test('are shown', async () => {
    const seen: number[] = [];
    const looking = strategyOf(
      {
        onBar({ bar }) {
          if (bar.interval === '1w') seen.push(bar.close);
        },
      },
      both,
    );
    await runBacktest(plainly({ strategy: looking, bars }));
    expect(seen).toEqual([105, 115, 128, 133, 131]);
  });

  test("are not traded, because a midweek order would fill at Monday's price", async () => {
    const buying = strategyOf(
      {
        onBar({ order, bar }) {
          if (bar.symbol === 'Y') order.buy('X', { shares: 1 });
        },
      },
      both,
    );
    await expect(runBacktest(plainly({ strategy: buying, bars }))).rejects.toThrow(
      /test trades X, which has only weekly bars.*Give daily bars of X too/,
    );
  });
});
