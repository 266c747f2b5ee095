import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cash, parseCash, type Cash } from '../../src/core/amount.ts';
import { buyCost, notionalFor, sellProceeds, venueFees, type FeeSchedule } from '../../src/sim/fees.ts';

const amount = fc.bigInt({ min: 0n, max: 10n ** 27n }).map(cash);
const schedule: fc.Arbitrary<FeeSchedule> = fc.record({
  buyMintFeeBps: fc.nat(500),
  buyProtocolFeeBps: fc.nat(500),
  sellProtocolFeeBps: fc.nat(500),
});

describe('fees', () => {
  test('a buy of 100 costs 100.11', () => {
    expect(buyCost(parseCash('100'))).toEqual({
      notional: parseCash('100'),
      mintFee: parseCash('0.1'),
      protocolFee: parseCash('0.01'),
      total: parseCash('100.11'),
    });
  });

  test('a sell of 100 pays 99.99', () => {
    expect(sellProceeds(parseCash('100'))).toEqual({
      notional: parseCash('100'),
      mintFee: 0n,
      protocolFee: parseCash('0.01'),
      net: parseCash('99.99'),
    });
  });

  test('the smallest notional still pays each fee', () => {
    expect(buyCost(cash(1n)).total).toBe(3n);
    expect(sellProceeds(cash(1n)).net).toBe(0n);
  });

  test('fees are at least their rate, by less than one unit', () => {
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

describe('notionalFor', () => {
  test('all of 100.11 buys 100', () => {
    expect(notionalFor(parseCash('100.11'))).toBe(parseCash('100'));
  });

  test('nothing, or a debt, buys nothing', () => {
    expect(notionalFor(cash(0n))).toBe(0n);
    expect(notionalFor(cash(-5n))).toBe(0n);
  });

  test('never costs more than there is, and one unit more would', () => {
    fc.assert(
      fc.property(fc.oneof(amount, fc.bigInt(0n, 20_000n).map(cash)), schedule, (total, fees) => {
        const notional = notionalFor(total, fees);
        expect(buyCost(notional, fees).total <= total).toBe(true);
        expect(buyCost(cash(notional + 1n), fees).total > total).toBe(true);
      }),
    );
  });

  test('is the whole cash divided by 1.0011', () => {
    fc.assert(
      fc.property(amount, (total) => {
        const exact = (total * 10_000n) / 10_011n;
        const short = exact - notionalFor(total, venueFees);
        expect(short >= 0n && short <= 1n).toBe(true);
      }),
    );
  });
});
