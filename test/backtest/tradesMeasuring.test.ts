import { describe, expect, test } from 'vitest';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { normalQuantile } from '../../src/statistics/normal.ts';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { barsFrom, plainly, strategyOf } from './bars.ts';
import type { BacktestFill } from '../../src/backtest/rows.ts';

const DAY = '2026-06-15';
/** Buys ten shares at the first close it sees, and holds them. */
const holding = (symbol = 'X') => {
  let done = false;
  return strategyOf(
    {
      onBar({ order }) {
        if (!done) order.buy(symbol, { shares: 10 });
        done = true;
      },
    },
    { bars: [{ symbol, interval: '1d' }] },
  );
};
const daily = (closes: readonly number[], symbol = 'X') => ({
  ...barsFrom(
    DAY,
    closes.map((close) => [close - 1, close + 1, close - 2, close] as const),
    '1d',
  ),
  symbol,
});
const without = (places: readonly number[], { symbol, interval, ...columns }: ReturnType<typeof daily>) => {
  const kept = (column: Float64Array) => column.filter((_, index) => !places.includes(index));
  const { start, open, high, low, close, volume } = columns;
  return {
    symbol,
    interval,
    start: kept(start),
    open: kept(open),
    high: kept(high),
    low: kept(low),
    close: kept(close),
    volume: kept(volume),
  };
};
const CLOSES = Array.from({ length: 30 }, (_, index) => 100 + index + 3 * (index % 3));

