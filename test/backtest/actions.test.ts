import { describe, expect, test } from 'vitest';
import type { BacktestAction, BacktestBars, BacktestOptions } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { Trade } from '../../src/sim/roundTrips.ts';
import { formatDecimal } from '../../src/core/amount.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import type { StrategyHooks } from '../../src/strategy/index.ts';
import smaCross from '../../strategies/sma-cross.ts';
import { barsFrom, plainly, strategyOf, type Row } from './bars.ts';

/** Sessions of 15, 16, 17, 18 and, after a holiday, 22 June. */
const DAY = '2026-06-15';
const daily = (rows: readonly Row[]): BacktestBars => barsFrom(DAY, rows, '1d');
const onDays = (hooks: StrategyHooks) => strategyOf(hooks, { bars: [{ symbol: 'X', interval: '1d' }] });

/** `rates`: number of old shares for a number of new ones. */
const split = (exDate: string, rates: readonly [string, string], symbol = 'X'): BacktestAction => {
  const [oldRate, newRate] = rates;
  const type = Number(newRate) > Number(oldRate) ? 'forward_split' : 'reverse_split';
  return { symbol, type, exDate, oldRate, newRate };
};
const dividend = (exDate: string, cashPerShare: string, payableDate?: string): BacktestAction => ({
  symbol: 'X',
  type: 'cash_dividend',
  exDate,
  cashPerShare,
  ...(payableDate === undefined ? {} : { payableDate }),
});

/** Buys ten at the first close, and sells all at the close that `until` names. */
const holding = (until: number, more: StrategyHooks = {}) => {
  let seen = 0;
  return onDays({
    ...more,
    onBar({ bar, order, view }) {
      if (++seen === 1) order.buy('X', { shares: 10 });
      if (bar.close === until && view.position('X') > 0) order.target('X', { shares: 0 });
    },
  });
};
const equities = async (options: Partial<BacktestOptions> & Pick<BacktestOptions, 'bars'>) => {
  const result = await runBacktest(plainly(options));
  return { ...result, equities: result.marks.map(({ equity }) => equity) };
};

