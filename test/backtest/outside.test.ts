import { describe, expect, test } from 'vitest';
import type { BacktestOptions } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { newYorkTime } from '../../src/calendar/index.ts';
import { parseCash } from '../../src/core/amount.ts';
import type { HookContext } from '../../src/strategy/index.ts';
import { plainly, strategyOf } from './bars.ts';
import { barsOfDays, buy, fillsIn, limit, playPhases, type PhaseRun } from './phaseStage.ts';

type Terms = Readonly<Record<string, unknown>>;

const sell =
  (shares: number, more: Terms = {}) =>
  ({ order }: HookContext) =>
    order.sell('X', { shares, ...more });

/** The trading year from November 2025: holidays, half days, and the days on which clocks change. Prices are 100 unless given. */
const YEAR: PhaseRun = {
  days: ['2025-11-03', '2026-11-02'],
  prices: {
    '2025-11-28 16:30': [99, 99, 99, 99],
    '2025-12-24 16:45': [98, 98, 98, 98],
    '2026-01-16 03:00': [101, 101.5, 98.5, 99],
    '2026-03-09 02:45': [101, 101, 101, 101],
    '2026-03-09 03:00': [102, 102, 100.2, 101],
    '2026-06-15 09:30': [90, 110, 80, 100],
    '2026-06-15 16:00': [103, 103, 103, 103],
    '2026-07-06 03:15': [97, 97, 94, 95],
    '2026-07-06 03:30': [95, 95, 95, 95],
    '2026-08-03 04:00': [100.4, 100.4, 100.4, 100.4],
    '2026-08-04 19:45': [101, 101, 101, 101],
    '2026-08-04 20:00': [100.7, 100.7, 100.7, 100.7],
    '2026-08-04 20:15': [100.7, 100.7, 100.3, 100.6],
  },
  acts: {
    '2025-11-26 21:00': limit(1, 105),
    '2025-11-28 16:15': limit(2, 99.5),
    '2025-11-28 16:50': limit(3, 99.5),
    '2025-11-28 18:00': limit(4, 101),
    '2025-12-24 16:50': limit(5, 98, { goodTill: 'cancelled' }),
    '2026-01-16 02:00': limit(6, 98.75),
    '2026-03-09 02:45': limit(7, 100.5),
    '2026-06-15 09:30': limit(8, 100),
    '2026-06-15 16:00': buy(950, { outside: 'limit' }),
    '2026-06-15 20:00': buy(55, { outside: 'limit' }),
    '2026-06-16 15:55': limit(10.5, 99),
    '2026-06-16 17:00': limit(11.5, 100, { goodTill: 'cancelled' }),
    '2026-06-17 17:00': buy(1200),
    '2026-06-18 17:00': buy(1300, { outside: 'refuse' }),
    '2026-07-02 18:00': ({ order }) =>
      order.stop('X', { all: true, stop: 96, phases: ['overnight', 'regular'] }),
    '2026-08-03 03:59': buy(1450, { outside: 'limit' }),
    '2026-08-03 17:00': limit(15, 99),
    '2026-08-04 19:45': limit(16, 100.5, { goodTill: 'cancelled' }),
    '2026-10-30 19:58': buy(1750, { outside: 'limit' }),
    '2026-10-30 19:59': sell(1.5, { outside: 'limit' }),
  },
  options: { cash: '100000' },
};

describe('a year over all phases', () => {
  test('orders fill at the expected times and prices', async () => {
    const result = await playPhases(YEAR);
    expect(fillsIn(result)).toEqual([
      // Nothing trades on Thanksgiving: it waits from Wednesday to the night before Friday.
      '2025-11-27 20:00 buy 1 at 100',
      // The half day closes at 13:00 and its post phase at 17:00. The order of 16:50 ends with it.
      '2025-11-28 16:30 buy 2 at 99',
      // After 17:00 on a Friday the next phase is Sunday night.
      '2025-11-30 20:00 buy 4 at 100',
      // The last bar of the phase has begun: an order that arrives in it meets its close.
      '2025-12-24 17:00 buy 5 at 98',
      // Within the bar of 03:00 that falls to 98.50: known at its end, at the limit.
      '2026-01-16 03:15 buy 6 at 98.75',
      // The day after the clock went forward.
      '2026-03-09 03:15 buy 7 at 100.5',
      // A limit of the regular session at its first price, which is better.
      '2026-06-15 09:30 buy 8 at 90',
      // Ordered at the close: a limit of the post phase, 50 bps above its first price, in whole shares.
      '2026-06-15 16:00 buy 9 at 103',
      // Less than a share: it waits for the open.
      '2026-06-16 09:30 buy 0.55 at 100',
      // Whole shares at once, the remainder at the open.
      '2026-06-16 17:00 buy 11 at 100',
      '2026-06-17 09:30 buy 0.5 at 100',
      // At the market, it waits for the open.
      '2026-06-18 09:30 buy 12 at 100',
      // The stop of 66.05 shares is touched at night: whole shares at once, the remaining fraction at the open.
      '2026-07-06 03:29 sell 66 at 96',
      '2026-07-06 09:30 sell 0.05 at 100',
      // A minute before the phase ends is not too late; its limit is 100.50.
      '2026-08-03 04:00 buy 14 at 100',
      // Ordered in the post phase, placed again for the night: within its second bar.
      '2026-08-04 20:30 buy 16 at 100.5',
      '2026-10-30 20:00 buy 17 at 100',
      '2026-10-30 20:00 sell 1 at 100',
    ]);
  });
});

