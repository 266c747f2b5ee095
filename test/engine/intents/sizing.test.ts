import { expect, test } from 'vitest';
import { parsePrice } from '../../../src/core/amount.ts';
import { atStart, Stage } from '../stage.ts';

test.each([
  ['0.99', '0.9949'],
  ['0.996', '1'],
  ['1', '1'],
  ['1.01', '1.01'],
])('a buy of shares at %s may pay %s: a price the venue takes', async (price, limit) => {
  const buy = atStart((order) => order.buy('AAPL', { shares: 100 }));
  const stage = new Stage({ hooks: { solo: buy } });
  stage.venue.prices.set('AAPL', parsePrice(price));
  await stage.play(10_000);
  const [order] = stage.orders;
  expect(order?.terms).toMatchObject({ type: 'limit', price: parsePrice(limit) });
});
