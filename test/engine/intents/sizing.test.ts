import { expect, test } from 'vitest';
import { formatDecimal, parsePrice, parseShares } from '../../../src/core/amount.ts';
import type { Orders } from '../../../src/strategy/index.ts';
import { eventsOf, give } from '../operator/commands.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';

test.each([
  ['0.99', '0.9949'],
  ['0.996', '1'],
  ['1', '1'],
  ['1.01', '1.01'],
])('a buy of shares at %s may pay up to %s, a price the venue accepts', async (price, limit) => {
  const buy = atStart((order) => order.buy('AAPL', { shares: 100 }));
  const stage = new Stage({ hooks: { solo: buy } });
  stage.venue.prices.set('AAPL', parsePrice(price));
  await stage.play(10_000);
  const [order] = stage.orders;
  expect(order?.terms).toMatchObject({ type: 'limit', price: parsePrice(limit) });
});

const STAYS = 'stays: less than one share, and it is traded in whole shares only';

/** Sells of a strategy that holds this amount of MSFT, which has no fractions, and all notices. */
async function soldWhole(held: string, sell: (order: Orders) => unknown) {
  const stage = new Stage({
    data: { quotes: ['MSFT'], timers: [{ name: 'sell', at: '10:10' }] },
    hooks: { solo: { onTimer: ({ order }) => sell(order) } },
  });
  await stage.play(5 * SECOND);
  stage.venue.holdings.set('MSFT', parseShares(held));
  const accepted = give(stage, { kind: 'accept', asset: 'MSFT', for: 'solo' });
  await stage.pass(5 * SECOND);
  expect(await accepted).toMatchObject({ kind: 'done' });
  await stage.pass(40 * MINUTE);
  return {
    sold: stage.orders.map(({ terms }) => ('quantity' in terms ? formatDecimal(terms.quantity ?? 0n) : '')),
    ends: eventsOf(stage, 'intentEnded').map(({ why }) => why),
    texts: stage.notices.map(({ text }) => text).join('\n'),
  };
}

test.each<[string, (order: Orders) => unknown]>([
  ['all', (order) => order.sell('MSFT', { all: true })],
  ['a target of 0', (order) => order.target('MSFT', { weight: 0 })],
])('a sell of %s of a stock without fractions sells whole shares and names the rest', async (_, sell) => {
  const { sold, texts } = await soldWhole('3.5', sell);
  expect(sold).toEqual(['3']);
  expect(texts).toContain(`0.5 MSFT ${STAYS}`);
  const least = await soldWhole('0.5', sell);
  expect([least.sold, least.ends]).toEqual([[], [`0.5 MSFT ${STAYS}`]]);
});
