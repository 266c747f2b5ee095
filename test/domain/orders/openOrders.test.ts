import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { OpenOrders } from '../../../src/domain/orders/openOrders.ts';
import {
  assetOf,
  hasEnded,
  notionalOfBuy,
  type Order,
  type OrderState,
} from '../../../src/domain/orders/order.ts';
import { AAPL, anOrder, DEADLINE, id, limitBuy, limitSell, MSFT, SENT, TX, VENUE_ID } from '../orders.ts';

const SEND = { at: SENT, deadline: DEADLINE };
const STATES: readonly OrderState[] = [
  { kind: 'planned' },
  { kind: 'sent', ...SEND },
  { kind: 'unknown', ...SEND, reason: 'timeout' },
  { kind: 'acknowledged', ...SEND, txHash: TX },
  {
    kind: 'working',
    at: SENT,
    txHash: TX,
    venueId: VENUE_ID,
    locked: 1n,
    status: 'open',
    rawStatus: 'open',
  },
  { kind: 'refused', reason: 'test', sent: SEND },
  { kind: 'neverExisted', assumed: false, ...SEND },
];
const OWNERS = ['alpha', 'beta'];
const SYMBOLS = [AAPL, MSFT];

const sum = (orders: readonly Order[]) => orders.reduce((total, { reserve }) => total + reserve, 0n);
const worth = (orders: readonly Order[]) =>
  orders.reduce((total, { terms }) => total + (terms.side === 'buy' ? notionalOfBuy(terms) : 0n), 0n);

test('open orders keep the sums and groups of all open orders through any changes of state', () => {
  const random = seededRandom(19);
  const pick = <T>(of: readonly T[]) => of[Math.floor(random.next() * of.length)] as T;
  const open = new OpenOrders();
  const known = new Map<string, Order>();
  for (let step = 0; step < 400; step++) {
    const name = `w${Math.floor(random.next() * 8)}.${1 + Math.floor(random.next() * 2)}`;
    const symbol = pick(SYMBOLS);
    const first = anOrder({
      id: id(name),
      intentId: name.slice(0, 2),
      strategyId: pick(OWNERS),
      terms: pick([limitBuy('1', String(100 + step), symbol), limitSell('1', '100', symbol)]),
      reserve: parseCash(String(1 + step)),
    });
    const order = { ...(known.get(name) ?? first), state: pick(STATES) };
    known.set(name, order);
    open.keep(order, hasEnded(order));
    const live = [...open.all.values()];
    expect(new Set(live)).toEqual(new Set([...known.values()].filter((each) => !hasEnded(each))));
    const buys = live.filter(({ terms }) => terms.side === 'buy');
    expect(open.buys()).toBe(worth(buys));
    for (const strategyId of OWNERS)
      expect(open.buys(strategyId)).toBe(worth(buys.filter((each) => each.strategyId === strategyId)));
    const sent = live.filter(({ state }) => state.kind !== 'planned');
    for (const asset of ['mUSD', ...SYMBOLS] as const)
      expect(open.sent(asset)).toBe(sum(sent.filter((each) => assetOf(each) === asset)));
    for (const stock of SYMBOLS)
      expect(open.inSymbol(stock)).toEqual(live.filter(({ terms }) => terms.symbol === stock));
    for (let intent = 0; intent < 8; intent++) {
      const of = live.filter(({ intentId }) => intentId === `w${intent}`);
      expect([open.has(`w${intent}`), open.of(`w${intent}`)]).toEqual([of.length > 0, of[0]]);
    }
  }
});