const HALF_SPREADS = { slippage: 'spread:0.5' } as const;

/** The same days with nothing outside the session. */
function playSession(run: PhaseRun) {
  const { regular } = barsOfDays(run.days[0], run.days[1], run.prices ?? {});
  const strategy = strategyOf(
    {
      onBar: ({ order, bar }) =>
        void (bar.close < 100 && order.limit('X', { side: 'buy', shares: 1, price: 100 })),
    },
    { bars: [{ symbol: 'X', interval: '15m' }] },
  );
  const { outside } = barsOfDays(run.days[0], run.days[1], run.prices ?? {});
  const options = plainly({ strategy, fill: 'venue', bars: [{ symbol: 'X', interval: '15m', ...regular }] });
  const night = {
    trade: ['regular'] as const,
    bars: [{ symbol: 'X', interval: '15m' as const, ...outside }],
  };
  return Promise.all([runBacktest(options), runBacktest({ ...options, outside: night })]);
}

const PRICES = {
  '2026-06-15 03:00': [101, 102, 90, 95],
  '2026-06-15 10:00': [99, 100, 98, 99],
  '2026-06-15 18:00': [104, 105, 103, 104],
  '2026-06-16 11:00': [97, 99, 96, 98],
} as const;

test('progress is reported once a day, with the equity of its end', async () => {
  const equities: number[] = [];
  const { marks } = await playPhases({
    days: ['2026-06-15', '2026-06-17'],
    prices: { '2026-06-15 19:45': [110, 110, 110, 110] },
    acts: { '2026-06-15 15:30': limit(10, 100) },
    options: { onProgress: ({ equity }) => equities.push(equity) },
  });
  expect(equities).toEqual(marks.map(({ equity }) => equity));
});

describe('bars outside the session', () => {
  test('change nothing in a run that trades in the session only', async () => {
    const [without, beside] = await playSession({
      days: ['2026-06-15', '2026-06-17'],
      prices: PRICES,
      acts: {},
    });
    expect(without.fills.length).toBeGreaterThan(1);
    expect(beside.fills).toEqual(without.fills);
    expect(beside.marks).toEqual(without.marks);
    expect(beside.phases).toBeUndefined();
  });

  test('are played in the phases that are traded, and in no other', async () => {
    const acts = { '2026-06-16 03:00': limit(1, 105), '2026-06-16 18:00': limit(2, 105) };
    const run = { days: ['2026-06-15', '2026-06-17'], prices: PRICES, acts } as const;
    expect(fillsIn(await playPhases({ ...run, trade: ['regular', 'post'] }))).toEqual([
      '2026-06-16 09:30 buy 1 at 100',
      '2026-06-16 18:00 buy 2 at 100',
    ]);
    const stocks = { X: ['regular', 'overnight'] } as const;
    const { regular, outside } = barsOfDays('2026-06-15', '2026-06-17', PRICES);
    const bars = (columns: typeof regular) => [{ symbol: 'X', interval: '15m' as const, ...columns }];
    const ofStock = {
      bars: bars(regular),
      outside: { trade: ['regular', 'post', 'overnight'] as const, stocks, bars: bars(outside) },
    };
    expect(fillsIn(await playPhases({ ...run, options: ofStock }))).toEqual([
      '2026-06-16 03:00 buy 1 at 100',
      '2026-06-16 20:00 buy 2 at 100',
    ]);
  });

  test('serve as quotes for a strategy that asks for their phases', async () => {
    const heard: string[] = [];
    await playPhases({
      days: ['2026-06-15', '2026-06-15'],
      prices: PRICES,
      acts: {},
      needs: { quotes: [{ symbol: 'X', phases: ['overnight', 'post'] }] },
      hooks: { onQuote: ({ price, view }) => void heard.push(`${view.phase} ${price}`) },
    });
    expect(heard).toEqual([
      'overnight 100',
      'overnight 101',
      'overnight 95',
      'overnight 100',
      'post 104',
      'post 100',
    ]);
  });

  test('must be as long as those of the session', async () => {
    const { regular, outside } = barsOfDays('2026-06-15', '2026-06-15', {});
    const options: Partial<BacktestOptions> = {
      bars: [{ symbol: 'X', interval: '15m', ...regular }],
      outside: { trade: ['regular', 'post'], bars: [{ symbol: 'X', interval: '5m', ...outside }] },
    };
    await expect(playPhases({ days: ['2026-06-15', '2026-06-15'], acts: {}, options })).rejects.toThrow(
      'bars of X outside the session are of 5m, and its shortest ones in the session of 15m',
    );
  });

  test('need the regular session among the phases', async () => {
    await expect(
      playPhases({ days: ['2026-06-15', '2026-06-15'], acts: {}, trade: ['post'] }),
    ).rejects.toThrow('must include regular');
  });
});

