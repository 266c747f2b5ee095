import { describe, expect, test } from 'vitest';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { BacktestResult } from '../../src/backtest/result.ts';
import { recordOf } from '../../src/app/backtest/record.ts';
import { backtestText } from '../../src/cli/commands/backtest/summary.ts';
import { parseDecimal, toNumber } from '../../src/core/amount.ts';
import { pageOf } from '../report/html/pageOf.ts';
import { blockOf } from '../report/html/reading.ts';
import { parseRunRecord } from '../../src/report/runRecord.ts';
import { barsFrom, plainly, strategyOf } from './bars.ts';

const terminal = { colour: false, out: () => undefined, err: () => undefined };
const exact = (text: string): bigint => parseDecimal(text, { signed: true });
const daily = { bars: [{ symbol: 'X', interval: '1d' as const }] };

/** Buys once and holds. */
const holder = () => {
  let bars = 0;
  return strategyOf(
    {
      onBar({ order }) {
        if (bars++ === 0) order.buy('X', { shares: 7 });
      },
    },
    daily,
  );
};

/** Buys and sells alternately, and each day orders more than it can ever pay for. */
const trader = () => {
  let bars = 0;
  return strategyOf(
    {
      onBar({ order, view }) {
        bars++;
        if (view.position('X') > 0) order.sell('X', { all: true });
        else order.buy('X', { shares: 3 });
        order.buy('X', { notional: 1_000_000 + bars });
      },
    },
    daily,
  );
};

const options = () =>
  plainly({
    strategies: [
      { definition: holder(), id: 'holder', capital: '4000' },
      { definition: trader(), id: 'my-trader', capital: '5000' },
    ],
    bars: [barsFrom('2026-06-15', [100, 104, 99, 103, 108, 101, 110, 97], '1d')],
    actions: [
      { symbol: 'X', type: 'reverse_split', exDate: '2026-06-18', oldRate: '3', newRate: '1' },
      { symbol: 'X', type: 'cash_dividend', exDate: '2026-06-17', cashPerShare: '0.31' },
    ],
    fees: 'bps:25',
  });

const sumOf = ({ strategies, unallocated }: BacktestResult): bigint =>
  [...strategies, unallocated].reduce((sum, { pnl }) => sum + exact(pnl), 0n);

describe('a backtest of several strategies', () => {
  test('counts orders, fills, drops and profit by strategy, which add up to the whole', async () => {
    const result = await runBacktest(options());
    const { strategies, orders, dropped, fees, pnl } = result;
    const [one, two] = strategies;
    expect(strategies.map(({ id }) => id)).toEqual(['holder', 'my-trader']);
    expect(one?.orders).toMatchObject({ planned: 1, filled: 1, dropped: 0 });
    expect(two?.orders.planned).toBeGreaterThan(3);
    expect(two?.orders.dropped).toBeGreaterThan(5);
    expect(two?.dropped).toEqual(dropped);
    for (const [name, count] of Object.entries(orders))
      expect(
        strategies.reduce((sum, own) => sum + own.orders[name as keyof typeof orders], 0),
        name,
      ).toBe(count);
    expect(sumOf(result)).toBe(exact(pnl));
    expect(exact(one?.fees ?? '') + exact(two?.fees ?? '')).toBe(exact(fees));
    for (const own of strategies)
      expect(exact(own.realisedPnl) + exact(own.unrealisedPnl)).toBe(exact(own.pnl));
  });

  test('has the profit of each strategy at every close, ending with its total', async () => {
    const { marks, strategies } = await runBacktest(options());
    expect(marks.at(-1)?.earned).toEqual(
      Object.fromEntries(strategies.map(({ id, pnl }) => [id, toNumber(exact(pnl))])),
    );
    for (const { earned = {}, equity } of marks)
      expect(10_000 + (earned['holder'] ?? NaN) + (earned['my-trader'] ?? NaN)).toBeCloseTo(equity, 6);
  });

  test('shows the strategies in the terminal and in the report', async () => {
    const given = options();
    const result = await runBacktest(given);
    const text = backtestText(result, terminal);
    const lineOf = (name: string) => text.split('\n').find((line) => line.startsWith(`${name} `)) ?? '';
    expect(lineOf('holder').split(/ {2,}/).slice(0, 4)).toEqual(['holder', '1', '1', '0']);
    expect(lineOf('my-trader').split(/ {2,}/)[3]).toBe(String(result.orders.dropped));
    expect(lineOf('unallocated')).not.toBe('');
    expect(lineOf('together')).toMatch(new RegExp(`${Number(result.pnl).toFixed(2)}$`));
    expect(text).toContain(`dropped of my-trader  ${result.orders.dropped}: needs … mUSD, has … free`);
    const record = parseRunRecord(JSON.stringify(recordOf(result, given)), 'a.json');
    const page = pageOf(record);
    expect(page.indexOf('<section id="strategies">')).toBeLessThan(page.indexOf('<section id="risk">'));
    expect(blockOf(page, 'strategy-profits')).toMatchObject({
      columns: ['holder', 'my-trader'].map((name) => ({
        name,
        values: [0, ...result.marks.map(({ earned }) => expect.closeTo(earned?.[name] ?? NaN, 1) as number)],
      })),
    });
    expect(page).toContain('<td>my-trader</td><td>needs … mUSD, has … free</td>');
  });
});

test('a backtest of one strategy has its line in the result, and none on the screen', async () => {
  const given = plainly({
    strategy: holder(),
    bars: [barsFrom('2026-06-15', [100, 104, 99, 103], '1d')],
  });
  const result = await runBacktest(given);
  expect(result.strategies).toHaveLength(1);
  expect(result.marks.every(({ earned }) => earned === undefined)).toBe(true);
  expect(sumOf(result)).toBe(exact(result.pnl));
  expect(backtestText(result, terminal)).not.toContain('unallocated');
  expect(pageOf(recordOf(result, given))).not.toContain('id="strategies"');
});
