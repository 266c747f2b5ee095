import type { PlotAnswer, QuoteCandles } from '../../src/ops/model/past.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import {
  candlesGrowth,
  candlesPath,
  joinedCandles,
  joinedPlots,
  lengthOf,
  plotsGrowth,
  plotsPath,
} from '../../src/page/views/strategy/stockReading.ts';
import { joined, recordGrowth, type StrategyRecord } from '../../src/page/views/strategy/strategyRecord.ts';
import { changedSince } from '../../src/report/live/changedSince.ts';
import { LiveHistory } from '../../src/report/live/liveHistory.ts';
import { liveRecord } from '../../src/report/live/liveRecord.ts';
import { someDay } from '../domain/account/someDay.ts';
import { IDENTITY, LiveDays, readerOf } from '../report/live/liveJournal.ts';
import { runs } from '../runs.ts';

/** Record of a journal, as `GET /v1/record` returns it. */
function recordOf(entries: readonly JournalEntry[], since = 0): StrategyRecord {
  const history = new LiveHistory(readerOf(entries));
  return { ...changedSince(liveRecord(history, IDENTITY, ['alpha']), history, since), seq: history.seq };
}

/** Lists that a view shows; the end of a resting limit is not repeated. */
const shownOf = ({ decisions, orderList, fills, limitOrders = [] }: StrategyRecord) => ({
  decisions,
  orderList,
  fills,
  limits: limitOrders.map(({ until, ...limit }) => ({
    ...limit,
    until: limit.how === 'open' ? null : until,
  })),
});

/** Continues reading a journal at each of some lengths, as a view does. */
function readOn(entries: readonly JournalEntry[], lengths: readonly number[]): StrategyRecord {
  let record: StrategyRecord | null = null;
  for (const length of lengths) {
    const newer = recordOf(entries.slice(0, length), record?.seq);
    record = record ? joined(record, newer) : newer;
  }
  if (record === null) throw new Error('the record does not continue');
  return record;
}

describe('a record that is read in steps', () => {
  test('has the same lists as one read at once', () => {
    const days = new LiveDays().quote({ AAPL: '100' }).open('10000').allocate('10000').opens('2026-01-05');
    const undone = days.trade({ side: 'buy', quantity: '1', price: '100' });
    const [kept, ended] = ['95', '94'].map((price) => days.rest({ side: 'buy', quantity: '1', price }));
    days.on('2026-01-05', '12:00').trade({ side: 'buy', quantity: '2', price: '99' });
    ended?.end('cancelled');
    days.on('2026-01-05', '13:00').reopen(undone).quote({ AAPL: '98' });
    kept?.fill();
    const { entries } = days;
    const all = shownOf(recordOf(entries));
    expect(all.fills).toHaveLength(2);
    // Before the account is opened there is nothing to continue.
    const lengths = Array.from({ length: entries.length - 3 }, (_, index) => index + 4);
    expect(shownOf(readOn(entries, lengths))).toEqual(all);
    for (const first of lengths) expect(shownOf(readOn(entries, [first, entries.length]))).toEqual(all);
  });

  test('has the same lists as one read at once, on any day', () => {
    fc.assert(
      fc.property(someDay, fc.array(fc.nat(60), { maxLength: 4 }), (entries, given) => {
        const lengths = [4, ...given.map((length) => Math.max(length, 4)), entries.length];
        const inTurn = lengths.toSorted((one, other) => one - other);
        expect(shownOf(readOn(entries, inTurn))).toEqual(shownOf(recordOf(entries)));
      }),
      { numRuns: runs(40) },
    );
  });

  test('is requested from its last entry on, and read from the start if the journal is another one', () => {
    const record = recordOf(new LiveDays().open('1000').allocate('1000').entries);
    const growth = recordGrowth('a b');
    expect(growth.next(record)).toBe(`v1/record?strategy=a%20b&since=${record.seq}`);
    const other = recordOf(new LiveDays('2026-02-02').open('1000').allocate('1000').entries);
    expect(growth.join(record, other)).toBeNull();
    expect(growth.join(record, { ...record, seq: record.seq - 1 })).toBeNull();
  });
});

const MINUTE = 60_000;
const NOW = Date.parse('2026-06-15T14:02:30Z');
const chosen = { strategy: 'a b', symbol: 'SPY', length: '1m', now: NOW } as const;

const candles = (minutes: readonly number[], close: number[]): QuoteCandles => ({
  symbol: 'SPY',
  intervalMs: MINUTE,
  start: minutes.map((minute) => minute * MINUTE),
  open: close,
  high: close,
  low: close,
  close,
});

describe('candles that are read in steps', () => {
  test('are requested from a start of any interval some days before, then from the last one', () => {
    const from = Number(/&from=(\d+)$/.exec(candlesPath(chosen))?.[1]);
    expect([from % 86_400_000, from < NOW - 6 * 86_400_000]).toEqual([0, true]);
    const { next } = candlesGrowth(chosen);
    expect(next(candles([1, 2, 5], [1, 2, 3]))).toBe(`v1/candles?symbol=SPY&interval=1m&from=${5 * MINUTE}`);
    expect(next(candles([], []))).toBe(candlesPath(chosen));
  });

  test('replace the last candle and add the later ones', () => {
    const before = candles([1, 2, 5], [1, 2, 3]);
    const whole = joinedCandles(before, candles([5, 6], [4, 5]));
    expect(whole).toEqual(candles([1, 2, 5, 6], [1, 2, 4, 5]));
    expect(joinedCandles(before, candles([], []))).toEqual(before);
    expect(joinedCandles(candles([], []), before)).toEqual(before);
  });

  test('are at most 5,000', () => {
    const minutes = Array.from({ length: 5_000 }, (_, minute) => minute);
    const { start } = joinedCandles(candles(minutes, minutes), candles([5_000], [1]));
    expect([start.length, start[0], start.at(-1)]).toEqual([5_000, MINUTE, 5_000 * MINUTE]);
  });

  test('have the default interval unless the address names another', () => {
    expect(['15m', '2m', undefined].map(lengthOf)).toEqual(['15m', '5m', '5m']);
  });
});

const series = (name: string, points: readonly (readonly [number, number | null])[]) => ({
  name,
  symbol: null,
  panel: null,
  at: points.map(([at]) => at * MINUTE),
  values: points.map(([, value]) => value),
});
const plots = (...all: ReturnType<typeof series>[]): PlotAnswer => ({ intervalMs: 5 * MINUTE, series: all });

describe('plotted series that are read in steps', () => {
  test('are requested from the interval of their last value', () => {
    const { next } = plotsGrowth(chosen);
    expect(
      next(
        plots(
          series('a', [
            [3, 1],
            [12, 2],
          ]),
          series('b', [[7, 1]]),
        ),
      ),
    ).toBe(`v1/plots?strategy=a%20b&symbol=SPY&interval=1m&from=${10 * MINUTE}`);
    expect(next(plots())).toBe(plotsPath(chosen));
  });

  test('replace the values of that interval and add the later ones', () => {
    const before = plots(
      series('a', [
        [3, 1],
        [11, 2],
      ]),
      series('b', [[7, 5]]),
    );
    const newer = plots(
      series('a', [
        [14, 3],
        [19, null],
      ]),
      series('c', [[15, 9]]),
    );
    expect(joinedPlots(before, newer)).toEqual(
      plots(
        series('a', [
          [3, 1],
          [14, 3],
          [19, null],
        ]),
        series('b', [[7, 5]]),
        series('c', [[15, 9]]),
      ),
    );
    expect(joinedPlots(plots(), newer)).toEqual(newer);
  });
});
