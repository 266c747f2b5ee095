import { expect, test } from 'vitest';
import { createTradingCalendar, tradingCalendar, type TradingCalendar } from '../../src/calendar/index.ts';
import { price } from '../../src/core/amount.ts';
import { epochMs, toIso } from '../../src/core/brand.ts';
import type { BarSet } from '../../src/domain/bar.ts';
import { ticker, type QuotePhase } from '../../src/domain/instrument.ts';
import { outsideSets, QuoteBars } from '../../src/market/quoteBars.ts';

const at = (time: string) => epochMs(Date.parse(`2026-06-${time}Z`));
const set = (...phases: QuotePhase[]): BarSet => ({ symbol: ticker('AAPL'), interval: '5m', phases });
const WAD = 10n ** 18n;

type Quoted = readonly (readonly [time: string, shares: bigint])[];

/** Takes prices at their times, and returns the bars that have ended by an instant. */
const barsOn = (calendar: TradingCalendar) => (sets: readonly BarSet[], quotes: Quoted, until: string) => {
  const bars = new QuoteBars(calendar, sets);
  const take = (time: string, shares: bigint) =>
    bars.take((symbol) => ({ symbol, at: at(time), price: price(shares * WAD) }));
  for (const [time, shares] of quotes) take(time, shares);
  const shown = (time: string) =>
    bars
      .ended(at(time))
      .map(
        ({ start, open, high, low, close, volume }) =>
          `${toIso(start).slice(8, 16)} ${[open, high, low, close, volume].join(' ')}`,
      );
  return { first: shown(until), take, shown, bars };
};
const barsBy = barsOn(tradingCalendar);

test('bars outside the session are made from quotes of their time, without volume', () => {
  const quotes = [
    ['16T00:00:10', 100n],
    ['16T00:02:00', 104n],
    ['16T00:04:59', 98n],
    ['16T00:05:00', 99n],
  ] as const;
  const { first, shown } = barsBy([set('overnight')], quotes, '16T00:05');
  expect(first).toEqual(['16T00:00 100 104 98 98 0']);
  expect(shown('16T00:09')).toEqual([]);
  expect(shown('16T00:10')).toEqual(['16T00:05 99 99 99 99 0']);
});

test('a quote makes no bar in the session, nor in a phase that no strategy names', () => {
  const quotes = [
    ['15T19:59:58', 100n],
    ['15T20:01:00', 101n],
    ['16T00:01:00', 102n],
  ] as const;
  expect(barsBy([set('post', 'regular')], quotes, '16T01:00').first).toEqual(['15T20:00 101 101 101 101 0']);
});

test('a price formed before the latest bar ended is left out', () => {
  const { take, shown } = barsBy([set('overnight')], [['16T00:01:00', 100n]], '16T00:05');
  take('16T00:04:58', 90n);
  expect(shown('16T00:10')).toEqual([]);
});

test('bars after an early close at an odd minute are counted from it, and end with their phase', () => {
  const calendar = createTradingCalendar([{ date: '2026-06-15', close: '12:37', reason: 'a failure' }]);
  const quotes = [
    ['15T16:36:00', 99n],
    ['15T16:38:00', 100n],
    ['15T16:41:00', 101n],
    ['15T20:58:00', 102n],
    ['15T21:01:00', 103n],
  ] as const;
  const { first, bars } = barsOn(calendar)([set('post')], quotes, '15T21:00');
  expect(first).toEqual(['15T16:37 100 101 100 101 0', '15T20:57 102 102 102 102 0']);
  const ends = ['15T16:40', '15T16:42', '15T20:57', '15T21:00', '15T21:02'];
  expect(ends.filter((end) => bars.endsAt(at(end)))).toEqual(['15T16:42', '15T20:57', '15T21:00']);
});

test('sets of one stock and length become one, with all named phases outside the session', () => {
  const daily = { symbol: ticker('AAPL'), interval: '1d' } as const;
  expect(outsideSets([set('post', 'regular'), daily, set('pre', 'post'), set('regular')])).toEqual([
    set('post', 'pre'),
  ]);
});
