import { describe, expect, test } from 'vitest';
import { d10, m1x20, m5y, type BarSet } from '../../bench/bars.ts';
import type { BacktestOptions } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { StrategyDefinition } from '../../src/strategy/index.ts';
import benchRsi from '../../bench/strategies/bench-rsi.ts';
import benchSma from '../../bench/strategies/bench-sma.ts';
import { plainRsi, plainSma } from './plainLoop.ts';

const definitions = { sma: benchSma, rsi: benchRsi } as unknown as Record<'sma' | 'rsi', StrategyDefinition>;

const optionsFor = (name: 'sma' | 'rsi', { interval, columns }: BarSet): BacktestOptions => ({
  strategy: definitions[name],
  params: { symbol: 'X', interval },
  bars: [{ symbol: 'X', interval, ...columns }],
  cash: '1000000',
  fees: 'bps:10',
  fill: 'next-open',
  slippage: 'none',
});

describe('a benchmark strategy', () => {
  test.each([
    ['sma', d10(), 47, '1291.469294'],
    ['sma', m5y(), 9_623, '-29366.126543'],
    ['rsi', d10(), 10, '1378.21532661'],
    ['rsi', m5y(), 353, '-1175.46635252'],
  ] as const)('%s gives its known result', async (...[name, set, trades, pnl]) => {
    const result = await runBacktest(optionsFor(name, set));
    expect({ trades: result.trades, pnl: result.pnl }).toEqual({ trades, pnl });
    expect(result.bars).toBe(set.columns.start.length);
  });

  test.each([1, 7, 1234, 99_991])('agrees with a plain loop on seed %i', async (seed) => {
    for (const set of [d10(seed), m5y(seed, 120)]) {
      const isDaily = set.interval === '1d';
      const plain = { sma: plainSma(set.columns), rsi: plainRsi(set.columns, isDaily) };
      for (const name of ['sma', 'rsi'] as const) {
        const { trades, pnl } = await runBacktest(optionsFor(name, set));
        expect(trades).toBe(plain[name].trades);
        expect(Number(pnl)).toBeCloseTo(plain[name].pnl, 6);
      }
    }
  });

  test('on four symbols at once gives the sum of one on each', async () => {
    const sets = m1x20().slice(0, 4);
    const cut = sets.map(({ columns }) =>
      Object.fromEntries(
        Object.entries(columns).map(([name, column]) => [name, column.subarray(0, 390 * 20)]),
      ),
    ) as unknown as BarSet['columns'][];
    const names = cut.map((_, index) => `S${index}`);
    const together = await runBacktest({
      ...optionsFor('sma', d10()),
      strategy: undefined as never,
      strategies: names.map((symbol) => ({ definition: definitions.sma, id: symbol, params: { symbol } })),
      bars: cut.map((columns, index) => ({ symbol: `S${index}`, interval: '1m', ...columns })),
    });
    const alone = cut.map(plainSma);
    expect(together.trades).toBe(alone.reduce((sum, { trades }) => sum + trades, 0));
    expect(Number(together.pnl)).toBeCloseTo(
      alone.reduce((sum, { pnl }) => sum + pnl, 0),
      6,
    );
  });

  test('gives the same result and run id twice, and another id for other data or another seed', async () => {
    const options = optionsFor('sma', d10());
    const [first, second] = [await runBacktest(options), await runBacktest(options)];
    expect({ ...second, elapsedMs: null }).toEqual({ ...first, elapsedMs: null });
    const others = [optionsFor('sma', d10(43)), { ...options, seed: 1 }, { ...options, fees: 'none' }];
    const ids = await Promise.all(others.map(async (other) => (await runBacktest(other)).runId));
    expect(new Set([first.runId, ...ids]).size).toBe(4);
  });
});
