import { getAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { InvalidValueError } from '../../../src/core/errors.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { createMarket, type Market } from '../../../src/emulator/market/index.ts';
import { AAPL, instant, KO, MINUTE, numberAt, sessionOn, symbols } from './sessions.ts';

const noon = instant('2025-06-10T16:00:00Z');

describe('listings', () => {
  const { listings } = createMarket({ seed: 1 });

  test('have the usual names, and one of each kind of restriction', () => {
    const usual = ['AAPL', 'MSFT', 'NVDA', 'TSLA', 'AMZN', 'GOOGL', 'META', 'SPY', 'QQQ', 'KO', 'JPM'];
    expect(symbols).toEqual(expect.arrayContaining(usual));
    expect(listings.some(({ tradable }) => !tradable)).toBe(true);
    expect(listings.some(({ fractionable, tradable }) => tradable && !fractionable)).toBe(true);
    expect(listings.some(({ overnightTradable }) => overnightTradable)).toBe(true);
    expect(
      listings.some(({ symbol }) => numberAt({ market: createMarket({ seed: 1 }), symbol }, noon) < 1),
    ).toBe(true);
  });

  test('have distinct checksummed contracts that do not depend on the seed', () => {
    const addresses = listings.map(({ address }) => address);
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(addresses).toEqual(addresses.map((address) => getAddress(address.toLowerCase())));
    expect(createMarket({ seed: 2 }).listings).toEqual(listings);
    expect(listings.find(({ symbol }) => symbol === AAPL)?.address).toMatchInlineSnapshot(
      `"0x28DABA3d0f53cF1845C7D56fC138f9FAe4a48Dc8"`,
    );
  });

  test('continue with invented stocks, and keep the first ones unchanged', () => {
    const many = createMarket({ seed: 1, stocks: 500 });
    expect(many.listings.slice(0, listings.length)).toEqual(listings);
    expect(many.listings.at(-1)).toMatchObject({ symbol: 'S0500', tradable: true });
    expect(new Set(many.listings.map(({ address }) => address)).size).toBe(500);
    expect(many.quoteAt(AAPL, noon)).toEqual(createMarket({ seed: 1 }).quoteAt(AAPL, noon));
    const prices = many.listings
      .slice(listings.length)
      .map(({ symbol }) => numberAt({ market: many, symbol }, noon));
    expect(Math.min(...prices)).toBeGreaterThan(1);
    expect(new Set(prices).size).toBeGreaterThan(400);
  });

  test('refuse a symbol that is not listed', () => {
    const market = createMarket({ seed: 1 });
    expect(() => market.priceAt(ticker('NONE'), noon)).toThrow(InvalidValueError);
    expect(() => market.quoteAt(ticker('NONE'), noon)).toThrow(InvalidValueError);
  });
});

describe('the seed of a market', () => {
  const weeks = Array.from({ length: 60 }, (_, week) => epochMs(noon - week * 7 * 86_400_000));
  const readings = (market: Market, order: readonly number[]) =>
    new Map(
      order.flatMap((at) =>
        symbols.map((symbol) => {
          const bars = market.bars({
            symbol,
            interval: '5m',
            to: epochMs(at),
            limit: 3,
            asOf: epochMs(at),
          });
          return [`${symbol} ${at}`, [numberAt({ market, symbol }, at), bars]] as const;
        }),
      ),
    );

  test('gives the same prices in any order of queries', () => {
    const forward = readings(createMarket({ seed: 3 }), weeks);
    const backward = readings(createMarket({ seed: 3 }), weeks.toReversed());
    for (const [key, reading] of forward) expect(backward.get(key)).toEqual(reading);
  });

  test('gives another market for another value', () => {
    const [one, other] = [createMarket({ seed: 3 }), createMarket({ seed: 4 })];
    for (const symbol of symbols) {
      const differing = weeks.filter(
        (at) => numberAt({ market: one, symbol }, at) !== numberAt({ market: other, symbol }, at),
      );
      expect(differing.length).toBeGreaterThan(50);
    }
  });
});

describe('a price outside the regular session', () => {
  const market = createMarket({ seed: 5 });
  const [friday, monday] = [sessionOn('2025-06-06'), sessionOn('2025-06-09')];
  const recess = (step: number) =>
    Array.from({ length: (monday.open - friday.close) / step }, (_, index) => friday.close + index * step);

  test('stands at the last close for a stock without overnight trade', () => {
    const close = numberAt({ market, symbol: KO }, friday.close - 1);
    for (const at of recess(15 * MINUTE)) expect(numberAt({ market, symbol: KO }, at)).toBe(close);
    for (const at of recess(15 * MINUTE)) expect(market.volumeAt(KO, epochMs(at))).toBe(0);
  });

  test('drifts to the next open by small steps for a stock with overnight trade', () => {
    const path = [...recess(MINUTE), monday.open].map((at) => numberAt({ market, symbol: AAPL }, at));
    const steps = path.slice(1).map((price, index) => Math.abs(price / (path[index] ?? 0) - 1));
    expect(Math.max(...steps)).toBeLessThan(0.003);
    expect(new Set(path).size).toBeGreaterThan(20);
  });

  test('neither moves nor trades while the venue is closed', () => {
    const resting = recess(MINUTE).filter((at) => tradingCalendar.phaseAt(epochMs(at)).phase === 'closed');
    expect(new Set(resting.map((at) => numberAt({ market, symbol: AAPL }, at))).size).toBe(1);
    for (const at of resting) expect(market.volumeAt(AAPL, epochMs(at))).toBe(0);
    const trading = recess(MINUTE).filter((at) => !resting.includes(at));
    const traded = trading.reduce((sum, at) => sum + market.volumeAt(AAPL, epochMs(at)), 0);
    expect(traded).toBeGreaterThan(0);
  });

  test('exists before the first and after the last session', () => {
    const [first, last] = [sessionOn('2000-01-03'), sessionOn('2050-12-30')];
    for (const symbol of symbols) {
      const before = numberAt({ market, symbol }, instant('2000-01-01T05:00:00Z'));
      expect(numberAt({ market, symbol }, first.open) / before).toBeCloseTo(1, 0);
      const after = numberAt({ market, symbol }, instant('2051-01-01T04:59:59Z'));
      expect(after).toBe(numberAt({ market, symbol }, last.close - 1));
    }
  });
});
