import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { Bench, CLOSE, stock } from '../harness.ts';

const MARKET_BUY = { side: 'Buy', type: 'Market', notional: '100' };
const limit = (side: 'Buy' | 'Sell', quantity: string, price: string) => ({
  side,
  type: 'Limit',
  quantity,
  price,
  timeInForce: 'DAY',
});

describe('a market order', () => {
  test('to buy for 100 locks and then debits 100.11', () => {
    const venue = new Bench();
    const txHash = venue.place(MARKET_BUY);
    expect(venue.order(txHash).status).toBe('Pending');
    expect(venue.cash()).toEqual({ free: '100000', locked: '0' });
    venue.wait(3_000);
    expect(venue.order(txHash).status).toBe('New');
    expect(venue.cash()).toEqual({ free: '99899.89', locked: '100.11' });
    venue.wait(10_000);
    expect(venue.order(txHash)).toMatchObject({
      status: 'Filled',
      settlePay: '100.11',
      mintFee: '0.1',
      protocolFee: '0.01',
    });
    expect(venue.cash()).toEqual({ free: '99899.89', locked: '0' });
    const { filledQuantity } = venue.order(txHash);
    expect(Number(filledQuantity) * venue.price()).toBeCloseTo(100, 0);
    expect(Number(venue.stock('AAPL').exchange)).toBeCloseTo(100 + Number(filledQuantity), 9);
  });

  test('to sell locks shares and pays the notional less its fee', () => {
    const venue = new Bench();
    const txHash = venue.place({ side: 'Sell', type: 'Market', quantity: '2' });
    venue.wait(3_000);
    expect(venue.stock('AAPL')).toMatchObject({ exchange: '98', locked: '2' });
    venue.wait(10_000);
    const { settlePay, settleReceive, protocolFee, mintFee } = venue.order(txHash);
    expect(settlePay).toBe('2');
    expect(mintFee).toBe('0');
    expect(Number(settleReceive) / Number(protocolFee)).toBeCloseTo(9_999, 6);
    expect(Number(venue.cash().free)).toBeCloseTo(100_000 + Number(settleReceive), 8);
  });

  test('mined before the close and settled after it has the price of the session', () => {
    const venue = new Bench({ start: epochMs(CLOSE - 2_600) });
    const price = venue.price();
    const txHash = venue.place({ side: 'Sell', type: 'Market', quantity: '1' });
    venue.wait(2_599);
    expect(venue.order(txHash).status).toBe('New');
    venue.wait(2);
    const body = { symbol: 'AAPL', price: (price * 2).toFixed(2) };
    venue.machine.command({ kind: 'market', body }, venue.now);
    venue.wait(10_000);
    expect(venue.order(txHash).status).toBe('Filled');
    expect(Number(venue.order(txHash).settleReceive)).toBeLessThan(price * 1.1);
  });

  test.each([1, 2, 3, 4, 5])(
    'is filled before a later one that the cash cannot pay as well (seed %i)',
    (seed) => {
      const venue = new Bench({ seed });
      const orders = [60_000, 50_000].map((notional) => venue.place({ ...MARKET_BUY, notional }));
      venue.wait(15_000);
      expect(orders.map((txHash) => venue.order(txHash).status)).toEqual(['Filled', 'Failed']);
    },
  );

  test('mined after the close is rejected, and its lock released', () => {
    const venue = new Bench({ start: epochMs(CLOSE - 100) });
    const txHash = venue.place(MARKET_BUY);
    venue.wait(3_000);
    expect(venue.cash().locked).toBe('100.11');
    venue.wait(10_000);
    expect(venue.order(txHash)).toMatchObject({ status: 'Rejected', settlePay: '0', settleReceive: '0' });
    expect(venue.cash()).toEqual({ free: '100000', locked: '0' });
  });
});