describe('the metrics of a run', () => {
  test('come from equity marked at every session, ending with that of the result', async () => {
    const result = await runBacktest(plainly({ strategy: holding(), bars: [daily(CLOSES)] }));
    const { metrics, marks, equity, sessions } = result;
    expect([marks.length, sessions]).toEqual([30, 30]);
    expect(marks.at(-1)?.equity).toBeCloseTo(Number(equity.end), 9);
    expect(metrics.totalReturn).toBeCloseTo(Number(equity.end) / 10_000 - 1, 12);
    // Decided at the first close, 100, and bought at the next open, 103: no fees.
    expect(metrics.shortfallBps).toBeCloseTo(300, 9);
    expect(metrics).toMatchObject({ fees: 0, exposureTime: 29 / 30, fillRate: 1, trades: 0 });
    expect(result.notes).toMatchObject({ winRate: expect.stringContaining('0 closed lots') as string });
  });

  test('measure the shortfall of a decision on the first price of a session against that price', async () => {
    let done = false;
    const strategy = strategyOf(
      {
        onQuote({ order, price }) {
          if (price === 104 && !done) order.buy('X', { shares: 10 });
          done ||= price === 104;
        },
      },
      { quotes: ['X'] },
    );
    // It closes at 100, and opens at 104: the decision was based on 104.
    const { fills, metrics } = await runBacktest(
      plainly({ strategy, bars: [daily([100, 105])], fill: 'venue', slippage: 'none' }),
    );
    expect(fills).toMatchObject([{ decisionPrice: 104 }]);
    const [{ price, shares }] = fills as [BacktestFill];
    expect(metrics.shortfall).toBeCloseTo((price - 104) * shares, 9);
  });

  test('compare with buying at the first open and holding', async () => {
    const { benchmark, metrics } = await runBacktest(plainly({ strategy: holding(), bars: [daily(CLOSES)] }));
    expect(benchmark).toEqual({ symbol: 'X', start: 99, closes: CLOSES });
    expect(metrics.benchmarkReturn).toBeCloseTo((CLOSES.at(-1) ?? NaN) / 99 - 1, 12);
    expect(metrics.beta).toBeGreaterThan(0);
  });

  test('begin with "from", also for the benchmark', async () => {
    const from = tradingCalendar.newYorkTime('2026-06-17', '00:00');
    const { benchmark, marks } = await runBacktest(
      plainly({ strategy: holding(), bars: [daily(CLOSES)], from }),
    );
    expect(benchmark).toEqual({ symbol: 'X', start: (CLOSES[2] ?? NaN) - 1, closes: CLOSES.slice(2) });
    expect(marks[0]?.date).toBe('2026-06-17');
  });

  test('use another benchmark symbol on request, with its latest price if it has no bar', async () => {
    const bars = [daily(CLOSES.slice(0, 3)), without([1], daily([50, 55, 60], 'Y'))];
    const { benchmark } = await runBacktest(plainly({ strategy: holding(), bars, benchmark: 'Y' }));
    expect(benchmark).toEqual({ symbol: 'Y', start: 49, closes: [50, 50, 60] });
    const none = await runBacktest(plainly({ strategy: holding(), bars, benchmark: 'none' }));
    expect([none.benchmark, none.metrics.beta]).toEqual([null, null]);
    await expect(runBacktest(plainly({ strategy: holding(), bars, benchmark: 'Z' }))).rejects.toThrow(
      'benchmark "Z": there are bars of X, Y. Give bars of it too, or write "all" or "none"',
    );
  });

  test('use all stocks equally weighted as a benchmark, a later one from its first open', async () => {
    const bars = [daily([100, 110, 99]), without([0], daily([50, 55, 66], 'Y'))];
    const { benchmark, metrics } = await runBacktest(plainly({ strategy: holding(), bars }));
    const [first, second, third] = [100 / 99 - 1, (0.1 + (55 / 54 - 1)) / 2, (-0.1 + 0.2) / 2];
    const worth = [1 + first, (1 + first) * (1 + second), (1 + first) * (1 + second) * (1 + third)];
    expect(benchmark).toEqual({
      symbol: '2 stocks in equal parts',
      start: 1,
      closes: worth.map((value) => expect.closeTo(value, 12) as number),
    });
    expect(metrics.benchmarkReturn).toBeCloseTo((worth[2] ?? NaN) - 1, 12);
    const alone = await runBacktest(
      plainly({ strategy: holding(), bars: bars.slice(0, 1), benchmark: 'all' }),
    );
    expect(alone.benchmark?.symbol).toBe('X');
  });

  test('leave out a benchmark that does not cover the run: listed later, ended earlier, or already over', async () => {
    const held = (places: readonly number[], from?: number) =>
      runBacktest(
        plainly({
          strategy: holding(),
          benchmark: 'Y',
          ...(from !== undefined && { from }),
          bars: [daily(CLOSES), without(places, daily(CLOSES, 'Y'))],
        }),
      );
    const late = await held([0, 1, 2]);
    expect(late.benchmark?.closes).toEqual([null, null, null, ...CLOSES.slice(3)]);
    expect(late.metrics).toMatchObject({ benchmarkReturn: null, excessReturn: null });
    expect(late.notes.excessReturn).toBe('Y has no price at the first close of the run');
    expect(late.metrics.trackingError).not.toBeNull();

    const early = await held([28, 29]);
    expect(early.benchmark?.closes).toEqual([...CLOSES.slice(0, 28), null, null]);
    expect(early.notes.excessReturn).toBe('Y has no price at the last close of the run');

    const over = await held(
      Array.from({ length: 28 }, (_, index) => index + 2),
      tradingCalendar.newYorkTime('2026-06-17', '00:00'),
    );
    expect(over.benchmark).toEqual({
      symbol: 'Y',
      start: CLOSES[1],
      closes: Array.from({ length: 28 }, () => null),
    });
    expect(over.notes.beta).toBe('0 returns, but it needs 20');
  });

  test('start the benchmark with the last price before "from" if its first session has none', async () => {
    const from = tradingCalendar.newYorkTime('2026-06-17', '00:00');
    const bars = [daily(CLOSES.slice(0, 5)), without([2], daily([50, 60, 70, 80, 90], 'Y'))];
    const { benchmark } = await runBacktest(plainly({ strategy: holding(), bars, benchmark: 'Y', from }));
    expect(benchmark).toEqual({ symbol: 'Y', start: 60, closes: [60, 80, 90] });
  });

  test('deflate the Sharpe ratio by the number of runs it was chosen from, and by their variance', async () => {
    const bars = [daily(CLOSES)];
    const deflated = async (trials?: number, trialVariance?: number) => {
      const given = { ...(trials && { trials }), ...(trialVariance !== undefined && { trialVariance }) };
      const { metrics } = await runBacktest(plainly({ strategy: holding(), bars, ...given }));
      return [metrics.deflatedSharpe ?? NaN, metrics.probabilisticSharpe ?? NaN] as const;
    };
    expect((await deflated())[0]).toBeNaN();
    const [two] = await deflated(2);
    const [many, alone] = await deflated(500);
    expect(two).toBeLessThan(alone);
    expect(many).toBeLessThan(two);
    expect((await deflated(500, 0))[0]).toBeCloseTo(alone, 12);
    // The variance is of annual ratios, the bar is one of a session: a year has 252 of them.
    const { metrics } = await runBacktest(plainly({ strategy: holding(), bars }));
    const [own, best] = [normalQuantile(alone), normalQuantile(alone) - normalQuantile(many)];
    const yearly = (metrics.sharpe ?? NaN) / own;
    expect(normalQuantile((await deflated(500, 4))[0])).toBeCloseTo(own - (2 / yearly) * best, 6);
  });

  test('give the expectancy in units of the initial risk, if it is stated', async () => {
    let bar = 0;
    const strategy = strategyOf(
      {
        onBar({ order }) {
          if (bar++ % 2 === 0) order.buy('X', { shares: 10 });
          else order.sell('X', { all: true });
        },
      },
      { bars: [{ symbol: 'X', interval: '1d' }] },
    );
    const closes = Array.from({ length: 30 }, () => [100, 102, 99, 101] as const);
    const bars = [barsFrom(DAY, closes, '1d')];
    const run = (initialRisk?: string) => {
      bar = 0;
      return runBacktest(plainly({ strategy, bars, fill: 'close', ...(initialRisk && { initialRisk }) }));
    };
    const plain = await run();
    expect(plain.metrics.expectancyR).toBeNull();
    expect(plain.metrics.trades).toBeGreaterThanOrEqual(10);
    const expectancy = plain.metrics.expectancy ?? NaN;
    expect((await run('cash:50')).metrics.expectancyR).toBeCloseTo(expectancy / 50, 12);
    expect((await run('bps:200')).metrics.expectancyR).toBeCloseTo(expectancy / (10 * 101 * 0.02), 12);
  });

  test.each([
    [{ trials: 1 }, 'trials 1: write the number of runs'],
    [{ trials: 2.5 }, 'trials 2.5'],
    [{ trialVariance: 0.1 }, 'trials not given'],
    [{ trials: 5, trialVariance: -1 }, 'trialVariance -1'],
    [{ initialRisk: 'bps:0' }, 'initialRisk "bps:0"'],
    [{ initialRisk: '2%' }, 'write "bps:200"'],
  ])('are refused with %j', async (given, message) => {
    const run = runBacktest(plainly({ strategy: holding(), bars: [daily(CLOSES)], ...given }));
    await expect(run).rejects.toThrow(message);
  });

  test('use a yearly risk-free rate, and refuse one that is invalid or in percent', async () => {
    const given = { bars: [daily(CLOSES)] };
    const plain = await runBacktest(plainly({ strategy: holding(), ...given }));
    const taxed = await runBacktest(plainly({ strategy: holding(), ...given, riskFree: 0.5 }));
    expect(taxed.metrics.sharpe).toBeLessThan(plain.metrics.sharpe ?? NaN);
    expect(taxed.runId).toBe(plain.runId);
    for (const riskFree of [-2, 1, 4])
      await expect(runBacktest(plainly({ strategy: holding(), ...given, riskFree }))).rejects.toThrow(
        `riskFree ${riskFree}: write the annual rate as a fraction, 0.04 for 4 %`,
      );
  });
});

test('a sale that is reported late closes the lots held at the time of the sale', async () => {
  let seen = -1;
  const strategy = strategyOf({
    onBar({ order }) {
      seen++;
      if (seen < 2) order.buy('X', { shares: 5 });
      if (seen === 2) order.limit('X', { side: 'sell', shares: 7, price: 102 });
      if (seen === 5) order.sell('X', { shares: 3 });
    },
  });
  // Five of 1,000 shares a bar: the limit gets five at 102, and its remainder ends with the session.
  const rows = [100, 100, 101, 101, [101, 102, 101, 101], 101, 99, 99] as const;
  const bars = [barsFrom(DAY, rows)];
  const { lots, fills } = await runBacktest(plainly({ strategy, bars, volumeCap: 0.005 }));
  expect(fills.slice(2).map(({ shares, price }) => [shares, price])).toEqual([
    [3, 99],
    [5, 102],
  ]);
  expect(lots.closed.map(({ shares, entryPrice, exitPrice }) => [shares, entryPrice, exitPrice])).toEqual([
    [5, 100, 102],
    [3, 101, 99],
  ]);
});