describe('a split of one share into four', () => {
  /** 400 a share before the 17th, 100 after it. */
  const rows: Row[] = [
    400,
    [400, 410, 380, 400],
    [100, 110, 90, 105],
    [105, 125, 104, 122],
    [125, 130, 120, 121],
  ];
  const actions = [split('2026-06-17', ['1', '4'])];
  const run = async () => {
    const facts: JournalEntry[] = [];
    const strategy = holding(122, {
      onFill({ fill, order }) {
        if (fill.side === 'buy')
          order.limit('X', { side: 'sell', shares: 4, price: 480, goodTill: 'cancelled' });
      },
    });
    const bars = [daily(rows)];
    const onFact = (entry: JournalEntry) => void facts.push(entry);
    return { result: await equities({ strategy, bars, actions, onFact }), facts, bars };
  };

  test('multiplies holdings and working orders by four at a fourth of the price', async () => {
    const { result, facts } = await run();
    // 10 for 4,000; 16 of the 40 at 120 and 24 at 125: 1,920 + 3,000.
    expect(result.equities).toEqual([10_000, 10_000, 10_200, 10_848, 10_920]);
    expect(result.fills.map(({ side, shares, price }) => [side, shares, price])).toEqual([
      ['buy', 10, 400],
      ['sell', 16, 120],
      ['sell', 24, 125],
    ]);
    expect(result).toMatchObject({ pnl: '920', open: [], dividends: '0' });
    const [booked, ...others] = facts.filter(({ fact }) => fact.kind === 'split');
    expect(others).toEqual([]);
    expect(booked).toMatchObject({ at: Date.parse('2026-06-17T13:30:00Z'), fact: { intents: [{}] } });
  });

  test('leaves one trade, in the share count at its end', async () => {
    const { tradeList } = (await run()).result;
    const { shares, entryPrice, exitPrice, pnl, mae, mfe } = tradeList[0] as Trade;
    expect([tradeList.length, shares, entryPrice, exitPrice]).toEqual([1, 40, 100, 123]);
    expect(formatDecimal(pnl)).toBe('920');
    // Low 90 of the ex-date, and sold at 125.
    expect([mae, mfe]).toEqual([90 / 100 - 1, 0.25]);
  });

  test('leaves lots whose excursions use closes in the share count of their sales', async () => {
    const { closed } = (await run()).result.lots;
    // Bought at 100 a share of today; the closes of 100, 105 and 122 lie between that and the sales at 120 and 125.
    expect(closed.map(({ shares, mae, mfe }) => [shares, mae, mfe])).toEqual([
      [16, 0, expect.closeTo(0.2, 12)],
      [24, 0, 0.25],
    ]);
    const soldBefore = holding(380);
    const bars = [daily([400, [400, 410, 380, 380], [375, 375, 375, 375], 94, 95])];
    const { lots } = await equities({
      strategy: soldBefore,
      bars,
      actions: [split('2026-06-18', ['1', '4'])],
    });
    // Bought at 400, closed at 380, and sold at 375: all before the split.
    expect(lots.closed.map(({ shares, mae, mfe }) => [shares, mae, mfe])).toEqual([[10, 375 / 400 - 1, 0]]);
  });

  test('changes neither the benchmark nor the shortfall of orders', async () => {
    const { result, bars } = await run();
    expect(result.benchmark).toEqual({ symbol: 'X', start: 100, closes: [100, 100, 105, 122, 121] });
    // Bought at the price of the previous close; 24 sold at 125 after a close of 122; the limit at 120 was decided at 400, or 100.
    expect(result.metrics.shortfallBps).toBeCloseTo(
      ((-20 * 16 - 3 * 24) / (4_000 + 100 * 16 + 122 * 24)) * 1e4,
      6,
    );
    expect(bars).toEqual([daily(rows)]);
    expect(result.events).toEqual([
      {
        at: Date.parse('2026-06-17T13:30:00Z'),
        kind: 'split',
        text: 'forward split of X on 2026-06-17, 1 for 4',
      },
    ]);
  });

  test("shows strategies past bars in today's share count, and the quote of the day before", async () => {
    const seen: (readonly number[])[] = [];
    let created = 0;
    const strategy = {
      ...holding(NaN),
      create: () => {
        created++;
        const look: StrategyHooks['onSession'] = ({ view, change }) => {
          const history = view.bars('X', '1d');
          if (change === 'opened')
            seen.push([...history.closes(2), history.at(0)?.volume ?? NaN, view.price('X') ?? NaN]);
        };
        return { onSession: look };
      },
    };
    await equities({ strategy, bars: [daily(rows)], actions });
    expect(seen.slice(1, 4)).toEqual([
      [400, 1_000, 400],
      [100, 100, 4_000, 100],
      [100, 105, 1_000, 105],
    ]);
    expect(created).toBe(2);
  });

  test('before the start changes only the bars of the warm-up', async () => {
    const seen: number[] = [];
    const strategy = strategyOf(
      { onBar: ({ bar }) => void seen.push(bar.close) },
      { bars: [{ symbol: 'X', interval: '1d', warmUp: 5 }] },
    );
    const bars = [daily(rows)];
    const { events } = await equities({ strategy, bars, actions, from: bars[0]?.start[3] ?? NaN });
    expect(seen).toEqual([100, 100, 105, 122, 121]);
    expect(events).toEqual([]);
  });

  test('ends an order that has not yet reached the market', async () => {
    const day = 86_400_000;
    const { orders, fills } = await equities({
      strategy: holding(NaN),
      bars: [daily(rows)],
      actions,
      latencyMs: day,
    });
    expect([orders.expired, fills]).toEqual([1, []]);
  });
});

