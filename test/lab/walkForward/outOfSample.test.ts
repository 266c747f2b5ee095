import { expect, test } from 'vitest';
import { z } from 'zod';
import type { BacktestAction } from '../../../src/backtest/options.ts';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { tradeParts, type ChosenPart } from '../../../src/lab/walkForward/outOfSample.ts';
import type { TrialSetup } from '../../../src/lab/trials/trial.ts';
import { defineStrategy, ticker } from '../../../src/strategy/index.ts';
import { barsFrom } from '../../backtest/bars.ts';

const sessions = tradingCalendar.sessions('2026-03-02', '2026-03-31');
const bars = barsFrom(
  '2026-03-02',
  sessions.map((_, place) => 100 + ((place * 37) % 11)),
  '1d',
);
const dividend = (exDate: string, cashPerShare: string, payableDate: string): BacktestAction => ({
  symbol: 'X',
  type: 'cash_dividend',
  exDate,
  cashPerShare,
  payableDate,
});
/** One across each cut; the second is paid after the end of the following part. */
const actions = [dividend('2026-03-06', '3', '2026-03-12'), dividend('2026-03-13', '2', '2026-03-26')];
const CUTS = [0, 7, 14, sessions.length];
const dateAt = (place: number) => sessions[place]?.date ?? '';

/** Buys a share of the equity on the first day of each stretch, and sells it at the close of its last. */
const stretches = defineStrategy({
  name: 'stretches',
  description: 'holds parts of the equity',
  params: z.strictObject({
    symbol: ticker(),
    weights: z.record(z.string(), z.number()),
    sells: z.array(z.string()).default([]),
  }),
  data: ({ symbol }) => ({
    bars: [{ symbol, interval: '1d' }],
    timers: [{ name: 'end', at: '15:59' }],
  }),
  create: ({ params: { symbol, weights, sells } }) => ({
    onTimer({ view, order }) {
      const today = dateOf(view.session?.open);
      if (sells.includes(today)) order.target(symbol, { weight: 0 });
    },
    onBar({ bar, order }) {
      const weight = weights[dateOf(bar.start)];
      if (weight !== undefined) order.target(symbol, { weight });
    },
  }),
});
const dateOf = (at: number | undefined) => new Date(at ?? 0).toISOString().slice(0, 10);

const setup: TrialSetup = {
  options: { bars: [bars], actions, fill: 'close', fees: 'none', cash: '100000', benchmark: 'none' },
  strategy: { definition: stretches, params: { symbol: 'X' } },
  objectives: [],
  functions: {},
  clock: systemClock,
};
const datesOf = ({ from, to }: ChosenPart['span']) =>
  sessions.filter(({ open }) => open >= from && open < to).map(({ date, close }) => ({ date, at: close }));
const partsWith = (weights: readonly (number | null)[]): ChosenPart[] =>
  weights.map((weight, index) => {
    const [first = 0, next = 0] = CUTS.slice(index, index + 2);
    const span = { from: sessions[first]?.open ?? NaN, to: sessions[next]?.open ?? Infinity };
    return { span, params: weight === null ? null : { weights: { [dateAt(first)]: weight } as never } };
  });
const traded = (weights: readonly (number | null)[]) =>
  tradeParts(partsWith(weights), { setup, datesOf, startEquity: 100_000 });
const whole = (weights: readonly (number | null)[]) =>
  runBacktest({
    ...setup.options,
    strategy: stretches,
    params: {
      symbol: 'X',
      weights: Object.fromEntries(
        weights.flatMap((weight, index) => (weight === null ? [] : [[dateAt(CUTS[index] ?? 0), weight]])),
      ),
      sells: CUTS.slice(1).map((cut) => dateAt(cut - 1)),
    },
  });

test.each([
  ['the cash is enough', [0.6, 0.8, 0.5]],
  ['a whole part of the equity is more than the cash', [1, 1, 1]],
  ['a part holds cash', [0.9, null, 0.7]],
])(
  'parts with a dividend across each cut equal one long run with the same choices, where %s',
  async (_what, weights) => {
    const [{ figures, parts }, long] = [await traded(weights), await whole(weights)];
    expect(figures.marks).toHaveLength(long.marks.length);
    for (const [place, { equity }] of long.marks.entries())
      expect((figures.marks[place]?.equity ?? NaN) / equity).toBeCloseTo(1, 9);
    expect(long.events.filter(({ kind }) => kind === 'dividend').length).toBeGreaterThan(0);
    expect(parts[0]?.receivable).toBeGreaterThan(0);
    expect(parts.at(-1)).toMatchObject({ receivable: 0 });
  },
);

