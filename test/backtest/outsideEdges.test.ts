import { describe, expect, test } from 'vitest';
import { newYorkTime } from '../../src/calendar/index.ts';
import type { HookContext } from '../../src/strategy/index.ts';
import { buy, fillsIn, limit, playPhases, wallTime } from './phaseStage.ts';

describe('orders that the bot holds', () => {
  const held = { '2026-06-15 10:00': limit(10, 100) };
  const days = ['2026-06-15', '2026-06-16'] as const;

  test('are triggered only within bars of the phases that they name', async () => {
    const prices = { '2026-06-16 03:00': [99, 99, 97, 98.5], '2026-06-16 05:00': [99, 99, 96, 99] } as const;
    const stopIn = (...phases: ('overnight' | 'pre')[]) => ({
      ...held,
      '2026-06-15 17:00': ({ order }: HookContext) => order.stop('X', { all: true, stop: 98, phases }),
    });
    expect(fillsIn(await playPhases({ days, prices, acts: stopIn('overnight') }))[1]).toBe(
      '2026-06-16 03:14 sell 10 at 98',
    );
    expect(fillsIn(await playPhases({ days, prices, acts: stopIn('pre') }))[1]).toBe(
      '2026-06-16 05:14 sell 10 at 98',
    );
  });

  test('ignore prices in phases in which their stop does not act', async () => {
    const night = Object.fromEntries(
      ['20:00', '20:15', '20:30', '20:45', '21:00'].map((time) => [
        `2026-06-15 ${time}`,
        [98, 98.1, 97.9, 98] as const,
      ]),
    );
    const acts = {
      ...held,
      '2026-06-15 15:00': ({ order }: HookContext) => order.stop('X', { shares: 5, stop: 99.5 }),
      '2026-06-15 20:05': ({ order }: HookContext) =>
        order.trail('X', { shares: 5, by: { percent: 0.4 }, phases: ['overnight'] }),
    };
    const fills = fillsIn(await playPhases({ days, prices: night, acts }));
    expect(fills.filter((fill) => fill.startsWith('2026-06-15 2')).join()).not.toMatch(/at 99/);
  });
});

describe('an order that arrives after its time', () => {
  test('does not trade in the phase after it', async () => {
    const acts = { '2026-06-15 15:59': limit(10, 100), '2026-06-15 19:59': limit(5, 100) };
    const run = { days: ['2026-06-15', '2026-06-16'], acts } as const;
    expect(fillsIn(await playPhases(run))).toHaveLength(2);
    expect(fillsIn(await playPhases({ ...run, options: { latencyMs: 120_000 } }))).toEqual([]);
  });
});

test('a limit that lies beyond a bar fills within it', async () => {
  const night = [102, 102.1, 101.9, 102] as const;
  const prices = Object.fromEntries(
    ['02:45', '03:00', '03:15', '03:30'].map((time) => [`2026-06-16 ${time}`, night] as const),
  );
  const result = await playPhases({
    days: ['2026-06-16', '2026-06-16'],
    prices,
    acts: { '2026-06-16 03:05': buy(1000, { outside: 'limit' }) },
    hooks: {
      onFill: ({ order, fill }) =>
        void (fill.side === 'buy' && order.sell('X', { all: true, outside: 'limit' })),
    },
    options: { fill: 'next-open' },
  });
  expect(fillsIn(result)).toEqual(['2026-06-16 03:15 buy 9 at 102', '2026-06-16 03:30 sell 9 at 101.9']);
});

test('a fill in the last bar of a phase counts in its phase and in its day', async () => {
  const { phases, marks } = await playPhases({
    days: ['2026-06-15', '2026-06-16'],
    prices: { '2026-06-15 19:45': [96, 101, 94, 100] },
    acts: { '2026-06-15 19:30': limit(10, 95, { outside: 'limit' }) },
  });
  expect(phases?.map(({ phase, fills, pnl }) => [phase, fills, pnl])).toEqual([
    ['overnight', 0, '0'],
    ['pre', 0, '0'],
    ['regular', 0, '0'],
    ['post', 1, '50'],
  ]);
  expect(marks.map(({ equity }) => equity)).toEqual([10_050, 10_050]);
});