describe('the result by phase', () => {
  test('adds up to the whole, and names each fill in its phase', async () => {
    const result = await playPhases({
      ...YEAR,
      options: { ...YEAR.options, fees: 'venue', ...HALF_SPREADS },
    });
    const { phases = [], pnl, fees, slippage, fills } = result;
    const sum = (name: 'pnl' | 'fees' | 'slippage') =>
      phases.reduce((total, phase) => total + parseCash(phase[name], { signed: true }), 0n);
    expect(phases.map(({ phase, fills: count }) => [phase, count])).toEqual([
      ['overnight', 7],
      ['pre', 0],
      ['regular', 5],
      ['post', 6],
    ]);
    expect(sum('pnl')).toBe(parseCash(pnl, { signed: true }));
    expect(sum('fees')).toBe(parseCash(fees));
    expect(sum('slippage')).toBe(parseCash(slippage));
    expect(fills).toHaveLength(18);
  });

  test('marks each day at the end of its last phase', async () => {
    const { marks, equity } = await playPhases({
      days: ['2026-06-15', '2026-06-16'],
      prices: { '2026-06-15 19:45': [101, 101, 101, 101], '2026-06-16 19:45': [105, 105, 105, 105] },
      acts: { '2026-06-15 10:00': limit(10, 100) },
    });
    expect(marks.map(({ date, at, equity: worth }) => [date, at, worth])).toEqual([
      ['2026-06-15', newYorkTime('2026-06-15', '20:00'), 10_010],
      ['2026-06-16', newYorkTime('2026-06-16', '20:00'), 10_050],
    ]);
    expect(equity.end).toBe('10050');
  });

  test('uses the costs of the night if they are given', async () => {
    const acts = { '2026-06-15 03:00': buy(1000, { outside: 'limit' }), '2026-06-15 10:00': buy(1000) };
    const { regular, outside } = barsOfDays('2026-06-15', '2026-06-15', {});
    const options: Partial<BacktestOptions> = {
      bars: [{ symbol: 'X', interval: '15m', ...regular }],
      outside: {
        trade: ['regular', 'overnight'],
        bars: [{ symbol: 'X', interval: '15m', ...outside }],
        slippage: 'spread:20',
      },
      slippage: 'spread:1',
    };
    const result = await playPhases({ days: ['2026-06-15', '2026-06-15'], acts, options });
    expect(fillsIn(result)[0]).toBe('2026-06-15 03:00 buy 9 at 100.2');
    expect(fillsIn(result)[1]).toMatch(/^2026-06-15 10:00 buy 9\.\d+ at 100\.01$/);
    expect(result.model).toMatchObject({ slippage: 'spread:1', slippageOutside: 'spread:20' });
  });

  test('has a different identity than with the session alone', async () => {
    const run = { days: ['2026-06-15', '2026-06-15'], acts: {} } as const;
    const [all, post] = [await playPhases(run), await playPhases({ ...run, trade: ['regular', 'post'] })];
    expect(all.runId).not.toBe(post.runId);
  });
});

describe('the limits of the night', () => {
  test('replace those of the day', async () => {
    const acts = { '2026-06-15 03:00': limit(5, 100), '2026-06-15 10:00': limit(5, 100) };
    const limits = { orderNotional: parseCash('1000'), outside: { orderNotional: parseCash('300') } };
    const result = await playPhases({ days: ['2026-06-15', '2026-06-15'], acts, options: { limits } });
    expect(fillsIn(result)).toEqual(['2026-06-15 10:00 buy 5 at 100']);
  });
});

