import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { createMarket, type Shock } from '../../../src/emulator/market/index.ts';
import { AAPL, instant, KO, numberAt } from './sessions.ts';

const market = createMarket({ seed: 1 });
const at = instant('2025-06-10T15:30:12.345Z');
const shock = (factor: number, later = 0): Shock => ({ symbol: AAPL, at: epochMs(at + later), factor });
const plain = (when: number) => numberAt({ market, symbol: AAPL }, when);

describe('price shocks', () => {
  test('apply from their millisecond on, to their symbol only', () => {
    const shocks = [shock(0.5)];
    expect(numberAt({ market, symbol: AAPL, shocks }, at - 1)).toBe(plain(at - 1));
    expect(numberAt({ market, symbol: AAPL, shocks }, at)).toBeCloseTo(plain(at) / 2, 1);
    expect(numberAt({ market, symbol: AAPL, shocks }, at + 86_400_000)).toBeCloseTo(
      plain(at + 86_400_000) / 2,
      1,
    );
    expect(numberAt({ market, symbol: KO, shocks }, at)).toBe(numberAt({ market, symbol: KO }, at));
  });

  test('multiply in any order', () => {
    const later = at + 600_000;
    const shocks = [shock(3, 60_000), shock(0.5)];
    expect(numberAt({ market, symbol: AAPL, shocks }, at + 1)).toBeCloseTo(plain(at + 1) / 2, 1);
    expect(numberAt({ market, symbol: AAPL, shocks }, later)).toBeCloseTo(plain(later) * 1.5, 1);
    expect(numberAt({ market, symbol: AAPL, shocks: shocks.toReversed() }, later)).toBe(
      numberAt({ market, symbol: AAPL, shocks }, later),
    );
  });

  test('reach a wanted price exactly', () => {
    for (const wanted of [0.1234, 1, 191.25, 12_345.67])
      expect(numberAt({ market, symbol: AAPL, shocks: [shock(wanted / plain(at))] }, at)).toBe(wanted);
  });

  test('bring a price below one mUSD on the finer tick, never to zero', () => {
    const price = numberAt({ market, symbol: AAPL, shocks: [shock(0.001)] }, at);
    expect(price).toBeLessThan(1);
    expect(Math.round(price * 10_000) / 10_000).toBe(price);
    expect(numberAt({ market, symbol: AAPL, shocks: [shock(1e-12)] }, at)).toBe(0.0001);
  });

  test('in the middle of a bar stretch it over both prices, and leave earlier bars unchanged', () => {
    const query = { symbol: AAPL, limit: 2, to: epochMs(at + 1), asOf: epochMs(at + 86_400_000) };
    for (const interval of ['1m', '1h', '1d', '1w'] as const) {
      const [before, after] = [[], [shock(2)]].map((shocks) => market.bars({ ...query, interval, shocks }));
      expect(after?.at(-1)?.high).toBeGreaterThan(plain(at) * 1.9);
      expect(after?.at(-1)?.low).toBeLessThan(plain(at) * 1.1);
      expect(after?.slice(0, -1)).toEqual(before?.slice(0, -1));
      expect(after?.at(-1)?.volume).toBe(before?.at(-1)?.volume);
    }
  });

  test('move the change of the day', () => {
    expect(market.quoteAt(AAPL, at, [shock(1.1)]).percent).toBeCloseTo(
      (1.1 * (1 + market.quoteAt(AAPL, at).percent / 100) - 1) * 100,
      1,
    );
  });

  test('of one symbol leave the bars of another unchanged', () => {
    const query = {
      symbol: ticker('SPY'),
      interval: '5m' as const,
      to: epochMs(at + 1),
      limit: 50,
      asOf: at,
    };
    expect(market.bars({ ...query, shocks: [shock(2)] })).toEqual(market.bars(query));
  });
});