describe('a corporate action', () => {
  test('of a reverse split leaves a fraction, rounded down at the eighteenth decimal', async () => {
    const bars = [daily([30, 30, 90, 90, 90])];
    const given = { bars, actions: [split('2026-06-17', ['3', '1'])] };
    const kept = await equities({ strategy: holding(NaN), ...given });
    expect(kept.open).toEqual([{ symbol: 'X', quantity: '3.333333333333333333' }]);
    expect(kept.equities.at(-1)).toBeCloseTo(10_000, 9);
    const sold = await equities({ strategy: holding(90), ...given });
    expect(sold).toMatchObject({ pnl: '-0.00000000000000003', open: [], trades: 1 });
  });

  test('combines with others of the same day, for each strategy separately', async () => {
    const bars = [daily([30, 30, 10, 10, 10])];
    const strategies = ['a', 'b'].map((id) => ({ id, definition: holding(NaN) }));
    const actions = [split('2026-06-17', ['1', '2']), { ...split('2026-06-17', ['2', '3']), type: 'stock' }];
    await expect(equities({ strategies, bars, actions })).rejects.toThrow(
      'stock of X is of a kind that is not known',
    );
    const both = [split('2026-06-17', ['1', '2']), split('2026-06-17', ['2', '3'])];
    const { open, equities: marks } = await equities({ strategies, bars, actions: both });
    expect(open).toEqual([{ symbol: 'X', quantity: '60' }]);
    expect(marks).toEqual([10_000, 10_000, 10_000, 10_000, 10_000]);
  });

  test('of a dividend goes to holders at the open of its ex-date, and is paid on its payable date', async () => {
    // Earned on the 17th, and sold at the open of the 18th: the money still comes on the 22nd.
    const bars = [daily([100, 100, 98, 98, 98])];
    const actions = [dividend('2026-06-17', '1.25', '2026-06-20')];
    const result = await equities({ strategy: holding(98), bars, actions });
    expect(result.equities).toEqual([10_000, 10_000, 9_992.5, 9_992.5, 9_992.5]);
    expect(result.marks.map(({ cash }) => cash)).toEqual([10_000, 9_000, 9_000, 9_980, 9_992.5]);
    expect(result).toMatchObject({ dividends: '12.5', receivable: '0', unpaid: [], pnl: '-7.5', trades: 1 });
    expect(formatDecimal(result.tradeList[0]?.pnl ?? 0n)).toBe('-20');
    expect(result.events).toEqual([
      {
        at: Date.parse('2026-06-22T13:30:00Z'),
        kind: 'dividend',
        text: '12.5 mUSD paid: cash dividend of X on 2026-06-17, 1.25 a share',
      },
    ]);
  });

  test('of a dividend without a payable date is paid on its ex-date, and not to buyers of that day', async () => {
    const bars = [daily([100, 100, 98])];
    const held = await equities({ strategy: holding(NaN), bars, actions: [dividend('2026-06-17', '1.25')] });
    expect(held.equities).toEqual([10_000, 10_000, 9_992.5]);
    const late = await equities({ strategy: holding(NaN), bars, actions: [dividend('2026-06-16', '1.25')] });
    expect(late).toMatchObject({ dividends: '0', events: [] });
  });

  test('of two dividends pays each on its day', async () => {
    const bars = [daily([100, 100, 98, 98, 98])];
    const actions = [dividend('2026-06-17', '1', '2026-06-22'), dividend('2026-06-17', '2', '2026-06-18')];
    const { equities: marks } = await equities({ strategy: holding(NaN), bars, actions });
    expect(marks).toEqual([10_000, 10_000, 10_010, 10_010, 10_010]);
  });

  test('of a dividend paid after the end counts in the equity, and is named', async () => {
    const bars = [daily([100, 100, 98, 98])];
    const actions = [dividend('2026-06-17', '1.25', '2026-06-29')];
    const result = await equities({ strategy: holding(NaN), bars, actions });
    expect(result.equities).toEqual([10_000, 10_000, 9_992.5, 9_992.5]);
    expect(result).toMatchObject({
      dividends: '0',
      receivable: '12.5',
      pnl: '-7.5',
      equity: { end: '9992.5' },
    });
    expect(result.strategies[0]).toMatchObject({ realisedPnl: '12.5', unrealisedPnl: '-20', pnl: '-7.5' });
    expect(result.unpaid).toEqual([
      {
        symbol: 'X',
        type: 'cash_dividend',
        exDate: '2026-06-17',
        payableDate: '2026-06-29',
        cashPerShare: '1.25',
        amount: '12.5',
      },
    ]);
  });

  test('of a split between ex-date and payment does not change the dividend due', async () => {
    const bars = [daily([100, 100, 98, 49, 49])];
    const actions = [dividend('2026-06-17', '1.25', '2026-06-22'), split('2026-06-18', ['1', '2'])];
    const result = await equities({ strategy: holding(NaN), bars, actions });
    expect(result.equities).toEqual([10_000, 10_000, 9_992.5, 9_992.5, 9_992.5]);
    expect(result).toMatchObject({ dividends: '12.5', open: [{ symbol: 'X', quantity: '20' }] });
  });

  test.each([
    ['comes later', '2026-06-22'],
    ['comes the same day', '2026-06-17'],
  ])(
    "keeps the price fall on an ex-date out of the day's loss, if the dividend %s",
    async (_when, payable) => {
      const opens: string[] = [];
      const onFact = ({ fact }: JournalEntry) => {
        const [all] = fact.kind === 'session' && fact.change === 'opened' ? fact.equity : [];
        if (all) opens.push(formatDecimal(all[1]));
      };
      const bars = [daily([100, 100, 98, 97, 97])];
      const actions = [dividend('2026-06-17', '2', payable)];
      const { equities: closes } = await equities({ strategy: holding(NaN), bars, actions, onFact });
      expect(closes).toEqual([10_000, 10_000, 10_000, 9_990, 9_990]);
      expect(opens).toEqual(['10000', '10000', '10000', '10000', '9990']);
    },
  );

  test('of a dividend after a split counts the shares after it, even with no bar between them', async () => {
    const all = daily([100, 100, 100, 100, 24]);
    const cut = (column: Float64Array) => column.filter((_, index) => index !== 2 && index !== 3);
    const { symbol, interval, start, open, high, low, close, volume } = all;
    const [of, prices] = [{ symbol, interval, start: cut(start) }, [open, high, low, close, volume].map(cut)];
    const [opens, highs, lows, closes, volumes] = prices as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const bars = [{ ...of, open: opens, high: highs, low: lows, close: closes, volume: volumes }];
    const actions = [split('2026-06-17', ['1', '4']), dividend('2026-06-18', '1')];
    const { equities: found, dividends } = await equities({ strategy: holding(NaN), bars, actions });
    // 10 at 100 are 40 at 24, with 40 of dividends.
    expect([found, dividends]).toEqual([[10_000, 10_000, 10_000], '40']);
  });

  test('of a dividend counts in the benchmark from the ex-date, on a split day per old share', async () => {
    const bars = [daily([100, 100, 48, 60, 60])];
    const actions = [split('2026-06-17', ['1', '2']), dividend('2026-06-17', '4', '2026-06-29')];
    const { benchmark, metrics } = await equities({ strategy: holding(NaN), bars, actions });
    // From one share of 100 come two of 48 and 4 mUSD: as many again as 100 buys at 48.
    expect(benchmark).toMatchObject({ symbol: 'X', start: 50 });
    const closes = [50, 50, 50, 62.5, 62.5];
    expect(benchmark?.closes.map((close) => Number(close?.toFixed(9)))).toEqual(closes);
    expect(metrics.benchmarkReturn).toBeCloseTo(0.25, 12);
  });

  test('is part of the run id if it falls within the run', async () => {
    const runIdOf = async (...actions: BacktestAction[]) =>
      (await equities({ strategy: holding(NaN), bars: [daily([100, 100, 100])], actions })).runId;
    const plain = await runIdOf();
    expect(await runIdOf(split('2026-06-15', ['1', '2']), split('2026-06-18', ['1', '2']))).toBe(plain);
    expect(await runIdOf(split('2026-06-16', ['1', '2'], 'Y'))).toBe(plain);
    const ids = [
      plain,
      await runIdOf(dividend('2026-06-16', '1')),
      await runIdOf(split('2026-06-16', ['1', '2'])),
    ];
    expect(new Set(ids).size).toBe(3);
  });

  test.each([
    ['an invalid day', dividend('16 June', '1'), 'a corporate action is "16 June": write one such as'],
    [
      'no rates',
      { symbol: 'X', type: 'forward_split', exDate: '2026-06-16' },
      'does not say what it changes',
    ],
    [
      'rates of the other kind of split',
      { ...split('2026-06-16', ['4', '1']), type: 'forward_split' },
      'forward split of X on 2026-06-16: 4 for 1 is no forward split',
    ],
  ])('with %s is refused', async (_what, action, message) => {
    const running = equities({ strategy: holding(NaN), bars: [daily([100, 100])], actions: [action] });
    await expect(running).rejects.toThrow(message);
  });

  test('of a split within a weekly bar is refused', async () => {
    const strategy = strategyOf({}, { bars: [{ symbol: 'X', interval: '1w' }] });
    const { start } = daily([1, 1, 1, 1, 1, 1]);
    const weeks = {
      ...daily([100, 100]),
      interval: '1w' as const,
      start: Float64Array.of(start[0] ?? 0, start[4] ?? 0),
    };
    const on = (exDate: string) =>
      equities({ strategy, bars: [weeks], actions: [split(exDate, ['1', '2'])] });
    await expect(on('2026-06-17')).rejects.toThrow(
      'the bar of X 1w at 2026-06-15T13:30:00Z has prices of before and after it. Use daily bars',
    );
    await expect(on('2026-06-24')).rejects.toThrow('the bar of X 1w at 2026-06-22T13:30:00Z has prices of');
    await expect(on('2026-06-22')).resolves.toMatchObject({ events: [{ kind: 'split' }] });
  });
});