test('a good-till-cancelled limit is converted by a split in the evening', async () => {
  const actions = [{ symbol: 'X', type: 'forward_split', exDate: '2026-06-16', oldRate: '1', newRate: '2' }];
  const acts = { '2026-06-15 15:30': limit(3, 95, { goodTill: 'cancelled' }) };
  const prices = { '2026-06-16 03:00': [50, 50, 40, 45] } as const;
  const result = await playPhases({ days: ['2026-06-15', '2026-06-16'], prices, acts, options: { actions } });
  expect(fillsIn(result)).toEqual(['2026-06-16 03:15 buy 6 at 47.5']);
});

test('an order outside the session fills whole shares within the volume cap', async () => {
  const acts = { '2026-06-15 17:00': limit(10, 100), '2026-06-15 15:00': limit(10.5, 100) };
  const options = { volumeCap: 0.00036 };
  const fills = fillsIn(await playPhases({ days: ['2026-06-15', '2026-06-15'], acts, options }));
  expect(fills).toEqual(['2026-06-15 15:30 buy 10.5 at 100', '2026-06-15 17:45 buy 10 at 100']);
});

describe('bars outside the session at other prices than those in it', () => {
  const days = ['2026-06-15', '2026-06-18'] as const;
  /** Prices of 400 from the evening of a day to the open of the next. */
  const nightsAt400 = (...evenings: string[]) =>
    Object.fromEntries(
      evenings.flatMap((evening) => {
        const close = newYorkTime(evening, '16:00');
        return Array.from({ length: 70 }, (_, bar) => [
          wallTime(close + bar * 15 * 60_000),
          [400, 400, 400, 400] as const,
        ]);
      }),
    );

  test('are refused if several nights return to the level of the session', async () => {
    const prices = nightsAt400('2026-06-15', '2026-06-16');
    await expect(playPhases({ days, prices, acts: {} })).rejects.toThrow(
      'bars of X outside the session are at other prices than those in it, on 2 nights: 400 from 2026-06-15T20:00:00Z on, after 100.',
    );
  });

  test('are played if only one night differs', async () => {
    const prices = nightsAt400('2026-06-15');
    await expect(playPhases({ days, prices, acts: {} })).resolves.toMatchObject({ trades: 0 });
  });
});

test("a start after the close plays the rest of that day as part of the next day's mark", async () => {
  const result = await playPhases({
    days: ['2026-06-12', '2026-06-16'],
    prices: { '2026-06-15 19:45': [110, 110, 110, 110] },
    acts: { '2026-06-15 16:30': limit(9, 105), '2026-06-15 18:00': limit(10, 105) },
    options: { from: newYorkTime('2026-06-15', '17:00') },
  });
  expect(fillsIn(result)).toEqual(['2026-06-15 18:00 buy 10 at 100']);
  expect(result.phases?.map(({ phase, pnl }) => [phase, pnl])).toEqual([
    ['overnight', '-100'],
    ['pre', '0'],
    ['regular', '0'],
    ['post', '100'],
  ]);
  expect([result.from, result.sessions]).toEqual(['2026-06-15T21:00:00Z', 1]);
  expect(result.marks.map(({ date, equity }) => [date, equity])).toEqual([['2026-06-16', 10_000]]);
});

test('a start before the open calls the timers in between; a run without a start time does not', async () => {
  const run = { days: ['2026-06-12', '2026-06-16'], trade: ['regular'] } as const;
  const acts = { '2026-06-12 18:00': limit(9, 105), '2026-06-15 08:00': limit(10, 105) };
  const begun = (from: string) => playPhases({ ...run, acts, options: { from: newYorkTime(from, '00:00') } });
  expect(fillsIn(await begun('2026-06-15'))).toEqual(['2026-06-15 09:30 buy 10 at 100']);
  expect((await begun('2026-06-15')).from).toBe('2026-06-15T12:00:00Z');
  const first = { '2026-06-12 08:00': limit(9, 105) };
  expect(fillsIn(await playPhases({ ...run, acts: first }))).toEqual([]);
});

test('a start in the evening calls the timers of that day that are still to come', async () => {
  const acts = { '2026-06-15 19:00': limit(9, 105), '2026-06-15 21:00': limit(10, 105) };
  const options = { from: newYorkTime('2026-06-15', '20:30') };
  const result = await playPhases({ days: ['2026-06-15', '2026-06-16'], acts, options });
  expect(fillsIn(result)).toEqual(['2026-06-15 21:00 buy 10 at 100']);
});

