import { expect, test } from 'vitest';
import { heldReturns } from '../../../src/lab/belief/belief.ts';
import { crisisReturns } from '../../../src/lab/belief/stress.ts';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import type { BacktestAction } from '../../../src/backtest/options.ts';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { benchmarkReturns } from '../../../src/statistics/benchmark.ts';
import { barsFrom, plainly, strategyOf } from '../../backtest/bars.ts';
import { barsOfDays } from '../../backtest/phaseStage.ts';

const sessions = tradingCalendar.sessions('2026-03-09', '2026-03-12');
const bars = barsFrom('2026-03-09', [[100, 110, 95, 105], 110, 55, 66], '1d');

test('the holding return begins at the first open, and a split is no loss', () => {
  const actions = [{ symbol: 'X', type: 'forward_split', exDate: '2026-03-11', oldRate: '1', newRate: '2' }];
  const returns = heldReturns({ bars: [bars], actions }, sessions);
  expect([...(returns ?? [])].map((value) => Number(value.toFixed(12)))).toEqual([
    0.05, 0.047619047619, 0, 0.2,
  ]);
  expect(heldReturns({ bars: [bars] }, sessions)?.[2]).toBeCloseTo(-0.5, 12);
});

test('the holding return of a part starts at the open of its first session, like a run', () => {
  const gap = barsFrom('2026-03-09', [100, [120, 130, 120, 126], 126, 126], '1d');
  const part = heldReturns({ bars: [gap] }, sessions.slice(1));
  expect(part?.[0]).toBeCloseTo(126 / 120 - 1, 12);
  expect(heldReturns({ bars: [gap] }, sessions)?.[1]).toBeCloseTo(126 / 100 - 1, 12);
});

test('a dividend is part of the holding return of its ex-date, whenever it is paid', () => {
  const dividend = { symbol: 'X', type: 'cash_dividend', cashPerShare: '5.5', payableDate: '2026-06-30' };
  const of = (exDate: string, ...more: readonly BacktestAction[]) => [
    ...(heldReturns({ bars: [bars], actions: [{ ...dividend, exDate }, ...more] }, sessions) ?? []),
  ];
  expect(of('2026-03-10')[1]).toBeCloseTo((110 + 5.5) / 105 - 1, 12);
  // A buyer at the open of the ex-date has no right to it.
  expect(of('2026-03-09')[0]).toBeCloseTo(0.05, 12);
  // Per share before the split of its day.
  const split = { symbol: 'X', type: 'forward_split', exDate: '2026-03-11', oldRate: '1', newRate: '2' };
  expect(of('2026-03-11', split)[2]).toBeCloseTo((2 * 55 + 5.5) / 110 - 1, 12);
  expect(of('2026-03-12', split)[3]).toBeCloseTo((66 + 5.5) / 55 - 1, 12);
});

test.each([
  ['is reduced by withheld tax', { withheldPercent: 20 }, 4.4],
  ['is zero if the prices contain it', { dividends: 'price' }, 0],
  ['comes as its stock is configured', { dividends: 'price', stockDividends: { X: 'tokens' } }, 5.5],
] as const)('the dividend of a holding %s, as in a run', async (_what, given, paid) => {
  const actions = [{ symbol: 'X', type: 'cash_dividend', exDate: '2026-03-10', cashPerShare: '5.5' }];
  expect(heldReturns({ bars: [bars], actions, ...given }, sessions)?.[1]).toBeCloseTo(
    (110 + paid) / 105 - 1,
    12,
  );
  const strategy = strategyOf({}, { bars: [{ symbol: 'X', interval: '1d' }] });
  const { metrics } = await runBacktest(plainly({ strategy, bars: [bars], actions, ...given }));
  expect(metrics.benchmarkReturn).toBeCloseTo((1 + paid / 110) * (66 / 100) - 1, 12);
});

test('the holding return of several stocks is the mean of those that have a price', () => {
  const late = { ...barsFrom('2026-03-11', [10, 11], '1d'), symbol: 'Y' };
  const returns = heldReturns({ bars: [bars, late] }, sessions) ?? [];
  expect(returns[1]).toBeCloseTo(110 / 105 - 1, 12);
  expect(returns[3]).toBeCloseTo((0.2 + 0.1) / 2, 12);
});