/** A walk of 400 sessions as it would be in shares of its end, and as it was traded: a split into 4, one of 10 into 1. */
function twoKinds() {
  const random = seededRandom('a walk');
  let last = 100;
  const rows = Array.from({ length: 400 }, () => {
    const open = last * (1 + (random.next() - 0.5) * 0.02);
    const close = open * (1 + (random.next() - 0.5) * 0.05);
    last = close;
    return [open, Math.max(open, close) * 1.01, Math.min(open, close) * 0.99, close] as const;
  });
  const raw = rows.map((row, index) =>
    row.map((price) => price * (index < 150 ? 0.4 : index < 300 ? 0.1 : 1)),
  );
  return { adjusted: daily(rows), raw: daily(raw as unknown as Row[]) };
}

test('raw prices with their splits give the result of adjusted prices, to nine digits', async () => {
  const { adjusted, raw } = twoKinds();
  const dateOf = (index: number) => new Date(raw.start[index] ?? NaN).toISOString().slice(0, 10);
  const given = { strategy: smaCross, params: { symbol: 'X' }, fees: 'bps:10', slippage: 'bps:5' };
  const smooth = await equities({ ...given, bars: [adjusted] });
  const actions = [split(dateOf(150), ['1', '4']), split(dateOf(300), ['10', '1'])];
  const split_ = await equities({ ...given, bars: [raw], actions });
  expect(smooth.trades).toBeGreaterThan(5);
  expect(split_.events).toHaveLength(2);
  expect([split_.trades, split_.orders]).toEqual([smooth.trades, smooth.orders]);
  for (const [index, equity] of smooth.equities.entries())
    expect(split_.equities[index]).toBeCloseTo(equity, 5);
  const naive = await equities({ ...given, bars: [raw] });
  expect(Math.abs(Number(naive.pnl) - Number(smooth.pnl))).toBeGreaterThan(100);
});
