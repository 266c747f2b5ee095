import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkLookahead } from '../../src/backtest/checks/lookahead.ts';
import type { BacktestBars, BacktestOptions } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { checkWarmUp } from '../../src/backtest/checks/warmUpCheck.ts';
import { inProcess } from '../../src/engine/strategy/strategyRuntime.ts';
import {
  columns,
  defineSignals,
  ema,
  type DataNeeds,
  type SignalColumns,
  type SignalWeights,
  type StrategyDefinition,
} from '../../src/strategy/index.ts';
import smaSignals from '../../strategies/sma-signals.ts';
import { barsFrom, plainly, type Row } from './bars.ts';

/** Signals of a test, on the bars of X unless it says otherwise. */
const signalsOf = (
  signals: (bars: SignalColumns) => SignalWeights,
  bars: NonNullable<DataNeeds['bars']> = [{ symbol: 'X', interval: '1m' }],
): StrategyDefinition =>
  defineSignals({
    name: 'test',
    description: 'of a test',
    params: z.looseObject({}),
    data: () => ({ bars }),
    signals,
  });

const prices = Array.from(
  { length: 900 },
  (_, minute) => 100 + 3 * Math.sin(minute / 9) + ((minute * 7) % 10) / 10,
);
const named = (symbol: string, rows: readonly Row[], interval: '1m' | '1d' = '1m'): BacktestBars => ({
  ...barsFrom('2026-06-15', rows, interval),
  symbol,
});
const bars = [named('X', prices)];

/** Runs signals with weights computed ahead, and again as a run does it, bar by bar. */
async function both(options: BacktestOptions) {
  const { strategy, params, ...others } = options;
  if (!strategy) throw new Error('no strategy');
  const createRuntime = inProcess(strategy, params);
  const live = await runBacktest({
    ...others,
    strategies: [{ definition: strategy, params, createRuntime }],
  });
  return { ahead: await runBacktest(options), live };
}

describe('signals', () => {
  test('place an order when their weight changes, and fill like any other order', async () => {
    const strategy = signalsOf((given) => {
      const weights = new Float64Array(given.start.length).fill(NaN);
      [weights[2], weights[3], weights[5]] = [0.5, 0.5, 0];
      return { X: weights };
    });
    const result = await runBacktest(
      plainly({ strategy, bars: [named('X', [10, 10, 10, 20, 20, 20, 25, 30])] }),
    );
    const fills = result.fills.map(({ side, shares, price, at, reason }) => [
      side,
      shares,
      price,
      at,
      reason,
    ]);
    const start = bars[0]?.start ?? [];
    expect(fills).toEqual([
      ['buy', 250, 20, start[3], 'its target weight has changed'],
      ['sell', 250, 25, start[6], 'its target weight has changed'],
    ]);
    expect(result.pnl).toBe('1250');
  });

  test('of several symbols sell first, and buy with the proceeds', async () => {
    const strategy = signalsOf(
      ({ start }) => ({
        X: [1, 1, 0, 0, 0].slice(0, start.length),
        Y: [0, 0, 1, 1, 1].slice(0, start.length),
      }),
      ['X', 'Y'].map((symbol) => ({ symbol, interval: '1m' })),
    );
    const given = [named('X', [10, 10, 10, 10, 10]), named('Y', [4, 4, 4, 4, 4])];
    const { fills, open } = await runBacktest(plainly({ strategy, bars: given }));
    expect(fills.map(({ side, symbol }) => `${side} ${symbol}`)).toEqual(['buy X', 'sell X', 'buy Y']);
    expect(open).toEqual([{ symbol: 'Y', quantity: '2500' }]);
  });

  test('whose order did not fill are ordered again at the next bar', async () => {
    // The order of the last bar before a gap finds no bar that day.
    const strategy = signalsOf(({ start }) => ({ X: Array.from(start, (_, bar) => (bar < 4 ? NaN : 1)) }));
    const whole = barsFrom(
      '2026-06-15',
      Array.from({ length: 392 }, () => 10),
    );
    const keep = (column: Float64Array) => Float64Array.from([...column.slice(0, 5), ...column.slice(390)]);
    const { start, open, high, low, close, volume } = whole;
    const columnsKept = { start: keep(start), open: keep(open), high: keep(high), low: keep(low), close: keep(close), volume: keep(volume) }; // prettier-ignore
    const { orders, fills } = await runBacktest(
      plainly({ strategy, bars: [{ symbol: 'X', interval: '1m', ...columnsKept }] }),
    );
    expect(orders).toMatchObject({ sent: 2, expired: 1, filled: 1 });
    expect(fills[0]?.at).toBe(start[391]);
  });

  test('have the same run id only with the same code and parameters', async () => {
    const idOf = async (options: Partial<BacktestOptions>) =>
      (await runBacktest(plainly({ bars, strategy: smaSignals, ...options }))).runId;
    const params = { symbol: 'X', interval: '1m' };
    expect(await idOf({ params })).toBe(await idOf({ params }));
    expect(await idOf({ params })).not.toBe(await idOf({ params: { ...params, fast: 3 } }));
    const [one, other] = [
      signalsOf(() => ({})),
      signalsOf(({ start }) => ({ X: Array.from(start, () => 0) })),
    ];
    expect(await idOf({ strategy: one })).not.toBe(await idOf({ strategy: other }));
  });
});

