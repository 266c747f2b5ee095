import { expect, test } from 'vitest';
import { runBacktest } from '../../../../src/backtest/runBacktest.ts';
import { backtestText, sparkline } from '../../../../src/cli/commands/backtest/summary.ts';
import { metricText } from '../../../../src/report/numberText.ts';
import { barsFrom, plainly, strategyOf } from '../../../backtest/bars.ts';

const terminal = (colour: boolean) => ({ colour, out: () => undefined, err: () => undefined });
const plain = (text: string) => text.replace(/\u001B\[\d+m/g, '');

/** Summaries of one share held over these closes. */
const summaries = async (closes: readonly number[]) => {
  const strategy = strategyOf(
    {
      onBar({ order, view }) {
        if (!view.position('X')) order.buy('X', { shares: 1 });
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
  const result = await runBacktest(
    plainly({ strategy, bars: [barsFrom('2026-06-15', closes, '1d')], cash: '200' }),
  );
  return [backtestText(result, terminal(false)), backtestText(result, terminal(true))] as const;
};

test('a coloured summary has the same words as a plain one, and shows a loss in red', async () => {
  const [words, coloured] = await summaries([100, 100, 90, 95, 80]);
  expect(plain(coloured)).toBe(words);
  expect(plain(words)).toBe(words);
  expect(coloured).toContain('\u001B[31m-20.00 (-10.00 %)\u001B[39m');
});

test('the summary of a one-session run shows a dash for an undefined metric', async () => {
  const [words] = await summaries([100]);
  expect(words).toMatch(/growth a year\s+– {4}Sharpe\s+– /);
  expect(words).not.toMatch(/drawdown {2}peak|Jan|▁/);
});

test('a benchmark listed after the first session is shown without a return, with the reason', async () => {
  const late = { ...barsFrom('2026-06-16', [50, 60], '1d'), symbol: 'NEW' };
  const bars = [barsFrom('2026-06-15', [100, 101, 102], '1d'), late];
  const result = await runBacktest(
    plainly({ strategy: strategyOf({}, { bars: [] }), bars, benchmark: 'NEW' }),
  );
  expect(backtestText(result, terminal(false))).toContain(
    'holding  NEW –: NEW has no price at the first close of the run\n',
  );
});

test('the summary of a run on weekly bars counts weeks', async () => {
  const bars = [{ ...barsFrom('2026-06-15', [100], '1d'), interval: '1w' as const }];
  const result = await runBacktest(plainly({ strategy: strategyOf({}, { bars: [] }), bars }));
  expect(backtestText(result, terminal(false))).toContain(': 1 bar in 1 week, ');
});

test('the table of months leaves months outside the run empty', async () => {
  const [words] = await summaries([...Array.from({ length: 13 }, () => 100), 110]);
  expect(words).toMatch(/\n% {5}Jan .* Year\n2026 {27}0\.0 {2}5\.0 {25} {5}5\.0\n/);
});

test.each([
  [[1, 2, 3, 4, 5, 6, 7, 8], '▁▂▃▄▅▆▇█'],
  [[5, 5, 5], '▅▅▅'],
  [[1], ''],
  [Array.from({ length: 1_000 }, (_, index) => index), /^▁+▂+▃+▄+▅+▆+▇+█+$/],
])('a sparkline of %j', (values, line) => {
  if (typeof line === 'string') expect(sparkline(values)).toBe(line);
  else expect(sparkline(values)).toMatch(line);
  expect(sparkline(values).length).toBeLessThanOrEqual(64);
});

test.each([
  ['totalReturn', 0.12345, '12.35 %'],
  ['totalReturn', -0.000_001, '0.00 %'],
  ['maxDrawdownCash', -12_345.678, '-12,345.68'],
  ['longestDrawdownDays', 894, '894 d'],
  ['tradeDaysMean', 0.25, '6.0 h'],
  ['sharpe', null, '–'],
  ['feesBps', 10, '10.0 bps'],
  ['of a later version', 1.5, '1.50'],
] as const)('%s of %d reads %s', (name, value, text) => {
  expect(metricText(name, value)).toBe(text);
});

test('a warm-up with too few bars before the first counted bar says how many are missing', async () => {
  const bars = [barsFrom('2026-06-15', [100, 101, 102, 103, 104], '1d')];
  const needs = { bars: [{ symbol: 'X', interval: '1d' as const, warmUp: 3 }] };
  const from = async (index: number) => {
    const given = { strategy: strategyOf({}, needs), bars, from: bars[0]?.start[index] ?? NaN };
    return runBacktest(plainly(given));
  };
  const late = await from(2);
  const gap = { strategy: 'test', symbol: 'X', interval: '1d', needed: 3, had: 2, missing: 1 };
  expect(late.warmUp).toEqual([gap]);
  expect(backtestText(late, terminal(false))).toContain(
    '\nwarm-up  test: 1 of 3 bars of X 1d missing before the first one that counts\n',
  );
  const whole = await from(3);
  expect(whole.warmUp).toEqual([]);
  expect(backtestText(whole, terminal(false))).not.toContain('warm-up');
});

test('trade metrics computed from lots are marked "by lots" if no round trip has closed', async () => {
  let bar = 0;
  const strategy = strategyOf(
    {
      onBar({ order }) {
        bar++;
        if (bar <= 12) order.buy('X', { shares: 2 });
        else order.sell('X', { shares: 1 });
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
  const closes = Array.from({ length: 25 }, (_, index) => 100 + index);
  const result = await runBacktest(plainly({ strategy, bars: [barsFrom('2026-06-01', closes, '1d')] }));
  expect(result.tradeMetricsFrom).toBe('lots');
  expect(backtestText(result, terminal(false))).toMatch(
    /\ntrades {3}0 closed, open .* X, won 100\.00 %.* \(by lots\)\n/,
  );
});
