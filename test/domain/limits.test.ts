import { describe, expect, test } from 'vitest';
import { cash, parseCash, parsePrice } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { breachOf } from '../../src/domain/limitBreach.ts';
import type { Exposure, Limits } from '../../src/domain/limits.ts';
import type { OrderTerms } from '../../src/domain/venue.ts';
import { AAPL, limitBuy, limitSell, marketBuy, marketSell, SENT } from './orders.ts';

type Case = { terms?: OrderTerms; notional?: string } & { [Name in keyof Exposure]?: string | number };

const $ = (text: string | number | undefined, otherwise: string) =>
  cash(parseCash(String(text ?? otherwise), { signed: true }));
const breach = (limits: Limits, { terms = marketBuy('100'), notional, ...at }: Case) =>
  breachOf({ terms, notional: $(notional, '100') }, limits, {
    now: epochMs(SENT + Number(at.now ?? 0)),
    quote: { symbol: AAPL, price: parsePrice(String(at.quote ?? '100')), at: SENT },
    position: $(at.position, '0'),
    gross: $(at.gross, '0'),
    ordersLastMinute: Number(at.ordersLastMinute ?? 0),
    dayProfit: $(at.dayProfit, '0'),
  });

/** Each limit, an order it allows and the nearest order it refuses. */
const pairs: [name: string, limits: Limits, through: Case, refused: Case, message: string][] = [
  [
    'orderNotional',
    { orderNotional: parseCash('500') },
    { notional: '500' },
    { notional: '500.000000000000000001' },
    'order of 500.000000000000000001 is over the limit of 500 (orderNotional)',
  ],
  [
    'orderNotional',
    { orderNotional: parseCash('500') },
    { terms: marketSell('5'), notional: '500' },
    { terms: marketSell('6'), notional: '600' },
    'order of 600 is over the limit of 500 (orderNotional)',
  ],
  [
    'positionNotional',
    { positionNotional: parseCash('500') },
    { position: '400' },
    { position: '400.01' },
    'position in AAPL of 500.01 is over the limit of 500 (positionNotional)',
  ],
  [
    'grossExposure',
    { grossExposure: parseCash('500') },
    { gross: '400' },
    { gross: '401' },
    'gross exposure of 501 is over the limit of 500 (grossExposure)',
  ],
  [
    'ordersPerMinute',
    { ordersPerMinute: 3 },
    { ordersLastMinute: 2 },
    { ordersLastMinute: 3 },
    '3 orders in the last minute, at most 3 (ordersPerMinute)',
  ],
  [
    'dayLoss',
    { dayLoss: parseCash('50') },
    { dayProfit: '-49.99' },
    { dayProfit: '-50' },
    "today's loss of 50 is at the limit of 50 (dayLoss)",
  ],
  [
    'dayLoss',
    { dayLoss: parseCash('50') },
    { dayProfit: '0' },
    { dayProfit: '-50.5' },
    "today's loss of 50.5 is over the limit of 50 (dayLoss)",
  ],
  [
    'priceBandBps',
    { priceBandBps: 100 },
    { terms: limitBuy('1', '101') },
    { terms: limitBuy('1', '101.01') },
    'a buy at 101.01 is more than 100 bps from the price of 100 (priceBandBps)',
  ],
  [
    'priceBandBps',
    { priceBandBps: 100 },
    { terms: limitSell('1', '99') },
    { terms: limitSell('1', '98.99') },
    'a sell at 98.99 is more than 100 bps from the price of 100 (priceBandBps)',
  ],
  [
    'quoteAgeMs',
    { quoteAgeMs: 30_000 },
    { now: 30_000 },
    { now: 30_001 },
    'the price of AAPL is 31 s old, over 30 s (quoteAgeMs)',
  ],
];

describe.each(pairs)('the limit %s', (...[limit, limits, through, refused, message]) => {
  test('allows the largest order within it', () => {
    expect(breach(limits, through)).toBeNull();
  });

  test(`refuses the first order beyond it: ${message}`, () => {
    expect(breach(limits, refused)).toMatchObject({ limit, message });
  });
});

const deep: Case = { position: '1000000000', gross: '1000000000', dayProfit: '-1000000000' };

describe('limits', () => {
  test("on holdings and on the day's loss do not bind sells", () => {
    const sizes: Limits = {
      positionNotional: parseCash('1'),
      grossExposure: parseCash('1'),
      dayLoss: parseCash('1'),
    };
    expect(breach(sizes, { ...deep, terms: marketSell('1') })).toBeNull();
    expect(breach(sizes, { ...deep, terms: limitSell('1', '100') })).toBeNull();
    expect(breach(sizes, deep)).not.toBeNull();
  });

  test('on the price bind only its harmful side, and no market order', () => {
    const band: Limits = { priceBandBps: 1 };
    expect(breach(band, { terms: limitBuy('1', '0.01') })).toBeNull();
    expect(breach(band, { terms: limitSell('1', '10000') })).toBeNull();
    expect(breach(band, { terms: marketBuy('100') })).toBeNull();
  });

  test('on the age of a quote and on orders per minute bind sells too', () => {
    const terms = marketSell('1');
    expect(breach({ quoteAgeMs: 1_000 }, { terms, now: 2_000 })?.limit).toBe('quoteAgeMs');
    expect(breach({ ordersPerMinute: 1 }, { terms, ordersLastMinute: 1 })?.limit).toBe('ordersPerMinute');
  });

  test("on the day's loss do not bind on a profit", () => {
    expect(breach({ dayLoss: parseCash('1') }, { dayProfit: '100' })).toBeNull();
  });

  test('that are absent do not bind', () => {
    expect(breach({}, { ...deep, notional: '1000000000', now: 1e9, ordersLastMinute: 1e9 })).toBeNull();
  });
});