test('the benchmark and the gain of open positions use the prices at which a day is marked', async () => {
  const result = await playPhases({
    days: ['2026-06-15', '2026-06-16'],
    prices: {
      '2026-06-14 20:00': [90, 100, 90, 100],
      '2026-06-15 19:45': [110, 110, 110, 110],
      '2026-06-16 19:45': [120, 120, 120, 120],
    },
    acts: { '2026-06-15 10:00': limit(10, 105) },
  });
  expect(result.marks.map(({ equity }) => equity)).toEqual([10_100, 10_200]);
  expect(result.benchmark).toEqual({ symbol: 'X', start: 90, closes: [110, 120] });
  expect(result.metrics.openGain).toBe(200);
  expect(result.metrics.benchmarkReturn).toBeCloseTo(120 / 90 - 1, 12);
});

test.each(['evening', 'open'] as const)(
  'a split of a stock that is not held is played when ex-dates begin in the %s',
  async (exDates) => {
    const actions = [
      { symbol: 'X', type: 'forward_split', exDate: '2026-06-16', oldRate: '1', newRate: '2' },
    ];
    const days = ['2026-06-15', '2026-06-16'] as const;
    const { events } = await playPhases({ days, acts: {}, exDates, options: { actions } });
    expect(events.map(({ at, kind }) => `${wallTime(at)} ${kind}`)).toEqual(['2026-06-15 20:00 split']);
  },
);

test.each(['evening', 'open'] as const)(
  'a dividend on the day of a split counts the shares before it when ex-dates begin in the %s',
  async (exDates) => {
    const exDate = '2026-06-16';
    const actions = [
      { symbol: 'X', type: 'forward_split', exDate, oldRate: '1', newRate: '4' },
      { symbol: 'X', type: 'cash_dividend', exDate, cashPerShare: '2' },
    ];
    const result = await playPhases({
      days: ['2026-06-15', '2026-06-16'],
      prices: Object.fromEntries(
        Array.from({ length: 96 }, (_, bar) => [
          wallTime(newYorkTime('2026-06-15', '20:00') + bar * 900_000),
          [25, 25, 25, 25] as const,
        ]),
      ),
      acts: { '2026-06-15 10:00': limit(10, 105) },
      exDates,
      options: { actions },
    });
    expect(result).toMatchObject({ dividends: '20', open: [{ symbol: 'X', quantity: '40' }] });
    expect(result.marks.map(({ equity }) => equity)).toEqual([10_000, 10_020]);
    expect(result.metrics.benchmarkReturn).toBeCloseTo(0.02, 12);
  },
);

test('a purchase in the last bar before an ex-date that begins in the evening gets the dividend', async () => {
  const actions = [{ symbol: 'X', type: 'cash_dividend', exDate: '2026-06-16', cashPerShare: '2' }];
  const days = ['2026-06-15', '2026-06-16'] as const;
  const result = await playPhases({
    days,
    acts: { '2026-06-15 19:50': limit(10, 105) },
    options: { actions },
  });
  expect(fillsIn(result)).toEqual(['2026-06-15 20:00 buy 10 at 100']);
  expect(result).toMatchObject({ dividends: '20' });
  const after = await playPhases({
    days,
    acts: { '2026-06-15 20:00': limit(10, 105) },
    options: { actions },
  });
  expect(fillsIn(after)).toEqual(['2026-06-15 20:00 buy 10 at 100']);
  expect(after).toMatchObject({ dividends: '0' });
});

test('a lot of the last moment of the evening before a split has its shares, as its round trip has', async () => {
  const split = { symbol: 'X', type: 'forward_split', exDate: '2026-06-16', oldRate: '1', newRate: '2' };
  const { fills, tradeList, lots } = await playPhases({
    days: ['2026-06-15', '2026-06-16'],
    prices: { '2026-06-15 19:45': [100, 100, 99, 99] },
    acts: {
      '2026-06-15 19:40': limit(10, 99),
      '2026-06-16 10:00': ({ order }) => order.sell('X', { all: true }),
    },
    options: { actions: [split] },
  });
  expect(fills.map(({ at, shares }) => [wallTime(at), shares])).toEqual([
    ['2026-06-15 20:00', 10],
    ['2026-06-16 10:00', 20],
  ]);
  expect(tradeList.map(({ pnl }) => Number(pnl) / 1e18)).toEqual([1_010]);
  expect(lots).toMatchObject({ closed: [{ shares: 20, pnl: 1_010 }], open: [] });
});