describe('signals computed ahead in a backtest equal those computed at each bar in a run', () => {
  const average = (symbol: string, given: SignalColumns) => {
    const { close } = given.of(symbol);
    const slow = columns(ema(20), close);
    return Array.from(slow, (value, bar) =>
      Number.isNaN(value) ? NaN : (close[bar] ?? NaN) > value ? 0.5 : 0,
    );
  };
  const two = ['X', 'Y'].map((symbol) => ({ symbol, interval: '1m' as const, warmUp: 40 }));
  const gappy = (every: number, symbol: string): BacktestBars => {
    const { start, open, high, low, close, volume } = named(symbol, prices);
    const keep = (column: Float64Array) => column.filter((_, index) => index % every > 0 || index === 0);
    return { symbol, interval: '1m', start: keep(start), open: keep(open), high: keep(high), low: keep(low), close: keep(close), volume: keep(volume) }; // prettier-ignore
  };

  test.each(['venue', 'next-open', 'close'] as const)('with fill %s', async (fill) => {
    const strategy = signalsOf((given) => ({ X: average('X', given), Y: average('Y', given) }), two);
    const from = bars[0]?.start[60] ?? NaN;
    const { ahead, live } = await both(
      plainly({ strategy, from, fill, bars: [gappy(5, 'X'), gappy(7, 'Y')] }),
    );
    expect(ahead.fills.length).toBeGreaterThan(40);
    expect(ahead.fills).toEqual(live.fills);
    expect(ahead.marks).toEqual(live.marks);
  });

  test('across a split, after which the columns start again with the warm-up', async () => {
    const lengths = new Set<number>();
    const strategy = signalsOf((given) => {
      lengths.add(given.of('X').start.length);
      return { X: average('X', given), Y: average('Y', given) };
    }, two);
    const halved = named('X', prices.map((price, minute) => (minute < 390 ? price : price / 2))); // prettier-ignore
    const actions = [
      { symbol: 'X', type: 'forward_split', exDate: '2026-06-16', oldRate: '1', newRate: '2' },
    ];
    const { ahead, live } = await both(plainly({ strategy, actions, bars: [halved, named('Y', prices)] }));
    expect(Math.max(...lengths)).toBe(900 - 390 + 40);
    expect(lengths).toContain(390);
    expect(ahead.fills.length).toBeGreaterThan(40);
    expect(ahead.fills).toEqual(live.fills);
    expect(ahead.marks).toEqual(live.marks);
  });
});

