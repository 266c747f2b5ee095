import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { ConfigError, StrategyError } from '../../src/core/errors.ts';
import {
  remember,
  type DataNeeds,
  type HookContext,
  type StrategyDefinition,
} from '../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf, type Row } from './bars.ts';

const DAY = '2026-06-15';
const quiet = strategyOf({});

describe('the time of a backtest', () => {
  test('shows several intervals and symbols in order, longer bars after shorter ones that end at the same time', async () => {
    const seen: string[] = [];
    const strategy = strategyOf(
      {
        onBar: ({ bar, view }) =>
          void seen.push(
            `${bar.symbol} ${bar.interval} ${(view.now - Date.parse('2026-06-15T13:30:00Z')) / 60_000}`,
          ),
      },
      {
        bars: [
          { symbol: 'X', interval: '5m' },
          { symbol: 'X', interval: '1m' },
          { symbol: 'Y', interval: '5m' },
        ],
      },
    );
    const five = barsFrom(DAY, [104], '5m');
    const bars = [five, barsFrom(DAY, [100, 101, 102, 103, 104]), { ...five, symbol: 'Y' }];
    await runBacktest(plainly({ strategy, bars }));
    expect(seen).toEqual(['X 1m 1', 'X 1m 2', 'X 1m 3', 'X 1m 4', 'X 1m 5', 'X 5m 5', 'Y 5m 5']);
  });

  test('can begin within a session and within a bar, and nothing happens before it', async () => {
    const from = Date.parse('2026-06-15T16:00:00Z');
    const times: number[] = [];
    const strategy = strategyOf(
      {
        onStart: ({ order, view }) => {
          times.push(view.now);
          order.buy('X', { notional: 1_000 });
        },
        onSession: ({ view, change }) => {
          if (change === 'opened') times.push(view.now);
        },
      },
      { bars: [{ symbol: 'X', interval: '1d' }] },
    );
    const bars = [barsFrom(DAY, [[100, 120, 90, 110], 110], '1d')];
    const { fills } = await runBacktest(plainly({ strategy, bars, from }));
    expect(times).toEqual([from, from, Date.parse('2026-06-16T13:30:00Z')]);
    // Its open is over: only the close remains of the last bar of a session.
    expect(fills).toMatchObject([{ at: Date.parse('2026-06-15T20:00:00Z'), price: 110 }]);
  });

  test('begins with the bars of the warm-up and the last price, as a run does', async () => {
    const seen: unknown[] = [];
    const look = ({ view }: HookContext) => {
      const history = view.bars('X', '1m');
      seen.push([view.price('X'), history.length, [...history.closes(9)], history.at(2)?.close]);
    };
    const strategy = strategyOf(
      { onStart: look, onBar: look },
      { bars: [{ symbol: 'X', interval: '1m', warmUp: 2 }] },
    );
    const bars = [barsFrom(DAY, [100, 101, 102, 103, 104])];
    await runBacktest(plainly({ strategy, bars, from: Date.parse('2026-06-15T13:34:00Z') }));
    expect(seen.slice(-2)).toEqual([
      [103, 2, [102, 103], undefined],
      [104, 3, [102, 103, 104], 102],
    ]);
  });

  test('can begin within a session for the benchmark, too', async () => {
    const from = '2026-06-15T13:33:00Z';
    const bars = [barsFrom(DAY, [100, 101, 102, 103, 104])];
    const result = await runBacktest(plainly({ strategy: quiet, bars, from: Date.parse(from) }));
    expect(result).toMatchObject({ from, bars: 2, benchmark: { start: 103, closes: [104] } });
    const early = { ...barsFrom('2026-06-12', [100]), symbol: 'Y' };
    const over = await runBacktest(
      plainly({ strategy: quiet, bars: [...bars, early], benchmark: 'Y', from: Date.parse(from) }),
    );
    expect(over).toMatchObject({
      benchmark: { symbol: 'Y', start: 100, closes: [null] },
      metrics: { benchmarkReturn: null },
    });
  });

  test('shows no bar before its end: history stops at the shown bar', async () => {
    const lengths: number[][] = [];
    const strategy = strategyOf({
      onBar({ bar, view }) {
        const history = view.bars('X', '1m');
        lengths.push([
          history.length,
          history.at(0)?.close ?? NaN,
          history.closes(2).at(-1) ?? NaN,
          view.price('X') ?? NaN,
          bar.close,
        ]);
      },
    });
    await runBacktest(plainly({ strategy, bars: [barsFrom(DAY, [100, 101, 102])] }));
    expect(lengths).toEqual([1, 2, 3].map((n) => [n, ...Array.from({ length: 4 }, () => 99 + n)]));
  });

  test('of the warm-up leaves the initial state, defaults included', async () => {
    const counts: number[] = [];
    const strategy: StrategyDefinition = {
      ...strategyOf({}, { bars: [{ symbol: 'X', interval: '1d', warmUp: 2 }] }),
      create({ state }) {
        const memory = remember(state, z.object({ seen: z.number().default(0) }));
        return {
          onBar: () => {
            counts.push(++memory.seen);
          },
        };
      },
    };
    const bars = [barsFrom(DAY, [100, 101, 102, 103, 104], '1d')];
    await runBacktest(plainly({ strategy, bars, from: Date.parse('2026-06-17T13:30:00Z') }));
    expect(counts).toEqual([1, 1, 1, 2, 3]);
  });

  test('before "from" shows the last bars of the warm-up, and ignores orders', async () => {
    const seen: number[] = [];
    const strategy = strategyOf(
      {
        onBar({ bar, order }) {
          seen.push(bar.close);
          order.buy('X', { shares: 1 });
        },
      },
      { bars: [{ symbol: 'X', interval: '1d', warmUp: 2 }] },
    );
    const bars = [barsFrom(DAY, [100, 101, 102, 103, 104], '1d')];
    const from = bars[0]?.start[3] ?? NaN;
    const result = await runBacktest(plainly({ strategy, bars, from }));
    expect(seen).toEqual([101, 102, 103, 104]);
    expect(result).toMatchObject({ bars: 2, sessions: 2, orders: { planned: 1 } });
  });

  test('marks the equity at every close', async () => {
    const bars = [barsFrom(DAY, [100, 110, 120], '1d')];
    let isFirst = true;
    const strategy = strategyOf(
      {
        onBar({ order }) {
          if (isFirst) order.buy('X', { shares: 10 });
          isFirst = false;
        },
      },
      { bars: [{ symbol: 'X', interval: '1d' }] },
    );
    const { marks } = await runBacktest(plainly({ strategy, bars }));
    expect(marks.map(({ date, equity, cash }) => [date, equity, cash])).toEqual([
      ['2026-06-15', 10_000, 10_000],
      ['2026-06-16', 10_000, 8_900],
      ['2026-06-17', 10_100, 8_900],
    ]);
    expect(marks[2]?.positions).toEqual({ X: 1_200 });
  });

  test('includes quotes, timers and sessions', async () => {
    const heard: string[] = [];
    const strategy = strategyOf(
      {
        onQuote: ({ price }) => void heard.push(`price ${price}`),
        onTimer: ({ timer }) => void heard.push(timer),
        onSession: ({ change }) => void heard.push(change),
      },
      { quotes: ['X'], timers: [{ name: 'a minute in', at: 'open+1m' }] },
    );
    await runBacktest(plainly({ strategy, bars: [barsFrom(DAY, [[100, 102, 99, 101], 103])] }));
    expect(heard).toEqual(['opened', 'price 100', 'price 101', 'a minute in', 'price 103', 'closed']);
  });

  const before = ['09:31', '09:32', '09:33'];
  test.each([
    ['within a session calls no timer after its last bar', ['1m', '09:33'], before],
    ['within a bar calls the timers of that bar', ['1d', '09:33'], [...before, '15:59']],
    ['at midnight calls all timers of that day', ['1m', '23:59'], [...before, '15:59', '20:00']],
  ] as const)('that ends %s', async (_what, [interval, end], expected) => {
    const heard: string[] = [];
    const timers = [...before, '15:59', '20:00'].map((at) => ({ name: at, at }));
    const strategy = strategyOf(
      { onTimer: ({ timer }) => void heard.push(timer) },
      { quotes: ['X'], timers },
    );
    const bars = [barsFrom(DAY, [100, 101, 102, 103], interval)];
    await runBacktest(plainly({ strategy, bars, to: tradingCalendar.newYorkTime(DAY, end) }));
    expect(heard).toEqual(expected);
  });
});

