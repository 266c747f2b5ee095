import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tradingCalendar, type Session } from '../../../src/calendar/index.ts';
import { epochMs, toSeconds, type EpochMs } from '../../../src/core/brand.ts';
import { INTERVAL_MS, INTERVALS } from '../../../src/domain/bar.ts';
import { type Ticker, tickOf } from '../../../src/domain/instrument.ts';
import type { KLine, Market, Shock } from '../../../src/emulator/market/index.ts';
import {
  anyMarket,
  anySession,
  anySymbol,
  instantOf,
  joinBars,
  MINUTE,
  numberAt,
  oddDates,
  sessionOn,
  shocksAround,
} from './sessions.ts';
import { runs } from '../../runs.ts';

type Scene = Readonly<{
  market: Market;
  symbol: Ticker;
  session: Session;
  asOf: EpochMs;
  shocks: readonly Shock[];
}>;

const scenes: fc.Arbitrary<Scene> = fc
  .record({ market: anyMarket, symbol: anySymbol, session: anySession })
  .chain(({ market, symbol, session }) =>
    fc.record({
      market: fc.constant(market),
      symbol: fc.constant(symbol),
      session: fc.constant(session),
      asOf: instantOf(session),
      shocks: shocksAround(symbol, session),
    }),
  );

/** Bars of the session so far. */
const sessionBars = (
  { market, symbol, session, asOf, shocks }: Scene,
  interval: (typeof INTERVALS)[number],
) => market.bars({ symbol, interval, from: session.open, to: session.close, limit: 5000, asOf, shocks });

/** One minute bar computed from prices and volumes alone: every second, and every shock. */
function minuteOfQuotes({ market, symbol, asOf, shocks }: Scene, start: number): KLine {
  const end = Math.min(asOf, start + MINUTE - 1);
  const seconds = Array.from({ length: 60 }, (_, second) => start + second * 1000).filter((at) => at <= end);
  const jumps = shocks.map(({ at }) => at).filter((at) => at >= start && at <= end);
  const prices = [...seconds, ...jumps].map((at) => numberAt({ market, symbol, shocks }, at));
  return {
    open: numberAt({ market, symbol, shocks }, start),
    high: Math.max(...prices),
    low: Math.min(...prices),
    close: numberAt({ market, symbol, shocks }, end),
    volume: seconds.reduce((sum, at) => sum + market.volumeAt(symbol, epochMs(at)), 0),
    timestamp: toSeconds(epochMs(start)),
  };
}