describe('a transaction', () => {
  test.each([
    ['too little mUSD', { ...MARKET_BUY, notional: '100000' }],
    ['too little stock', { side: 'Sell', type: 'Market', quantity: '100.5' }],
    ['too little gas', { ...MARKET_BUY, gasLimit: 21_000 }],
  ])('reverts with %s', (_name, order) => {
    const venue = new Bench();
    const txHash = venue.place(order);
    venue.wait(10_000);
    expect(venue.order(txHash)).toMatchObject({ status: 'Failed', settlePay: null });
    expect(venue.cash()).toEqual({ free: '100000', locked: '0' });
    expect(venue.get(`/orders/tx/${txHash}`)).toMatchObject({
      mappingStatus: 'Failed',
      openOrder: null,
      historyOrder: null,
    });
  });

  test('reverts with a deadline that passes before its block', () => {
    const venue = new Bench({ start: epochMs(Date.parse('2026-06-15T14:00:00.950Z')) });
    const txHash = venue.place({ ...MARKET_BUY, deadline: venue.deadline(1) });
    venue.wait(10_000);
    expect(venue.order(txHash).status).toBe('Failed');
  });
});

describe('a limit order', () => {
  test('that crosses is executed at the market, and gets back what it locked beyond that', () => {
    const venue = new Bench();
    const above = (venue.price() * 1.01).toFixed(2);
    const txHash = venue.place(limit('Buy', '1.5', above));
    venue.wait(3_000);
    const locked = Number(venue.cash().locked);
    expect(locked).toBeCloseTo(1.5 * Number(above) * 1.0011, 6);
    venue.wait(15_000);
    const order = venue.order(txHash);
    expect(order).toMatchObject({ status: 'Filled', filledQuantity: '1.5', settleReceive: '1.5' });
    expect(Number(order.settlePay)).toBeLessThan(locked);
    expect(venue.cash().locked).toBe('0');
    expect(Number(venue.cash().free)).toBeCloseTo(100_000 - Number(order.settlePay), 8);
  });

  test('that is large is executed in parts, and settles once with its cancel', () => {
    const venue = new Bench();
    venue.machine.command(
      { kind: 'move', body: { userAddress: venue.account().userAddress, asset: 'BRK.B', amount: '100000' } },
      venue.now,
    );
    const below = (venue.price('BRK.B') * 0.99).toFixed(2);
    const txHash = venue.place({ ...limit('Sell', '90000', below), stockAddress: stock('BRK.B') });
    venue.wait(30_000);
    const { orderId } = venue.order(txHash);
    expect(venue.get(`/orders/${orderId}`)).toMatchObject({
      orderStatus: 'Partial filled',
      openOrder: { status: 'placing', pay: '90000' },
    });
    expect(venue.stock('BRK.B')).toMatchObject({ exchange: '10000', locked: '90000' });
    expect(venue.cancel(orderId).status).toBe(200);
    venue.wait(15_000);
    const order = venue.order(txHash);
    expect(order.status).toBe('Canceled');
    expect(Number(order.filledQuantity)).toBeGreaterThan(0);
    expect(order.settlePay).toBe(order.filledQuantity);
    expect(venue.stock('BRK.B')).toMatchObject({ locked: '0' });
    expect(Number(venue.stock('BRK.B').exchange)).toBeCloseTo(100_000 - Number(order.filledQuantity), 8);
    expect(venue.get(`/orders/${orderId}`)).toMatchObject({
      orderStatus: 'Canceled',
      openOrder: null,
      historyOrder: { settlePay: order.settlePay, settleReceive: order.settleReceive, status: 'Canceled' },
    });
  });

  test('that is cancelled after its last execution is Filled or Canceled, and locks nothing', () => {
    const venue = new Bench({ indexerLagMs: 0 });
    const price = venue.price();
    const txHash = venue.place(limit('Sell', '1', (price * 1.2).toFixed(2)));
    venue.wait(3_000);
    const { orderId } = venue.order(txHash);
    expect(venue.cancel(orderId).status).toBe(200);
    expect(venue.cancel(orderId).body).toMatchObject({ code: 10_002, errMsg: 'order is already canceling' });
    venue.machine.command(
      { kind: 'market', body: { symbol: 'AAPL', price: (price * 1.3).toFixed(2) } },
      venue.now,
    );
    const due = venue.machine.nextDue() ?? venue.now;
    venue.wait(due - venue.now + 20_000);
    expect(['Filled', 'Canceled']).toContain(venue.order(txHash).status);
    expect(venue.cash().locked).toBe('0');
  });

  test('of a day ends at the close and is cleared within the minute', () => {
    const venue = new Bench({ start: epochMs(CLOSE - 600_000) });
    const low = (venue.price() * 0.5).toFixed(2);
    const txHash = venue.place(limit('Buy', '1', low));
    venue.wait(600_000 - 1);
    expect(venue.order(txHash).status).toBe('New');
    expect(Number(venue.cash().locked)).toBeGreaterThan(0);
    venue.wait(60_001);
    expect(venue.order(txHash)).toMatchObject({ status: 'Expired', filledQuantity: '0', settlePay: '0' });
    expect(venue.cash()).toEqual({ free: '100000', locked: '0' });
  });

  test('of a day mined after the close ends at the next close', () => {
    const venue = new Bench({ start: epochMs(CLOSE + 600_000) });
    const txHash = venue.place(limit('Buy', '1', (venue.price() * 0.5).toFixed(2)));
    venue.wait(22 * 3_600_000);
    expect(venue.order(txHash).status).toBe('New');
    venue.wait(2 * 3_600_000);
    expect(venue.order(txHash).status).toBe('Expired');
  });

  // Mined at 16:10: post ends at 20:00, and so does the trading day; overnight begins then.
  test.each([
    ['phase', 10 * 60_000, 60_000 * 222, 'New'],
    ['phase', 10 * 60_000, 60_000 * 234, 'Expired'],
    ['phase', 5 * 3_600_000, 60_000 * 414, 'New'],
    ['phase', 5 * 3_600_000, 60_000 * 426, 'Expired'],
    ['tradingDay', 5 * 3_600_000, 60_000 * 1_374, 'New'],
    ['tradingDay', 5 * 3_600_000, 60_000 * 1_386, 'Expired'],
    ['nextClose', 5 * 3_600_000, 60_000 * 1_134, 'New'],
    ['nextClose', 5 * 3_600_000, 60_000 * 1_146, 'Expired'],
  ] as const)(
    'a DAY order that ends by %s, mined %i ms after the close, is after %i ms %s',
    (...[dayEnds, after, ms, word]) => {
      const venue = new Bench({ start: epochMs(CLOSE + after) });
      venue.machine.command({ kind: 'constants', body: { dayEnds } }, venue.now);
      const txHash = venue.place(limit('Buy', '1', (venue.price() * 0.5).toFixed(2)));
      venue.wait(ms);
      expect(venue.order(txHash).status).toBe(word);
    },
  );

  test('a fraction of a share fills outside the session only where its stock trades fractions there', () => {
    const venue = new Bench({ start: epochMs(CLOSE + 3_600_000) });
    const nights = { AAPL: { fractionalEhEnabled: false } };
    venue.machine.command({ kind: 'constants', body: { nights } }, venue.now);
    const listed = (venue.get('/symbols') as { symbol: string; fractionalEhEnabled: boolean }[]).find(
      ({ symbol }) => symbol === 'AAPL',
    );
    expect(listed).toMatchObject({ fractionalEhEnabled: false, overnightTradable: true });
    const high = (venue.price() * 1.05).toFixed(2);
    const [part, whole] = ['1.5', '2'].map((quantity) => venue.place(limit('Buy', quantity, high)));
    venue.wait(10 * 60_000);
    expect([part, whole].map((hash) => venue.order(hash ?? '').status)).toEqual(['New', 'Filled']);
    venue.machine.command({ kind: 'constants', body: { nights: {} } }, venue.now);
    venue.wait(10 * 60_000);
    expect(venue.order(part ?? '').status).toBe('Filled');
  });
});