describe('the quotes of a backtest', () => {
  const heardIn = async (quotes: DataNeeds['quotes']) => {
    const heard: number[] = [];
    const strategy = strategyOf({ onQuote: ({ price }) => void heard.push(price) }, { quotes: quotes ?? [] });
    const rows: Row[] = [
      [100, 102, 99, 101],
      [101, 104, 100, 103],
      [105, 106, 104, 105],
    ];
    await runBacktest(plainly({ strategy, bars: [barsFrom(DAY, rows, '1d')] }));
    return heard;
  };

  test('are of the regular session, without an open that equals the last close', async () => {
    const all = [100, 101, 103, 105];
    expect(await heardIn(['X'])).toEqual(all);
    expect(await heardIn([{ symbol: 'X', phases: ['post', 'regular'] }])).toEqual(all);
  });

  test('of other phases are never shown', async () => {
    expect(await heardIn([{ symbol: 'X', phases: ['pre', 'post'] }])).toEqual([]);
  });
});

describe('a backtest with a mistake', () => {
  const oneBar = barsFrom(DAY, [100]);

  test('names bar and time where a strategy throws', async () => {
    let count = 0;
    const strategy = strategyOf({
      onBar() {
        if (++count === 3) throw new Error('of my own');
      },
    });
    const running = runBacktest(plainly({ strategy, bars: [barsFrom(DAY, [100, 101, 102, 103])] }));
    await expect(running).rejects.toThrow(StrategyError);
    await expect(running).rejects.toThrow(/threw at 2026-06-15T13:33:00Z after bar 3 of X 1m: of my own/);
  });

  test.each([
    [
      'a symbol without data',
      { bars: [{ ...oneBar, symbol: 'Y' }] },
      /test asks for bars of X 1m, but the given bars are Y 1m/,
    ],
    ['no bars at all', { bars: [barsFrom(DAY, [])] }, /no bars of X 1m/],
    ['bars twice', { bars: [oneBar, oneBar] }, /two sets of bars of X 1m\. Give one of them/],
    [
      'bars out of order',
      { bars: [{ ...oneBar, ...columnsOf([1, 0]) }] },
      /bar 2 of X 1m: .* does not come after/,
    ],
    [
      'bars twice in a row',
      { bars: [{ ...oneBar, ...columnsOf([1, 1]) }] },
      /bar 2 of X 1m: .* does not come after/,
    ],
    [
      'a bar at night',
      { bars: [{ ...oneBar, ...columnsOf([600]) }] },
      /bar 1 of X 1m: .* outside the regular sessions/,
    ],
    ['columns of two lengths', { bars: [{ ...oneBar, open: new Float64Array(2) }] }, /differ in length/],
    [
      'a span without bars',
      { bars: [oneBar], from: (oneBar.start[0] ?? NaN) + 1e9 },
      /no bar lies between --from and --to: there are bars of X 1m from 2026-06-15 to 2026-06-15$/,
    ],
    ['unknown fees', { bars: [oneBar], fees: 'bps' }, /fees "bps": write/],
    ['unknown slippage', { bars: [oneBar], slippage: 'bps' }, /slippage "bps": write/],
    ['an unknown model', { bars: [oneBar], fill: 'magic' as never }, /fill "magic": write/],
    ['too much volume', { bars: [oneBar], volumeCap: 2 }, /volumeCap 2/],
  ])('is refused: %s', async (_what, options, message) => {
    await expect(runBacktest(plainly({ strategy: quiet, ...options }))).rejects.toThrow(message);
  });

  test('throws a ConfigError', async () => {
    await expect(runBacktest(plainly({ bars: [oneBar] }))).rejects.toThrow(ConfigError);
  });
});

/** Minutes from the open of DAY. */
function columnsOf(minutes: readonly number[]) {
  const open = Date.parse('2026-06-15T13:30:00Z');
  const prices = Float64Array.from(minutes, () => 100);
  return {
    start: Float64Array.from(minutes, (minute) => open + minute * 60_000),
    open: prices,
    high: prices,
    low: prices,
    close: prices,
    volume: prices,
  };
}
