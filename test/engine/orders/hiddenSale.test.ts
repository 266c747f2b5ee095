import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import type { Row } from '../fakeVenue.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

const holder: StrategyHooks = {
  onStart: ({ order }) => void order.buy('AAPL', { shares: 5 }),
  onTimer: ({ order }) => void order.limit('AAPL', { side: 'sell', shares: 5, price: 120 }),
};

const buyer = (shares: number): StrategyHooks => ({
  onTimer: ({ order }) => void order.limit('AAPL', { side: 'buy', shares, price: 99 }),
});

/** A sale of 5 shares and a buy of another strategy, both at the venue; no list shows the buy. */
async function bothAtVenue(shares: number) {
  const stage = new Stage({
    hooks: { holder, buyer: buyer(shares) },
    data: { quotes: ['AAPL'], timers: [{ name: 'trade', at: '10:01' }] },
    capital: '20000',
  });
  await stage.play(10 * SECOND);
  stage.venue.fill(stage.venue.last);
  await stage.pass(45 * SECOND);
  stage.venue.indexed = false;
  await stage.pass(15 * SECOND);
  const rowOf = (side: 'sell' | 'buy'): Row => {
    const row = stage.venue.rows.findLast(({ order, status }) => status === 'open' && order.side === side);
    if (!row) throw new Error(`no ${side} is at the venue`);
    return row;
  };
  return { stage, sale: rowOf('sell'), buy: rowOf('buy') };
}

test('a sale that has filled is not believed to have ended without a fill while a hidden buy replaces its shares', async () => {
  const { stage, sale, buy } = await bothAtVenue(5);
  stage.venue.fill(sale);
  stage.venue.fill(buy);
  const { settlement } = sale;
  Object.assign(sale, { shown: true, status: 'cancelled', rawStatus: 'Canceled', settlement: null });
  await stage.pass(4 * MINUTE);
  expect(stage.orders.at(1)).toMatchObject({ claim: { end: { report: { status: 'cancelled' } } } });
  Object.assign(sale, { status: 'filled', rawStatus: 'Filled', settlement });
  buy.shown = true;
  await stage.pass(2 * MINUTE);
  expect(stage.orders.at(1)).toMatchObject({ state: { kind: 'closed', how: 'filled' } });
  expect(stage.runner.kernel.context.accountState.ledger.total('mUSD')).toBe(stage.venue.cash);
});

test.each([
  ['open buys have other sizes', 4],
  ['an equally large buy is reported cancelled, too', 5],
])('the end of a cancelled sale is believed although money is missing, if %s', async (_, shares) => {
  const { stage, sale, buy } = await bothAtVenue(shares);
  buy.shown = true;
  await stage.pass(30 * SECOND);
  stage.venue.cash -= parseCash('50');
  await stage.pass(30 * SECOND);
  if (shares === 5) stage.venue.end(buy, 'cancelled');
  stage.venue.end(sale, 'cancelled');
  sale.shown = true;
  await stage.pass(4 * MINUTE);
  expect(stage.orders.at(1)).toMatchObject({ state: { kind: 'closed', how: 'cancelled' } });
  expect(stage.runner.kernel.reconciliation.open).toEqual(['mUSD']);
});
