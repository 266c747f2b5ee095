import { expect, test } from 'vitest';
import type { BacktestOptions } from '../../../src/backtest/options.ts';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { sensitivityOf } from '../../../src/backtest/checks/sensitivity.ts';
import { barsFrom, plainly, strategyOf, type Row } from '../bars.ts';
import { barsOfDays, PHASES } from '../phaseStage.ts';

/** Buys ten after the first bar, and ten more by a limit at 99. */
const strategy = {
  ...strategyOf({}),
  create() {
    let seen = 0;
    return {
      onBar({ order }) {
        if (++seen !== 1) return;
        order.buy('X', { shares: 10 });
        order.limit('X', { side: 'buy', shares: 10, price: 99 });
      },
    };
  },
} satisfies ReturnType<typeof strategyOf>;

/** P&L of each line, and its difference from the first. */
const linesOf = async (rows: readonly Row[], more: Partial<BacktestOptions>) => {
  let facts = 0;
  const count = () => {
    facts++;
  };
  const options = plainly({ strategy, bars: [barsFrom('2026-06-15', rows)], ...more });
  const base = await runBacktest(options);
  const variations = await sensitivityOf({ ...options, onFact: count }, base);
  expect(facts).toBe(0);
  return variations.map(({ name, pnl, difference }) => [name, pnl, difference]);
};

test('a sensitivity run changes one setting at a time', async () => {
  // Sent half a minute late: the first fills at 102 plus a hundredth, the second only where its own bar counts.
  const rows: Row[] = [100, [100, 100, 98, 100], [102, 102, 99.5, 102], 110];
  expect(await linesOf(rows, { slippage: 'bps:100', latencyMs: 30_000 })).toEqual([
    ['as given', '69.8', '0'],
    ['ambiguous best', '179.8', '110'],
    ['slippage doubled', '59.6', '-10.2'],
    ['no slippage', '80', '10.2'],
    ['latency 0', '200', '130.2'],
    ['latency of a bar', '69.8', '0'],
    ['limit fill through', '69.8', '0'],
  ]);
});

test('a setting that already has the other value is not run again', async () => {
  const rows: Row[] = [100, 100, [102, 102, 99, 102], 110];
  expect(await linesOf(rows, {})).toEqual([
    ['as given', '210', '0'],
    ['ambiguous best', '210', '0'],
    ['latency of a bar', '190', '-20'],
    ['limit fill through', '100', '-110'],
  ]);
  const lines = await linesOf(rows, { ambiguous: 'best', limitFill: 'through' });
  expect(lines.map(([name]) => name)).toEqual(
    expect.arrayContaining(['ambiguous worst', 'limit fill touch']) as string[],
  );
});

test('a losing run is compared like any other', async () => {
  const rows: Row[] = [100, 100, [102, 102, 99, 102], 90];
  expect(await linesOf(rows, {})).toEqual([
    ['as given', '-190', '0'],
    ['ambiguous best', '-190', '0'],
    ['latency of a bar', '-210', '-20'],
    ['limit fill through', '-100', '90'],
  ]);
});

test('a strategy that keeps state from one run to the next gets no sensitivity lines', async () => {
  let made = 0;
  const keeping = {
    ...strategy,
    create() {
      const shares = ++made;
      return { onStart: ({ order }) => order.buy('X', { shares }) };
    },
  } satisfies ReturnType<typeof strategyOf>;
  await expect(linesOf([100, 100, 110], { strategy: keeping })).rejects.toThrow(
    'repeating the same backtest gives another result',
  );
});

test('a run with stops has a line for their latency', async () => {
  let count = 0;
  const held = {
    ...strategyOf({}),
    create: () => {
      count = 0;
      return {
        onBar({ order }) {
          if (++count === 1) order.bracket('X', { entry: { shares: 10 }, stopLoss: { percent: 5 } });
        },
      };
    },
  } satisfies ReturnType<typeof strategyOf>;
  const rows: Row[] = [100, [100, 101, 99, 100], [97, 98, 94, 96], 93];
  const lines = await linesOf(rows, { strategy: held });
  // Bought at 100 and sold at 95; five seconds later bought at the open of 97, with a stop of 92.15 that 93 does not meet.
  expect(lines[0]).toEqual(['as given', '-50', '0']);
  expect(lines).toContainEqual(['latency 5 s longer', '-40', '10']);
});

test.each([
  ['asks for bars of the evening has no line without them', ['regular', 'post'] as const],
  ['asks for no such bars has a line without trading there', null],
])('the sensitivity of a run whose strategy %s', async (_what, phases) => {
  const days = barsOfDays('2026-06-15', '2026-06-16', {});
  const set = (columns: typeof days.regular) => ({ symbol: 'X', interval: '15m' as const, ...columns });
  const options = plainly({
    strategy: strategyOf({}, { bars: [{ symbol: 'X', interval: '15m', ...(phases && { phases }) }] }),
    bars: [set(days.regular)],
    outside: { trade: PHASES, bars: [set(days.outside)] },
  });
  const names = (await sensitivityOf(options, await runBacktest(options))).map(({ name }) => name);
  expect(names).toContain('slippage outside spread:10');
  expect(names.includes('no trading outside the session')).toBe(phases === null);
});