describe('generated prices and bars', () => {
  test('agree in every 1m bar, complete or forming', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const bars = sessionBars(scene, '1m');
        const { open } = scene.session;
        expect(bars).toHaveLength(Math.floor((scene.asOf - open) / MINUTE) + 1);
        const all = bars.map((_bar, minute) => minuteOfQuotes(scene, open + minute * MINUTE));
        expect(bars).toEqual(all);
      }),
      { numRuns: runs(25) },
    );
  });

  test.each(['3m', '5m', '15m', '1h', '1d'] as const)('have %s bars that are joined 1m bars', (interval) => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const { open, close } = scene.session;
        const length = interval === '1d' ? close - open : INTERVAL_MS[interval];
        const groups = new Map<number, KLine[]>();
        for (const bar of sessionBars(scene, '1m')) {
          const index = Math.floor((bar.timestamp * 1000 - open) / length);
          groups.set(index, [...(groups.get(index) ?? []), bar]);
        }
        expect(sessionBars(scene, interval)).toEqual([...groups.values()].map(joinBars));
      }),
      { numRuns: runs(40) },
    );
  });

  test('have weekly bars that are joined daily bars, from Monday on', () => {
    fc.assert(
      fc.property(scenes, ({ market, symbol, asOf, shocks }) => {
        const query = { symbol, to: epochMs(asOf + 1), asOf, shocks };
        const weeks = market.bars({ ...query, interval: '1w', limit: 4 });
        const days = market.bars({ ...query, interval: '1d', limit: 25 });
        for (const week of weeks) {
          const weekday = new Date(week.timestamp * 1000).getUTCDay();
          const saturday = week.timestamp + (6 - weekday) * 86_400;
          const within = days.filter(({ timestamp }) => timestamp >= week.timestamp && timestamp < saturday);
          expect(week).toEqual(joinBars(within));
          const previous = days.filter(({ timestamp }) => timestamp < week.timestamp).at(-1);
          if (previous)
            expect(new Date(previous.timestamp * 1000).getUTCDay()).toBeGreaterThanOrEqual(weekday);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  test('have the quote as the close of every forming bar', () => {
    fc.assert(
      fc.property(scenes, ({ market, symbol, asOf, shocks }) => {
        const quote = numberAt({ market, symbol, shocks }, asOf);
        for (const interval of INTERVALS) {
          const [bar] = market.bars({ symbol, interval, to: epochMs(asOf + 1), limit: 1, asOf, shocks });
          expect(bar?.close).toBe(quote);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  test('continue from the close into the extended hours, and from these into the open', () => {
    fc.assert(
      fc.property(anyMarket, anySymbol, anySession, (market, symbol, { open, close }) => {
        const asOf = close;
        const [day] = market.bars({ symbol, interval: '1d', to: asOf, limit: 1, asOf });
        expect(day?.open).toBe(numberAt({ market, symbol }, open));
        expect(day?.close).toBe(numberAt({ market, symbol }, close - 1));
        expect(day?.close).toBe(numberAt({ market, symbol }, close));
      }),
    );
  });
});

describe('the numbers of the venue', () => {
  const anyInstant = fc
    .integer({ min: Date.parse('2000-01-01T05:00Z'), max: Date.parse('2050-12-31T23:59Z') })
    .map(epochMs);

  test('have prices on their tick and whole volumes at any instant of fifty years', () => {
    fc.assert(
      fc.property(anyMarket, anySymbol, anyInstant, (market, symbol, at) => {
        const price = market.priceAt(symbol, at);
        expect(price > 0n).toBe(true);
        expect(price % tickOf(price)).toBe(0n);
        const volume = market.volumeAt(symbol, at);
        expect(Number.isSafeInteger(volume) && volume >= 0).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('have a change and a volume of the last 24 hours', () => {
    fc.assert(
      fc.property(scenes, ({ market, symbol, session, shocks }) => {
        const at = epochMs(session.open + 90 * MINUTE - 1);
        const before = epochMs(at - 86_400_000);
        const [now, then] = [
          numberAt({ market, symbol, shocks }, at),
          numberAt({ market, symbol, shocks }, before),
        ];
        const { price, change, percent, volume } = market.quoteAt(symbol, at, shocks);
        expect(price).toBe(now);
        expect(change).toBeCloseTo(now - then, 9);
        expect(percent).toBeCloseTo((now / then - 1) * 100, 3);
        const bars = market.bars({ symbol, interval: '1m', from: before, to: at, limit: 5000, asOf: at });
        expect(volume).toBe(joinBars(bars)?.volume);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('the times of bars', () => {
  test.each(oddDates)('cover the session of %s from open to close', (date) => {
    fc.assert(
      fc.property(anyMarket, anySymbol, (market, symbol) => {
        const { open, close } = sessionOn(date);
        const day = { symbol, from: epochMs(open - 12 * 60 * MINUTE), to: epochMs(close + 4 * 60 * MINUTE) };
        const bars = market.bars({ ...day, interval: '1m', limit: 5000, asOf: day.to });
        const minutes = Array.from(
          { length: (close - open) / MINUTE },
          (_, minute) => open + minute * MINUTE,
        );
        expect(bars.map(({ timestamp }) => timestamp * 1000)).toEqual(minutes);
      }),
      { numRuns: 5 },
    );
  });

  test("are the calendar's opens for daily bars of a year", () => {
    const [from, to] = [epochMs(Date.parse('2025-01-01T05:00Z')), epochMs(Date.parse('2026-01-01T05:00Z'))];
    const opens = tradingCalendar.sessions('2025-01-01', '2025-12-31').map(({ open }) => toSeconds(open));
    fc.assert(
      fc.property(anyMarket, anySymbol, (market, symbol) => {
        const bars = market.bars({ symbol, interval: '1d', from, to, limit: 5000, asOf: to });
        expect(bars.map(({ timestamp }) => timestamp)).toEqual(opens);
      }),
      { numRuns: 4 },
    );
  });

  test('lie from the start of a range up to but excluding its end, the newest if there are more', () => {
    fc.assert(
      fc.property(
        scenes,
        fc.constantFrom(...INTERVALS),
        fc.record({ back: fc.nat(30), length: fc.nat(30), limit: fc.nat(20) }),
        ({ market, symbol, asOf, shocks }, interval, range) => {
          const to = epochMs(asOf - range.back * INTERVAL_MS[interval]);
          const from = epochMs(to - range.length * INTERVAL_MS[interval]);
          const query = { symbol, interval, asOf, shocks };
          const wide = market.bars({ ...query, to: epochMs(asOf + 1), limit: 100 });
          const expected = wide.filter(({ timestamp: at }) => at * 1000 >= from && at * 1000 < to);
          const bars = market.bars({ ...query, from, to, limit: range.limit });
          expect(bars).toEqual(range.limit > 0 ? expected.slice(-range.limit) : []);
        },
      ),
      { numRuns: runs(150) },
    );
  });
});
