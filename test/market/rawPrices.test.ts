import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { allHours } from '../../src/calendar/phaseHours.ts';
import { rawPrices } from '../../src/market/rawPrices.ts';
import type { StoredAction } from '../../src/market/manifest.ts';
import type { BarColumns } from '../../src/domain/barColumns.ts';

const sessions = tradingCalendar.sessions('2024-01-02', '2024-02-29');
const source = { kind: 'file', name: 'a.csv' } as const;
const split = (exDate: string, newRate: string): StoredAction => ({
  type: 'forward_split',
  exDate,
  oldRate: '1',
  newRate,
  cashPerShare: null,
  source,
});
const dividend = (exDate: string, cashPerShare: string): StoredAction => ({
  type: 'cash_dividend',
  exDate,
  oldRate: null,
  newRate: null,
  cashPerShare,
  source,
});

const barsOf = (closes: readonly number[]): BarColumns => {
  const close = Float64Array.from(closes);
  return {
    start: Float64Array.from(closes, (_, index) => sessions[index]?.open ?? NaN),
    open: close.slice(),
    high: close.map((price) => price * 1.01),
    low: close.map((price) => price * 0.99),
    close,
    volume: close.map(() => 1_200),
  };
};

/** Adjusts raw prices forwards, as a source does: each action changes all prices before it. */
function adjusted(raw: BarColumns, actions: readonly StoredAction[], hasDividends: boolean): BarColumns {
  const made = structuredClone(raw);
  for (const { exDate, newRate, cashPerShare } of actions) {
    const at = raw.start.findIndex((start) => start >= (tradingCalendar.sessionFrom(exDate).open as number));
    const ratio = newRate === null ? 1 : Number(newRate);
    const before = raw.close[at - 1] ?? NaN;
    const factor = cashPerShare === null ? 1 / ratio : hasDividends ? 1 - Number(cashPerShare) / before : 1;
    for (let index = 0; index < at; index++) {
      for (const column of [made.open, made.high, made.low, made.close])
        column[index] = (column[index] ?? NaN) * factor;
      made.volume[index] = (made.volume[index] ?? NaN) * ratio;
    }
  }
  return made;
}

describe('raw prices', () => {
  const undoing = { symbol: 'X', calendar: tradingCalendar, asOf: null } as const;
  test('are computed for a split of 4 and a dividend of 2 at a close of 100', () => {
    const actions = [dividend('2024-01-04', '2'), split('2024-01-05', '4')];
    // Raw 100, 100, 98, 25: adjusted for both, 98 % of a quarter, then a quarter, then unchanged.
    const found = rawPrices(barsOf([24.5, 24.5, 24.5, 25]), { ...undoing, prices: 'all', actions });
    expect([...found.close]).toEqual([100, 100, 98, 25]);
    expect([...found.volume]).toEqual([300, 300, 300, 1_200]);
    const bySplits = rawPrices(barsOf([25, 25, 24.5, 25]), { ...undoing, prices: 'splits', actions });
    expect([...bySplits.close]).toEqual([100, 100, 98, 25]);
  });

  test('treat a dividend on the day of a split as paid on the shares before it', () => {
    const actions = [dividend('2024-01-04', '2'), split('2024-01-04', '4')];
    // Raw 100, 100, 24.5: 98 % of a quarter before that day.
    const found = rawPrices(barsOf([24.5, 24.5, 24.5]), { ...undoing, prices: 'all', actions });
    expect([...found.close]).toEqual([100, 100, 24.5]);
  });

  test('are recovered from any adjustment', () => {
    const closes = fc.array(fc.integer({ min: 2_000, max: 50_000 }), { minLength: 30, maxLength: 30 });
    const days = fc.uniqueArray(fc.integer({ min: 1, max: 28 }), { maxLength: 5 });
    fc.assert(
      fc.property(
        closes,
        days,
        fc.constantFrom('splits' as const, 'all' as const),
        (cents, places, prices) => {
          const raw = barsOf(cents.map((value) => value / 100));
          const actions = places.map((place, index) => {
            const date = sessions[place]?.date ?? '';
            return index % 2 === 0 ? split(date, '3') : dividend(date, '1.25');
          });
          const found = rawPrices(adjusted(raw, actions, prices === 'all'), { ...undoing, prices, actions });
          raw.close.forEach((price, index) => expect(found.close[index]).toBeCloseTo(price, 4));
          raw.volume.forEach((volume, index) => expect(found.volume[index]).toBeCloseTo(volume, 6));
        },
      ),
    );
  });

  test('are refused for a file that ends before an action, unless its date is given', () => {
    const bars = barsOf([25, 25]);
    const actions = [split('2024-02-01', '4')];
    expect(() => rawPrices(bars, { ...undoing, prices: 'splits', actions })).toThrow(
      'the forward_split of X of 2024-02-01 is after the last bar. Give the day on which the file was written: --as-of DATE',
    );
    expect([...rawPrices(bars, { ...undoing, prices: 'splits', actions, asOf: '2024-01-31' }).close]).toEqual(
      [25, 25],
    );
    expect([...rawPrices(bars, { ...undoing, prices: 'splits', actions, asOf: '2024-02-01' }).close]).toEqual(
      [100, 100],
    );
    expect(() => rawPrices(bars, { ...undoing, prices: 'splits', actions, asOf: '2023-12-31' })).toThrow(
      /--as-of 2023-12-31 is before the last bar of X, of 2024-01-\d\d: give the day on which the file/,
    );
    const paid = [dividend('2024-02-01', '1')];
    expect(() => rawPrices(bars, { ...undoing, prices: 'all', actions: paid, asOf: '2024-03-01' })).toThrow(
      'take a file that reaches beyond it',
    );
  });
});

describe('raw prices of all phases', () => {
  const at = (date: string, time: string) => tradingCalendar.newYorkTime(date, time);
  const times = [
    at('2024-01-03', '15:00'),
    at('2024-01-03', '19:00'),
    at('2024-01-03', '20:00'),
    at('2024-01-04', '04:00'),
    at('2024-01-04', '10:30'),
  ];
  const undone = (closes: readonly number[], actions: readonly StoredAction[]) => {
    const bars = { ...barsOf(closes), start: Float64Array.from(times) };
    const calendar = allHours(tradingCalendar);
    return [...rawPrices(bars, { symbol: 'X', calendar, asOf: null, prices: 'all', actions }).close];
  };

  test('change by a split starting the evening before its ex-date', () => {
    expect(undone([25, 26, 26, 25, 25], [split('2024-01-04', '4')])).toEqual([100, 104, 26, 25, 25]);
  });

  test('change by a dividend in relation to the last close of a regular session', () => {
    // Raw closes 100 at the end of the session, and 90 after it; a dividend of 2 removes 1 - 2 / 100.
    expect(undone([98, 88.2, 88, 88, 88], [dividend('2024-01-04', '2')])).toEqual([100, 90, 88, 88, 88]);
  });
});