test('a dividend that no part receives is reported at the end of the last part', async () => {
  const parts = partsWith([0.9, 0.9, 0.9]).slice(0, 2);
  const { parts: ended } = await tradeParts(parts, { setup, datesOf, startEquity: 100_000 });
  const due = ended.at(-1)?.receivable ?? NaN;
  expect(due).toBeGreaterThan(0);
  expect(ended.at(-1)?.end).toBeCloseTo(
    (await whole([0.9, 0.9])).marks[(CUTS[2] ?? 0) - 1]?.equity ?? NaN,
    4,
  );
});

const endOf = async (options: Partial<TrialSetup['options']>) => {
  const [part] = partsWith([0.5, null, null]);
  if (!part) throw new Error('there is a part');
  const given = { setup: { ...setup, options: { ...setup.options, actions: [], ...options } }, datesOf };
  const { parts, figures } = await tradeParts([part], { ...given, startEquity: 100_000 });
  const [buy, sale] = figures.fills;
  return { buy, sale, unsold: parts[0]?.unsold, end: parts[0]?.end ?? NaN };
};
const closeOf = (place: number) => bars.close[place] ?? NaN;

test('the sale at the end of a part has volume slippage, like every sale', async () => {
  const { buy, sale, unsold, end } = await endOf({ slippage: 'volume:0.5' });
  const part = (buy?.shares ?? NaN) / 1_000;
  expect(part).toBeGreaterThan(0.4);
  expect(sale).toMatchObject({ side: 'sell', shares: buy?.shares });
  expect(sale?.price).toBeCloseTo(closeOf(6) * (1 - part ** 2 * 0.5), 9);
  expect(unsold).toBe(0);
  expect(end).toBeCloseTo(100_000 - (buy?.shares ?? 0) * ((buy?.price ?? 0) - (sale?.price ?? 0)), 6);
});

test('shares left unsold by the volume cap at the end of a part count at the close, and are reported', async () => {
  const { buy, sale, unsold, end } = await endOf({ volumeCap: 0.1 });
  // Bought by 100 a day over its one day; the last day takes 100 of them.
  expect(buy?.shares).toBe(100);
  expect([sale?.shares, unsold]).toEqual([100, 0]);
  const tight = await endOf({
    bars: [{ ...bars, volume: bars.volume.map((all, day) => (day === 6 ? 300 : all)) }],
    volumeCap: 0.1,
  });
  expect(tight.sale?.shares).toBe(30);
  expect(tight.unsold).toBeCloseTo(70 * closeOf(6), 6);
  expect(tight.end).toBeCloseTo(end, 6);
});

test('the sale at the end of a part is on the tick of the venue', async () => {
  const off = bars.close.map((close) => close + 0.004);
  const high = bars.high.map((price) => price + 0.004);
  const { sale } = await endOf({ bars: [{ ...bars, close: off, high }], fill: 'venue', slippage: 'none' });
  expect(sale?.price).toBe(closeOf(6));
});

test('the trades of a part add up to its equity change, also if some shares were sold before its end', async () => {
  const [whole, half] = [dateAt(0), dateAt(3)];
  const span = { from: sessions[0]?.open ?? NaN, to: sessions[7]?.open ?? NaN };
  const part = { span, params: { weights: { [whole]: 0.8, [half]: 0.4 } as never } };
  const given = { setup: { ...setup, options: { ...setup.options, actions: [], fees: 'bps:10' } }, datesOf };
  const { parts, figures } = await tradeParts([part], { ...given, startEquity: 100_000 });
  expect(figures.trades.map(({ exitReason }) => exitReason)).toEqual(['', 'end of an out-of-sample part']);
  const earned = figures.trades.reduce((sum, { pnl }) => sum + pnl, 0);
  expect(earned).toBeCloseTo((parts[0]?.end ?? NaN) - 100_000, 6);
  expect(parts[0]?.trades).toBe(2);
});

test('lots and fees by kind are known of all parts, the sales at their ends included', async () => {
  const own = { ...setup, options: { ...setup.options, fees: 'venue' } };
  const weights = [0.6, 0.8, 0.5];
  const { metrics } = await tradeParts(partsWith(weights), { setup: own, datesOf, startEquity: 100_000 });
  expect([metrics.closedLots, metrics.openLots, metrics.trades]).toEqual([3, 0, 3]);
  expect(metrics.mintFees).toBeGreaterThan(0);
  expect((metrics.mintFees ?? NaN) + (metrics.protocolFees ?? NaN)).toBeCloseTo(metrics.fees ?? NaN, 9);
});
