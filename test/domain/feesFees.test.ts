import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cash, parseCash, type Cash } from '../../src/core/amount.ts';
import { type FeeSchedule, buyCost, sellProceeds } from '../../src/domain/fees.ts';

const amount = fc.bigInt({ min: 0n, max: 10n ** 27n }).map(cash);
const schedule: fc.Arbitrary<FeeSchedule> = fc.record({
  buyMintFeeBps: fc.nat(500),
  buyProtocolFeeBps: fc.nat(500),
  sellProtocolFeeBps: fc.nat(500),
});

describe("the venue's fees", () => {
  test('of a buy of 100 add 0.11', () => {
    expect(buyCost(parseCash('100'))).toEqual({
      notional: parseCash('100'),
      mintFee: parseCash('0.1'),
      protocolFee: parseCash('0.01'),
      total: parseCash('100.11'),
    });
  });

  test('of a sell of 100 take 0.01', () => {
    expect(sellProceeds(parseCash('100'))).toEqual({
      notional: parseCash('100'),
      mintFee: 0n,
      protocolFee: parseCash('0.01'),
      net: parseCash('99.99'),
    });
  });

  test('are charged on the smallest notional too', () => {
    expect(buyCost(cash(1n)).total).toBe(3n);
    expect(sellProceeds(cash(1n)).net).toBe(0n);
  });

  test('are at least their rate, and over it by less than one unit', () => {
    const exceedsRate = (fee: Cash, notional: Cash, bps: number) => {
      const over = fee * 10_000n - notional * BigInt(bps);
      return over >= 0n && over < 10_000n;
    };
    fc.assert(
      fc.property(amount, schedule, (notional, fees) => {
        const buy = buyCost(notional, fees);
        const sell = sellProceeds(notional, fees);
        expect(exceedsRate(buy.mintFee, notional, fees.buyMintFeeBps)).toBe(true);
        expect(exceedsRate(buy.protocolFee, notional, fees.buyProtocolFeeBps)).toBe(true);
        expect(exceedsRate(sell.protocolFee, notional, fees.sellProtocolFeeBps)).toBe(true);
        expect(buy.total).toBe(buy.notional + buy.mintFee + buy.protocolFee);
        expect(sell.net).toBe(sell.notional - sell.mintFee - sell.protocolFee);
      }),
    );
  });
});