describe('an ex-date', () => {
  const held = { '2026-06-15 10:00': limit(10, 100) };
  const fallen = Object.fromEntries(
    ['20:00', '20:15', '20:30'].map((time) => [`2026-06-15 ${time}`, [99, 99, 99, 99] as const]),
  );

  test('begins at 20:00 of the evening before: a buyer of that evening does not get it', async () => {
    const actions = [{ symbol: 'X', type: 'cash_dividend', exDate: '2026-06-16', cashPerShare: '1' }];
    const acts = { ...held, '2026-06-15 20:15': limit(5, 99) };
    const result = await playPhases({
      days: ['2026-06-15', '2026-06-16'],
      prices: fallen,
      acts,
      options: { actions },
    });
    expect(result.dividends).toBe('10');
    // The dividend due is in the equity from the evening on, when the price has fallen by it.
    expect(result.marks.map(({ equity }) => equity)).toEqual([10_000, 10_015]);
  });

  test('begins at its open if the venue says so: a buyer of that evening gets it', async () => {
    const actions = [{ symbol: 'X', type: 'cash_dividend', exDate: '2026-06-16', cashPerShare: '1' }];
    const acts = { ...held, '2026-06-15 20:15': limit(5, 100) };
    const run = { days: ['2026-06-15', '2026-06-16'], acts } as const;
    const result = await playPhases({ ...run, options: { actions }, exDates: 'open' });
    const evening = await playPhases({ ...run, options: { actions } });
    expect([result.dividends, evening.dividends]).toEqual(['15', '10']);
    expect(result.runId).not.toBe(evening.runId);
  });

  test('of a stock not traded at night earns nothing then, and the price fall at the open is no loss', async () => {
    const { regular, outside } = barsOfDays('2026-06-15', '2026-06-16', {});
    const fallen = regular.start.map((at) => (at < Date.parse('2026-06-16T00:00:00Z') ? 100 : 80));
    const prices = { open: fallen, high: fallen, low: fallen, close: fallen };
    const bars = (symbol: string, columns: typeof regular) => ({
      symbol,
      interval: '15m' as const,
      ...columns,
    });
    const { phases, pnl } = await playPhases({
      days: ['2026-06-15', '2026-06-16'],
      acts: { '2026-06-15 10:00': ({ order }) => order.buy('Y', { shares: 10 }) },
      needs: { bars: ['X', 'Y'].map((symbol) => ({ symbol, interval: '15m' })) },
      options: {
        bars: [bars('X', regular), bars('Y', { ...regular, ...prices })],
        outside: { trade: ['overnight', 'regular'], bars: [bars('X', outside)] },
        actions: [{ symbol: 'Y', type: 'cash_dividend', exDate: '2026-06-16', cashPerShare: '20' }],
      },
    });
    expect(pnl).toBe('0');
    expect(phases?.map(({ phase, pnl: earned }) => [phase, earned])).toEqual([
      ['overnight', '0'],
      ['regular', '0'],
    ]);
  });

  test('of a split switches shares and prices from that evening on', async () => {
    const actions = [
      { symbol: 'X', type: 'forward_split', exDate: '2026-06-16', oldRate: '1', newRate: '2' },
    ];
    const { days, options } = { days: ['2026-06-15', '2026-06-16'] as const, options: { actions } };
    const { regular, outside } = barsOfDays(days[0], days[1], {});
    const from = newYorkTime('2026-06-15', '20:00');
    const halved = (columns: typeof regular) => ({
      ...columns,
      ...Object.fromEntries(
        (['open', 'high', 'low', 'close'] as const).map((name) => [
          name,
          columns[name].map((price, index) => ((columns.start[index] ?? 0) >= from ? price / 2 : price)),
        ]),
      ),
    });
    const set = (columns: typeof regular) => [{ symbol: 'X', interval: '15m' as const, ...halved(columns) }];
    const acts = { ...held, '2026-06-16 03:00': sell(4, { outside: 'limit' }) };
    const result = await playPhases({
      days,
      acts,
      options: {
        ...options,
        bars: set(regular),
        outside: { trade: ['regular', 'overnight'], bars: set(outside) },
      },
    });
    expect(fillsIn(result)).toEqual(['2026-06-15 10:00 buy 10 at 100', '2026-06-16 03:00 sell 4 at 50']);
    expect(result.open).toEqual([{ symbol: 'X', quantity: '16' }]);
    expect(result.pnl).toBe('0');
  });
});
