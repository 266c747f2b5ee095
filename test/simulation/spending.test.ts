import { describe, expect, test } from 'vitest';
import { parseCash, parseDecimal, parseShares } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { Order } from '../../src/emulator/state/state.ts';
import { Exposure, limitsOf } from './exposure.ts';
import { Spending, type Deal } from './spending.ts';
import type { VenueSide } from './venueSide.ts';

const [KO, SPY, F] = [ticker('KO'), ticker('SPY'), ticker('F')];

type Terms = Partial<Pick<Deal, 'owner' | 'symbol' | 'side' | 'settledAt'>>;
const open = (reserve: string, terms: Terms = {}): Deal => ({
  owner: 'a',
  symbol: KO,
  side: 'buy',
  settlement: null,
  settledAt: Infinity,
  ...terms,
  reserve: parseCash(reserve),
});
const bought = (pay: string, shares: string, terms: Terms = {}): Deal => ({
  ...open(pay, { settledAt: 1, ...terms }),
  settlement: { pay: parseCash(pay), receive: parseShares(shares) },
});
const sold = (shares: string, receive: string): Deal => ({
  ...open('0', { side: 'sell', settledAt: 2 }),
  settlement: { pay: parseShares(shares), receive: parseCash(receive) },
});

/** The finding about some deals, with a capital of 1,000, 500 a position and 800 in all, at a price of 10. */
const beyond = (deals: readonly Deal[], price = '10') =>
  new Spending({
    limits: { positionNotional: parseCash('500'), grossExposure: parseCash('800') },
    capitals: new Map([
      ['a', parseCash('1000')],
      ['b', parseCash('1000')],
    ]),
    priceAt: () => parseDecimal(price),
  }).beyond(deals, epochMs(3));

describe('trades at the venue', () => {
  test.each<[string, readonly Deal[], string]>([
    ['more than the capital', [bought('990', '10'), open('20')], 'a has spent 1010 of a capital of 1000'],
    ['a buy of a strategy without capital', [open('1', { owner: 'c' })], 'c has spent 1 of a capital of 0'],
    ['a position above its limit', [bought('400', '40'), open('200')], 'KO stands at 600, above 500'],
    [
      'positions above the gross limit',
      [open('450'), open('450', { symbol: SPY, owner: 'b' })],
      'all stocks stand at 900, above 800',
    ],
  ])('are reported: %s', (_what, deals, finding) => {
    expect(beyond(deals)).toBe(finding);
  });

  test.each<[string, readonly Deal[]]>([
    ['within every limit', [bought('400', '40'), open('90'), open('250', { symbol: SPY, owner: 'b' })]],
    ['for which a sell has made room', [bought('500', '50'), sold('50', '500'), open('500')]],
    ['within the tolerance of a price that moves', [bought('520', '52')]],
  ])('are accepted: %s', (_what, deals) => {
    expect(beyond(deals)).toBeNull();
  });

  test('count at the market price or at their cost, whichever is less', () => {
    expect(beyond([bought('600', '60')], '5')).toBeNull();
    expect(beyond([bought('400', '40')], '20')).toBeNull();
    expect(beyond([bought('600', '60')], '20')).toBe('KO stands at 600, above 500');
  });
});

describe('an accepted order', () => {
  const limits = limitsOf({ tight: true });
  const order = (txHash: string, reserve: string, more: object = {}) =>
    ({
      txHash,
      reserve: parseCash(reserve),
      symbol: KO,
      side: 'buy',
      word: 'Working',
      settlement: null,
      ...more,
    }) as unknown as Order;

  /** The finding about the last of some orders; no read of the venue shows those in `unknowable`. */
  function found(
    orders: readonly Order[],
    unknowable: readonly string[] = [],
    foreign: readonly string[] = [],
  ) {
    const state = { seed: 1, shocks: [], orders };
    const isUnknowable = (txHash: string) => unknowable.includes(txHash);
    const venue = { machine: { state }, foreign: new Set(foreign), isUnknowable };
    const last = orders.at(-1);
    return last ? new Exposure(venue as unknown as VenueSide, limits).beyond(last, epochMs(0)) : null;
  }

  test('is reported above the limit of one order, of its stock and of all stocks', () => {
    expect(found([order('1', '11000')])).toBe('order of 11000, above 10000');
    expect(found([order('1', '6000'), order('2', '5000')])).toBe('position in KO of 11000, above 9500');
    const others = [order('1', '9000', { symbol: SPY }), order('2', '9000', { symbol: F })];
    expect(found([...others, order('3', '9000')])).toBe('gross exposure of 27000, above 24000');
  });

  test('is not reported for a sell, next to reverted, external or doubted orders', () => {
    expect(found([order('1', '9000'), order('2', '9000', { side: 'sell' })])).toBeNull();
    expect(found([order('1', '9000', { word: 'Failed' }), order('2', '9000')])).toBeNull();
    expect(found([order('1', '9000'), order('2', '9000')], [], ['1'])).toBeNull();
    expect(found([order('1', '9000'), order('2', '9000')], ['1'])).toBeNull();
  });

  test('has the room that a doubted sell has made', () => {
    const bought = { settlement: { pay: parseCash('9000'), receive: parseShares('90') } };
    const sold = { side: 'sell', settlement: { pay: parseShares('90'), receive: parseCash('9000') } };
    const orders = [order('1', '9000', bought), order('2', '0', sold), order('3', '9000')];
    expect(found(orders, ['2'])).toBeNull();
  });

  test('counts itself although it is in doubt', () => {
    expect(found([order('1', '6000'), order('2', '5000')], ['2'])).toBe(
      'position in KO of 11000, above 9500',
    );
  });
});
