import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePrice, parseShares, price, shares } from '../../src/core/amount.ts';
import { fillOnTick, limitFill, marketFillPrice } from '../../src/sim/matching.ts';
import { tickOf } from '../../src/domain/instrument.ts';

const anyPrice = fc.bigInt({ min: 1n, max: 10n ** 24n }).map(price);
const anyShares = fc.bigInt({ min: 0n, max: 10n ** 24n }).map(shares);
const side = fc.constantFrom('buy' as const, 'sell' as const);

describe('tickOf', () => {
  test.each([
    ['0.0001', '0.0001'],
    ['0.9999', '0.0001'],
    ['1', '0.01'],
    ['431.2', '0.01'],
  ])('of a price of %s is %s', (at, tick) => {
    expect(tickOf(parsePrice(at))).toBe(parsePrice(tick));
  });
});

describe('marketFillPrice', () => {
  test.each([
    ['buy', '100', 1, '100.01'],
    ['sell', '100', 1, '99.99'],
    ['buy', '100', 0.5, '100.01'],
    ['sell', '100', 0.5, '99.99'],
    ['buy', '100', 0, '100'],
    ['sell', '100', 0, '100'],
    ['buy', '0.5', 3, '0.5002'],
    ['sell', '0.5', 3, '0.4998'],
    ['sell', '0.0001', 50, '0.0001'],
  ] as const)('of a %s at %s with half a spread of %s bps is %s', (...row) => {
    const [way, at, halfSpreadBps, filled] = row;
    const mid = parsePrice(at);
    expect(marketFillPrice({ side: way, price: mid, halfSpreadBps, tick: tickOf(mid) })).toBe(
      parsePrice(filled),
    );
  });

  test("lies on a tick, on the trader's worse side, less than one tick beyond the spread", () => {
    const bps = fc.nat(2_000).map((tenths) => tenths / 10);
    fc.assert(
      fc.property(side, anyPrice, bps, (way, mid, halfSpreadBps) => {
        const tick = tickOf(mid);
        const filled = marketFillPrice({ side: way, price: mid, halfSpreadBps, tick });
        const tenths = BigInt(Math.round(halfSpreadBps * 10));
        const past =
          way === 'buy'
            ? filled * 100_000n - mid * (100_000n + tenths)
            : mid * (100_000n - tenths) - filled * 100_000n;
        expect(filled % tick).toBe(0n);
        expect(filled >= tick).toBe(true);
        expect(past < tick * 100_000n).toBe(true);
        expect(past >= 0n || filled === tick).toBe(true);
      }),
    );
  });
});

describe('fillOnTick', () => {
  test.each([
    ['buy', '105.004', '105.01'],
    ['sell', '105.004', '105'],
    ['buy', '105', '105'],
    ['sell', '0.99995', '0.9999'],
    ['buy', '0.00001', '0.0001'],
    ['sell', '0.00001', '0.0001'],
    // What float32 leaves of 100.13 and of 431.21.
    ['sell', '100.12999725341797', '100.13'],
    ['buy', '431.2099914550781', '431.21'],
    ['buy', '431.2100219726562', '431.21'],
  ] as const)('rounds a %s at %s to %s', (way, found, filled) => {
    expect(fillOnTick(parsePrice(found), way)).toBe(parsePrice(filled));
  });
});

describe('limitFill', () => {
  const order = { remaining: parseShares('10'), limit: parsePrice('50'), available: parseShares('4') };

  test.each([
    ['buy', '49.5', true],
    ['buy', '50', true],
    ['buy', '50.01', false],
    ['sell', '49.99', false],
    ['sell', '50', true],
    ['sell', '51', true],
  ] as const)('lets a %s at 50 fill with the market at %s: %s', (way, at, fills) => {
    const expected = fills ? { quantity: parseShares('4'), price: parsePrice(at) } : null;
    expect(limitFill({ ...order, side: way, price: parsePrice(at) })).toEqual(expected);
  });

  test('is never worse than the limit and never larger than the remaining or available shares', () => {
    fc.assert(
      fc.property(
        fc.record({ side, remaining: anyShares, limit: anyPrice, price: anyPrice, available: anyShares }),
        (at) => {
          const fill = limitFill(at);
          if (!fill) return;
          expect(at.side === 'buy' ? fill.price <= at.limit : fill.price >= at.limit).toBe(true);
          expect(fill.quantity > 0n).toBe(true);
          expect(fill.quantity).toBe(at.remaining < at.available ? at.remaining : at.available);
        },
      ),
    );
  });

  test('is none when no shares are available or none remain', () => {
    const crossing = { ...order, side: 'buy' as const, price: parsePrice('49') };
    expect(limitFill({ ...crossing, available: shares(0n) })).toBeNull();
    expect(limitFill({ ...crossing, remaining: shares(0n) })).toBeNull();
  });
});
