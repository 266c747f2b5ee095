import { cash, notionalOf, shares, sharesFor, type Cash, type Price, type Shares } from '../core/amount.ts';
import type { Ticker } from '../domain/instrument.ts';
import { UNALLOCATED } from '../domain/ledger.ts';
import type { Exposure } from '../domain/limits.ts';
import { quantityOf, type Order } from '../domain/order.ts';
import type { OrderTerms, ReportedTerms } from '../domain/venue.ts';
import type { Desk } from './desk.ts';

/** Worth of a quantity at the latest price; nothing while no price is known. */
export const worth = (desk: Desk, symbol: Ticker, quantity: bigint): Cash =>
  quantity === 0n
    ? cash(0n)
    : notionalOf(shares(quantity), desk.market.price(symbol) ?? (0n as Price), 'down');

/** Shares that live orders will add (buys) or take (sells) if they fill. */
export function onTheWay(desk: Desk, orders: readonly Order[]): Shares {
  let net = 0n;
  for (const order of orders) {
    const price = desk.market.price(order.terms.symbol);
    const quantity = quantityOf(order, (notional) =>
      price === null ? shares(0n) : sharesFor(cash(notional), price, 'down'),
    );
    net += order.terms.side === 'buy' ? quantity : -quantity;
  }
  return shares(net);
}

/** Cash and shares of an owner at the latest prices. */
export function equityOf(desk: Desk, owner: string): Cash {
  const { ledger } = desk.books;
  let total = ledger.held(owner, 'mUSD');
  for (const asset of ledger.assets)
    if (asset !== 'mUSD') total += worth(desk, asset, ledger.held(owner, asset));
  return cash(total);
}

/** The same, where what has no price counts at its cost: a price that is missing is no loss, and its return no profit. */
export function bookedEquityOf(desk: Desk, owner: string): Cash {
  const { ledger, positions } = desk.books;
  let total = ledger.held(owner, 'mUSD');
  for (const asset of ledger.assets) {
    if (asset === 'mUSD') continue;
    const held = ledger.held(owner, asset);
    if (held === 0n) continue;
    total += desk.market.price(asset) === null ? positions.of(owner, asset).cost : worth(desk, asset, held);
  }
  return cash(total);
}

/** What all strategies have together. */
export function tradedEquity(desk: Desk): Cash {
  let total = 0n;
  for (const owner of desk.books.allocations.keys()) total += equityOf(desk, owner);
  return cash(total);
}

/**
 * Everything on the account in mUSD, what no strategy was given included. A strategy's stock without a price counts at its
 * cost: a price that is missing is no loss.
 */
export function accountEquity(desk: Desk): Cash {
  const { ledger, positions } = desk.books;
  let total = ledger.total('mUSD');
  for (const asset of ledger.assets) {
    if (asset === 'mUSD') continue;
    if (desk.market.price(asset) !== null) total += worth(desk, asset, ledger.total(asset));
    else for (const owner of ledger.owners) total += positions.of(owner, asset).cost;
  }
  return cash(total);
}

/** Stocks on the account whose price is not known. */
export function unpricedStocks({ books: { ledger }, market }: Desk): Ticker[] {
  return [...ledger.assets].filter(
    (asset): asset is Ticker =>
      asset !== 'mUSD' && ledger.total(asset) !== 0n && market.price(asset) === null,
  );
}

/** What an order is worth: at its own limit, or at the quote. */
export function notionalAt(terms: OrderTerms, price: Price): Cash {
  if (terms.type === 'limit') return notionalOf(terms.quantity, terms.price, 'up');
  return terms.side === 'buy' ? terms.notional : notionalOf(terms.quantity, price, 'up');
}

type Scope = Readonly<{ symbol: Ticker; owner?: string; except?: string }>;

/**
 * Where all strategies (or one) stand, every live order taken as filled. Null while no price is known. What the account
 * held before is not theirs and does not count; open orders of others on the key do, for they spend the same money.
 */
export function exposureOf(desk: Desk, { symbol, owner, except }: Scope): Exposure | null {
  const quote = desk.market.quote(symbol);
  if (!quote) return null;
  const live = desk.liveOf(owner === undefined ? {} : { owner }).filter(({ id }) => id !== except);
  const buys = live.filter(({ terms }) => terms.side === 'buy');
  const { ledger } = desk.books;
  const heldOf = (asset: Ticker) =>
    owner === undefined ? ledger.total(asset) - ledger.held(UNALLOCATED, asset) : ledger.held(owner, asset);
  const buysOf = (orders: readonly Order[]) => orders.reduce((sum, order) => sum + order.reserve, 0n);
  const inSymbol = buys.filter(({ terms }) => terms.symbol === symbol);
  let gross = buysOf(buys) + externalBuys(desk, owner);
  let unpriced: Ticker | null = null;
  for (const asset of ledger.assets) {
    if (asset === 'mUSD') continue;
    const held = heldOf(asset);
    if (held === 0n) continue;
    gross += worth(desk, asset, held);
    if (desk.market.price(asset) === null) unpriced ??= asset;
  }
  const position = worth(desk, symbol, heldOf(symbol)) + buysOf(inSymbol);
  return {
    now: desk.now,
    quote,
    position: cash(position),
    gross: cash(gross),
    unpriced,
    ordersLastMinute: desk.books.sends.lastMinute(desk.now, owner),
    dayProfit: dayProfit(desk, owner),
  };
}

/** Open orders on this key that are not ours still spend this account's money. */
function externalBuys(desk: Desk, owner: string | undefined): bigint {
  if (owner !== undefined) return 0n;
  let sum = 0n;
  for (const { report } of desk.books.external.values())
    if (report?.terms?.side === 'buy' && (report.status === 'open' || report.status === 'canceling'))
      sum += report.locked ?? askedFor(report.terms, desk);
  return sum;
}

/** What a buy locks at most, where the venue does not tell it. */
function askedFor({ notional, quantity, price }: ReportedTerms, desk: Desk): bigint {
  if (notional) return desk.costOf(notional);
  return quantity && price ? desk.costOf(notionalOf(quantity, price, 'up')) : 0n;
}

/** Change of equity since the session opened. */
function dayProfit(desk: Desk, owner: string | undefined): Cash {
  const start = desk.books.dayStart?.get(owner ?? UNALLOCATED);
  if (start === undefined) return cash(0n);
  return cash((owner === undefined ? tradedEquity(desk) : equityOf(desk, owner)) - start);
}

/** A price with so many bps on top. */
export const above = (price: Price, bps: number): Price =>
  ((price * (10_000n + BigInt(bps))) / 10_000n) as Price;
