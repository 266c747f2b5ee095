import { describe, expect, test } from 'vitest';
import { d10 } from '../../../bench/bars.ts';
import { checkWarmUp } from '../../../src/backtest/checks/warmUpCheck.ts';
import { ema, sma, type Indicator, type StrategyHooks } from '../../../src/strategy/index.ts';
import { strategyOf } from '../bars.ts';

const { interval, columns } = d10();
const bars = [{ symbol: 'X', interval, ...columns }];

/** Holds the stock above an average of closes. */
const above = (make: () => Indicator, warmUp: number) => ({
  ...strategyOf({}, { bars: [{ symbol: 'X', interval, warmUp }] }),
  create: () => {
    const average = make();
    return {
      onBar({ bar, order, view }: Parameters<NonNullable<StrategyHooks['onBar']>>[0]) {
        const isAbove = bar.close > average.next(bar.close);
        if (isAbove !== view.position('X') > 0) order.target('X', { weight: isAbove ? 1 : 0 });
      },
    };
  },
});

const check = (make: () => Indicator, warmUp: number) =>
  checkWarmUp({ strategy: above(make, warmUp), bars, cash: '100000', slippage: 'none' }, 6);

describe('the warm-up check', () => {
  test('finds a recursive average with too short a warm-up, and the length that is enough', async () => {
    const { starts, times, found } = await check(() => ema(60), 20);
    expect([starts, times]).toEqual([6, 16]);
    expect(found).toHaveLength(1);
    const [{ strategy, at, withDeclared, withMore, series } = { series: [] }] = found;
    expect(strategy).toBe('test');
    expect(at).toMatch(/^20/);
    expect(withDeclared).not.toEqual(withMore);
    expect(series).toMatchObject([{ symbol: 'X', interval, declared: 20 }]);
    expect([80, 160, null]).toContain(series[0]?.enough);
    expect((await check(() => ema(60), 600)).found).toEqual([]);
  });

  test('finds nothing in a window average with its warm-up, and the missing one without', async () => {
    const { decisions, found } = await check(() => sma(20), 20);
    expect(decisions).toBeGreaterThan(50);
    expect(found).toEqual([]);
    const undeclared = await check(() => sma(20), 0);
    expect(undeclared.found[0]?.series).toMatchObject([{ declared: 0, enough: 20 }]);
  });

  test('uses fewer bars before the start if there are few, and checks nothing if there are none', async () => {
    const few = (count: number) => {
      const cut = Object.fromEntries(
        Object.entries(columns).map(([name, column]) => [name, column.slice(0, count)]),
      );
      const short = [{ symbol: 'X', interval, ...(cut as typeof columns) }];
      return checkWarmUp({ strategy: above(() => sma(20), 20), bars: short }, 6);
    };
    expect((await few(200)).times).toBe(4);
    expect(await few(50)).toEqual({
      asked: 1,
      starts: 0,
      times: 1,
      decisions: 0,
      undecided: ['test'],
      found: [],
    });
  });
});