describe('signals that look ahead', () => {
  const greedy = signalsOf((given) => {
    const { close } = given.of('X');
    return { X: Array.from(close, (value, bar) => ((close[bar + 1] ?? value) > value ? 1 : 0)) };
  });
  const options = plainly({ strategy: greedy, bars });

  test('are refused with the name of a bar', async () => {
    await expect(runBacktest(options)).rejects.toThrow(
      /^strategy test looks ahead: its weight of X at the bar of 2026-06-1\dT\d\d:\d\d:00Z is 1, but 0 while the bars after that of .* are not known/,
    );
  });

  test('are found by the look-ahead check, too', async () => {
    const { found } = await checkLookahead(options, 8);
    expect(found).toMatchObject({
      strategy: 'test',
      withFuture: 'weight of X 1',
      withoutFuture: 'weight of X 0',
    });
  });

  test('are not confused with signals that do not look ahead', async () => {
    const strategy = smaSignals as unknown as StrategyDefinition;
    const honest = plainly({ strategy, params: { symbol: 'X', interval: '1m' }, bars });
    const { found, decisions, histories } = await checkLookahead(honest, 8);
    expect({ found, histories }).toEqual({ found: null, histories: 8 });
    expect(decisions).toBeGreaterThan(20);
    expect((await checkWarmUp(honest, 4)).found).toEqual([]);
  });
});

describe('invalid signals', () => {
  const run = (strategy: StrategyDefinition) => runBacktest(plainly({ strategy, bars }));

  test('end the run with the strategy, the symbol and the bar', async () => {
    const tooMuch = ({ start }: SignalColumns) => ({
      X: Array.from(start, (_, bar) => (bar === 7 ? 1.5 : 0)),
    });
    await expect(run(signalsOf(tooMuch))).rejects.toThrow(
      'strategy test: its signals cannot be computed: weight of X at the bar of 2026-06-15T13:37:00Z: 1.5 is not between 0 and 1',
    );
    await expect(run(signalsOf(() => ({ X: [1] })))).rejects.toThrow(
      'weights of X: 1 weights, expected one for each of its 900 bars',
    );
    const broken = () => {
      throw new RangeError('no such average');
    };
    await expect(run(signalsOf(broken))).rejects.toThrow(
      'strategy test: its signals cannot be computed: no such average',
    );
  });

  test('have weights that add up to more than 1', async () => {
    const needs = ['X', 'Y'].map((symbol) => ({ symbol, interval: '1m' as const }));
    const half = ({ start }: SignalColumns) => ({ X: Array.from(start, () => 0.5), Y: Array.from(start, (_, bar) => bar / 10 > 1 ? 1 : 0.5) }); // prettier-ignore
    const strategy = signalsOf(half, needs);
    await expect(runBacktest(plainly({ strategy, bars: [...bars, named('Y', prices)] }))).rejects.toThrow(
      'weights at the bar of 2026-06-15T13:41:00Z: together they are 1.5, more than 1',
    );
  });

  test('need bars of one interval and nothing else', async () => {
    const odd = (data: DataNeeds) => run({ ...signalsOf(() => ({})), data: () => data });
    const both = [{ symbol: 'X', interval: '1m' as const }, { symbol: 'X', interval: '5m' as const }]; // prettier-ignore
    const hour = barsFrom('2026-06-15', [1, 2, 3], '5m');
    const strategy = { ...signalsOf(() => ({})), data: () => ({ bars: both }) };
    await expect(runBacktest(plainly({ strategy, bars: [...bars, hour] }))).rejects.toThrow(
      'signals are computed from bars of one length, and data() asks for 1m and 5m',
    );
    await expect(odd({ bars: [] })).rejects.toThrow('signals need bars: name at least one symbol in data()');
    await expect(odd({ bars: both.slice(0, 1), quotes: ['X'] })).rejects.toThrow(
      'signals are computed from bars alone: leave quotes out of data()',
    );
  });
});