test('a stock without a bar in a session keeps its price there, as in the benchmark of a backtest', async () => {
  const [first, , third] = barsFrom('2026-03-09', [10, 11, 12], '1d').start;
  const others = barsFrom('2026-03-09', [100, 102, 50, 55], '1d');
  const halted = {
    ...barsFrom('2026-03-09', [10, 12], '1d'),
    start: Float64Array.of(first ?? 0, third ?? 0),
  };
  const actions = [
    { symbol: 'Y', type: 'cash_dividend', exDate: '2026-03-10', cashPerShare: '1' },
    { symbol: 'X', type: 'forward_split', exDate: '2026-03-11', oldRate: '1', newRate: '2' },
  ];
  const market = { bars: [others, { ...halted, symbol: 'Y' }], actions };
  const strategy = strategyOf({}, { bars: [{ symbol: 'X', interval: '1d' }] });
  const { benchmark } = await runBacktest(plainly({ ...market, strategy }));
  expect([...(heldReturns(market, sessions) ?? [])].map((value) => Number(value.toFixed(12)))).toEqual([
    0, 0.06, 0.090196078431, 0.1,
  ]);
  expect(benchmark && benchmarkReturns(benchmark)).toEqual(
    [0, 0.06, 0.090196078431, 0.1].map((value) => expect.closeTo(value, 12) as unknown),
  );
});

test.each([
  ['the first evening', '2026-03-08T20:00-04:00'],
  ['within a night', '2026-03-10T02:00-04:00'],
])('if phases are traded, holding from %s on is the benchmark of a backtest', async (_when, begin) => {
  const { regular, outside } = barsOfDays('2026-03-09', '2026-03-12', {
    '2026-03-08 20:00': [90, 90, 90, 90],
    '2026-03-09 19:45': [110, 110, 110, 110],
    '2026-03-10 02:00': [120, 120, 120, 120],
    '2026-03-12 19:45': [130, 130, 130, 130],
  });
  const set = (columns: typeof regular) => ({ symbol: 'X', interval: '15m' as const, ...columns });
  const market = {
    bars: [set(regular)],
    outside: { trade: ['overnight', 'regular', 'post'] as const, bars: [set(outside)] },
    from: Date.parse(begin),
  };
  const strategy = strategyOf({}, { bars: [{ symbol: 'X', interval: '15m' }] });
  const { benchmark, marks } = await runBacktest(plainly({ ...market, strategy, fill: 'venue' }));
  const days = sessions.filter(({ date }) => marks.some((mark) => mark.date === date));
  expect([...(heldReturns(market, days) ?? [])]).toEqual(
    benchmark && benchmarkReturns(benchmark).map((value) => expect.closeTo(value ?? NaN, 12)),
  );
  expect(benchmark?.start).toBe(begin.includes('-08') ? 90 : 120);
});

test('the crises of a study are those within its run, each with the return of holding', () => {
  const covid = tradingCalendar.sessions('2020-02-03', '2020-04-30');
  const marks = covid.map(({ date, close }, index) => ({
    date,
    at: close,
    equity: 1_000 - index,
    cash: 0,
    positions: {},
  }));
  const found = crisisReturns(
    { marks, equity: { start: '1000', end: '0' } },
    covid,
    new Float64Array(covid.length).fill(-0.01),
  );
  expect(found.map(({ name, from, to }) => [name, from, to])).toEqual([
    ['Covid crash', '2020-02-20', '2020-03-23'],
  ]);
  const [first, last] = ['2020-02-19', '2020-03-23'].map((day) =>
    covid.findIndex(({ date }) => date === day),
  );
  expect(found[0]?.own).toBeCloseTo((1_000 - (last ?? 0)) / (1_000 - (first ?? 0)) - 1, 12);
  expect(found[0]?.held).toBeCloseTo(0.99 ** ((last ?? 0) - (first ?? 0)) - 1, 12);
});
