import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { BacktestOptions } from '../../../src/backtest/options.ts';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { messageOf } from '../../../src/core/errors.ts';
import { inProcess } from '../../../src/engine/strategy/strategyRuntime.ts';
import { prepareColumnar } from '../../../src/lab/columnar/prepareColumnar.ts';
import {
  defineSignals,
  defineStrategy,
  type SignalWeights,
  type StrategyDefinition,
} from '../../../src/strategy/index.ts';
import { barsFrom } from '../../backtest/bars.ts';

const bars = [barsFrom('2026-06-15', [100, 101, 103, 102, 104, 106], '1m')];
/** A bar that begins 33 s before the close, just before its fill would be known too late for another order. */
const lateBar = {
  ...barsFrom('2026-06-15', [100], '1m'),
  start: Float64Array.of(Date.UTC(2026, 5, 15, 19, 59, 27)),
};
const data = () => ({ bars: [{ symbol: 'X', interval: '1m' as const }] });
const params = z.looseObject({});
const common = { name: 'held', description: 'of a test', params, data } as const;

const signalsOf = (weights: (closes: ArrayLike<number>) => SignalWeights) =>
  defineSignals({ ...common, signals: (given) => weights(given.of('X').close) });
const held = signalsOf(({ length }) => ({ X: new Float64Array(length).fill(0.5) }));
const hooks = defineStrategy({ ...common, create: () => ({}) });

const options: BacktestOptions = { bars, fill: 'next-open' };
const whyNot = (given: Partial<BacktestOptions>) => {
  const strategy = given.strategies ? {} : { strategy: held };
  const prepared = prepareColumnar({ ...options, ...strategy, ...given });
  return prepared.supported ? [] : prepared.why;
};

describe('the columnar engine', () => {
  test.each<[what: string, given: Partial<BacktestOptions>]>([
    ['both fee models', { fees: 'bps:10' }],
    ['closes', { fill: 'close' }],
    ['slippage in basis points', { slippage: 'bps:5' }],
    ['the venue, with the spread and the delay of the default', { fill: 'venue' }],
    [
      'a strategy with all of the cash as its capital',
      { strategies: [{ definition: held, capital: '100000' }] },
    ],
    ['limits that never bind', { limits: { limitPolicy: 'reduce' } }],
  ])('plays %s', (_, given) => {
    expect(whyNot(given)).toEqual([]);
  });

  test.each<[what: string, given: Partial<BacktestOptions>]>([
    [
      'several strategies',
      {
        strategies: [
          { definition: held, id: 'a' },
          { definition: held, id: 'b' },
        ],
      },
    ],
    ['a strategy that is not of defineSignals', { strategy: hooks }],
    ['dividends tokens', { dividends: 'tokens' }],
    ['dividends price', { dividends: 'price' }],
    ['dividends of single stocks', { stockDividends: { X: 'price' } }],
    ['dividends with withheld tax', { withheldPercent: 15 }],
    [
      'a strategy in a thread of its own (--isolate)',
      { strategies: [{ definition: held, createRuntime: inProcess(held, {}) }] },
    ],
    ["a strategy's capital separate from the cash", { strategies: [{ definition: held, capital: '5000' }] }],
    ['limits', { limits: { ordersPerMinute: 5 } }],
    ['limits', { strategies: [{ definition: held, limits: { ordersPerMinute: 5 } }] }],
    ['slippage volume', { slippage: 'volume:0.1' }],
    ['a volume cap', { volumeCap: 0.1 }],
    ['latency', { latencyMs: 1 }],
    ['a delay of settlements', { settlementMs: 30_001 }],
    ['a delay of settlements', { fill: 'close', settlementMs: 1 }],
    ['bars of the last 33.5 s of a session', { fill: 'venue', bars: [lateBar] }],
    ['delisted zero', { delisted: 'zero' }],
    ['bars of several lengths (1m, 5m)', { bars: [...bars, barsFrom('2026-06-15', [100, 103], '5m')] }],
    ['weekly bars', { bars: [{ ...barsFrom('2026-06-15', [100, 103], '1d'), interval: '1w' }] }],
    [
      'phases outside the session',
      { outside: { trade: ['regular', 'post'], bars: [barsFrom('2026-06-15', [100], '1m')] } },
    ],
    ['events of the journal (onFact)', { onFact: () => undefined }],
  ])('refuses %s by name', (what, given) => {
    expect(whyNot(given)).toEqual([what]);
  });

  test.each<[what: string, strategy: StrategyDefinition]>([
    ['weights of the wrong length', signalsOf(({ length }) => ({ X: new Float64Array(length).fill(2) }))],
    ['a list of another length', signalsOf(() => ({ X: [1] }))],
    [
      'code that throws',
      signalsOf(() => {
        throw new Error('on purpose');
      }),
    ],
    [
      'a look ahead',
      signalsOf((closes) => ({
        X: Array.from(closes, (close, bar) => (Number(closes[bar + 1]) > close ? 1 : 0)),
      })),
    ],
  ])('refuses %s as the full engine does', async (_, strategy) => {
    const given = { ...options, strategy };
    const kernel = await runBacktest(given).then(() => 'no error', messageOf);
    const prepared = prepareColumnar(given);
    const run = () => prepared.supported && prepared.run({});
    expect(kernel).toMatch(/^strategy held/);
    expect(run).toThrow(kernel);
  });

  test('finds a look-ahead that only a later trial has', () => {
    const strategy = defineSignals({
      ...common,
      params: z.object({ ahead: z.number() }),
      signals: (given, { ahead }) => {
        const { close } = given.of('X');
        return { X: Array.from(close, (value, bar) => (Number(close[bar + ahead]) > value ? 1 : 0)) };
      },
    });
    const prepared = prepareColumnar({ ...options, strategy });
    if (!prepared.supported) throw new Error('not supported');
    expect(prepared.run({ ahead: -1 }).runId).toMatch(/^[0-9a-f]{32}$/);
    expect(() => prepared.run({ ahead: 1 })).toThrow('strategy held looks ahead');
  });
});
