import {
  cash,
  notionalOf,
  shares,
  sharesFor,
  type Cash,
  type Price,
  type Shares,
} from '../../core/amount.ts';
import type { Session } from '../../calendar/index.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import type { Position } from '../../domain/account/positions.ts';
import type { Exposure } from '../../domain/limits.ts';
import { isDeferred, quantityOf, type Order } from '../../domain/orders/order.ts';
import type { OrderTerms, ReportedTerms } from '../../domain/venue.ts';
import type { EngineContext } from './engineContext.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { transferHasEnded, type Transfer } from '../../domain/transfers/transfer.ts';

/** Account and latest prices, by which its holdings are valued. */
export type Valuation = Readonly<{
  accountState: AccountState;
  market: Readonly<{ price(symbol: Ticker): Price | null }>;
}>;

/** Worth of a quantity at the latest price; 0 while no price is known. */
export const worth = (context: Valuation, symbol: Ticker, quantity: bigint): Cash =>
  quantity === 0n
    ? cash(0n)
    : notionalOf(shares(quantity), context.market.price(symbol) ?? (0n as Price), 'down');

/** Shares that live orders will add (buys) or take (sells) if they fill. A deferred sell takes none. */
export function onTheWay(context: EngineContext, orders: readonly Order[]): Shares {
  let net = 0n;
  for (const order of orders) {
    if (isDeferred(order.terms)) continue;
    const price = context.market.price(order.terms.symbol);
    const quantity = quantityOf(order, (notional) =>
      price === null ? shares(0n) : sharesFor(cash(notional), price, 'down'),
    );
    net += order.terms.side === 'buy' ? quantity : -quantity;
  }
  return shares(net);
}

/** Cash, dividends due and shares of an owner at the latest prices. */
export function equityOf(context: Valuation, strategyId: string): Cash {
  const { ledger, actions } = context.accountState;
  let total = ledger.held(strategyId, 'mUSD') + actions.receivable(strategyId);
  for (const asset of ledger.assets)
    if (asset !== 'mUSD') total += worth(context, asset, ledger.held(strategyId, asset));
  return cash(total);
}

/** Equity in which stock without a price counts at its cost: a missing price is no loss, and its return no profit. */
export function bookedEquityOf(context: Valuation, strategyId: string): Cash {
  const { ledger, positions, actions } = context.accountState;
  let total = ledger.held(strategyId, 'mUSD') + actions.receivable(strategyId);
  for (const asset of ledger.assets) {
    if (asset === 'mUSD') continue;
    const held = ledger.held(strategyId, asset);
    if (held === 0n) continue;
    total +=
      context.market.price(asset) === null
        ? positions.of(strategyId, asset).cost
        : worth(context, asset, held);
  }
  return cash(total);
}

/** Equity of all strategies together. Stock without a price counts at its cost. */
export function tradedEquity(context: Valuation): Cash {
  let total = 0n;
  for (const strategyId of context.accountState.allocations.keys())
    total += bookedEquityOf(context, strategyId);
  return cash(total);
}

/** Time in ms after the open of a session within which prices may be those of before. */
const OPENING_MS = 60_000;

/**
 * Equity at a session's open or close: that of all strategies, of which some may have left the config, and then of each of `ids`. At
 * the open of an ex-date the prices still contain the dividend; without it, their fall is no loss of the day.
 */
export function sessionEquity(
  context: EngineContext,
  ids: Iterable<string>,
  { open }: Session,
): (readonly [string, Cash])[] {
  const { accountState, now } = context;
  const isOpening = now >= open && now < open + OPENING_MS;
  const equity = (id: string) =>
    cash(bookedEquityOf(context, id) - (isOpening ? accountState.actions.entitledAt(now, id) : 0n));
  const own = new Map([...ids].map((id) => [id, equity(id)]));
  let total = 0n;
  for (const id of accountState.allocations.keys()) total += own.get(id) ?? equity(id);
  return [[UNALLOCATED, cash(total)], ...own];
}

/**
 * Everything on the account in mUSD, including unallocated holdings and dividends due. A strategy's stock without a price counts at its
 * cost: a missing price is no loss.
 */
export function accountEquity(context: Valuation): Cash {
  const { ledger, positions, actions } = context.accountState;
  let total = ledger.total('mUSD') + actions.receivables;
  for (const asset of ledger.assets) {
    if (asset === 'mUSD') continue;
    if (context.market.price(asset) !== null) total += worth(context, asset, ledger.total(asset));
    else for (const strategyId of ledger.strategyIds) total += positions.of(strategyId, asset).cost;
  }
  return cash(total);
}

/** Stocks on the account without a price. */
export function unpricedStocks({ accountState: { ledger }, market }: Valuation): Ticker[] {
  return [...ledger.assets].filter(
    (asset): asset is Ticker =>
      asset !== 'mUSD' && ledger.total(asset) !== 0n && market.price(asset) === null,
  );
}

/** Notional of an order: at its own limit, or at the quote. */
export function notionalAt(terms: OrderTerms, price: Price): Cash {
  if (terms.type === 'limit') return notionalOf(terms.quantity, terms.price, 'up');
  return terms.side === 'buy' ? terms.notional : notionalOf(terms.quantity, price, 'up');
}

/** `except`: an order of the symbol that is left out, because it is the one in question. */
type Scope = Readonly<{ symbol: Ticker; strategyId?: string; except?: string }>;

/**
 * Exposure of all strategies and orders by hand (or of one strategy) with every live order taken as filled, and every buy that has
 * ended in doubt though nobody asked. Null while no price is known. Stock that the account held before does not count; external open orders of the key do, because they spend the same money.
 */
export function exposureOf(context: EngineContext, { symbol, strategyId, except }: Scope): Exposure | null {
  const quote = context.market.quote(symbol);
  if (!quote) return null;
  const { ledger, open, doubts } = context.accountState;
  let position: bigint = countedWorth(context, symbol, strategyId);
  let gross = open.buys(strategyId) + externalBuys(context, strategyId);
  for (const order of open.inSymbol(symbol)) {
    if (order.terms.side === 'sell' || (strategyId !== undefined && order.strategyId !== strategyId))
      continue;
    if (order.id === except) gross -= order.reserve;
    else position += order.reserve;
  }
  for (const { order, amount, doubt } of doubts.buys(context.now, strategyId)) {
    if (doubt.isSolicited) continue;
    gross += amount;
    if (order.terms.symbol === symbol) position += amount;
  }
  for (const asset of ledger.assets) if (asset !== 'mUSD') gross += countedWorth(context, asset, strategyId);
  return {
    now: context.now,
    quote,
    position: cash(position),
    gross: cash(gross),
    ordersLastMinute: context.accountState.sends.lastMinute(context.now, strategyId),
    dayProfit: dayProfit(context, strategyId),
  };
}

/** Shares that count in an exposure: of one strategy, or of all and of orders by hand. */
export function countedShares(context: EngineContext, asset: Ticker, strategyId?: string): bigint {
  const { ledger } = context.accountState;
  return strategyId === undefined
    ? ledger.total(asset) - ledger.held(UNALLOCATED, asset) + boughtByHand(context, asset)
    : ledger.held(strategyId, asset);
}

/**
 * Worth of the shares that count in an exposure. A stock without a price, such as one that is not listed any more, counts at its
 * cost: it must not stop the orders of all others.
 */
export function countedWorth(context: EngineContext, asset: Ticker, strategyId?: string): Cash {
  if (context.market.price(asset) !== null)
    return worth(context, asset, countedShares(context, asset, strategyId));
  const { ledger, positions } = context.accountState;
  let cost = 0n;
  for (const id of strategyId === undefined ? ledger.strategyIds : [strategyId])
    cost += positions.of(id, asset).cost;
  return cash(cost);
}

/** Unallocated shares that orders by hand have bought. */
function boughtByHand({ accountState: { ledger, positions } }: EngineContext, asset: Ticker): bigint {
  const { quantity } = positions.of(UNALLOCATED, asset);
  if (quantity === 0n) return 0n;
  const held = ledger.held(UNALLOCATED, asset);
  return quantity < held ? quantity : held;
}

/** External open orders of this key: they spend this account's money too. */
function externalBuys(context: EngineContext, strategyId: string | undefined): bigint {
  if (strategyId !== undefined) return 0n;
  let sum = 0n;
  for (const { locked, terms } of context.accountState.externals.open.values())
    if (terms?.side === 'buy') sum += locked ?? askedFor(terms, context);
  return sum;
}

/** Maximum lock of a buy, where the venue does not state it. */
function askedFor({ notional, quantity, price }: ReportedTerms, context: EngineContext): bigint {
  if (notional) return context.costOf(notional);
  return quantity && price ? context.costOf(notionalOf(quantity, price, 'up')) : 0n;
}

/** Change of equity since the session opened, of one strategy or of all. 0 before the first open. */
export function dayProfit(context: EngineContext, strategyId?: string): Cash {
  const start = context.accountState.dayStart?.get(strategyId ?? UNALLOCATED);
  if (start === undefined) return cash(0n);
  return cash(
    (strategyId === undefined ? tradedEquity(context) : bookedEquityOf(context, strategyId)) - start,
  );
}

/** A price raised by a number of bps. */
export const above = (price: Price, bps: number): Price =>
  ((price * (10_000n + BigInt(bps))) / 10_000n) as Price;

/**
 * Earnings of a strategy in mUSD. `realised`: closed trades, and dividends from their ex-date on; `unrealised`: worth of its
 * shares less their cost; `pnl`: both together. Fees are deducted from both already.
 */
export type Earnings = Readonly<{ realised: Cash; unrealised: Cash; pnl: Cash }>;

/** Transfers in mUSD: stock counts at its worth when its transfer was planned. */
type Transfers = Readonly<{ deposited: Cash; withdrawn: Cash; adopted: Cash }>;

/** Earnings of one strategy since the ledger was opened. */
export function earningsOf({ accountState, market }: Valuation, strategyId: string): Earnings {
  let [realised, unrealised] = [accountState.actions.receivable(strategyId), 0n];
  for (const [symbol, position] of accountState.positions.all(strategyId)) {
    realised += position.realised;
    unrealised += unrealisedOf(position, market.price(symbol)) ?? 0n;
  }
  return { realised: cash(realised), unrealised: cash(unrealised), pnl: cash(realised + unrealised) };
}

/** Worth of a position at a price less its cost; null without a price. */
export const unrealisedOf = ({ quantity, cost }: Position, price: Price | null): Cash | null =>
  price === null ? null : cash(notionalOf(quantity, price, 'down') - cost);

/** Fees that the settlements of orders name, in mUSD. */
export function feesOf(orders: readonly Order[]): Cash {
  let fees = 0n;
  for (const { state } of orders)
    if (state.kind === 'closed' && state.settlement)
      fees += state.settlement.mintFee + state.settlement.protocolFee;
  return cash(fees);
}

/**
 * Earnings of unallocated holdings, such as stock that the account held before: the change of the equity since the ledger
 * was opened, less the strategies' `pnl` and the transfers. With it the parts add up exactly.
 */
export function unallocatedPnl(context: Valuation, strategies: readonly Pick<Earnings, 'pnl'>[]): Cash {
  const { deposited, withdrawn, adopted } = transfersOf(context.accountState);
  const change = accountEquity(context) - (context.accountState.opened?.equity ?? 0n);
  const earned = strategies.reduce((sum, { pnl }) => sum + pnl, 0n);
  return cash(change - earned - deposited + withdrawn - adopted);
}

/**
 * Transfers since the ledger was opened. A withdrawal counts from the moment at which its amount is set aside; a deferred sell, which
 * turns stock of the wallet into cash, as a deposit of its proceeds.
 */
export function transfersOf({ transfers, accepted: adopted, trades }: AccountState): Transfers {
  let [deposited, withdrawn]: [bigint, bigint] = [trades.deferredProceeds, 0n];
  for (const transfer of transfers.all.values()) {
    deposited += depositedBy(transfer);
    withdrawn += withdrawnBy(transfer);
  }
  return { deposited: cash(deposited), withdrawn: cash(withdrawn), adopted };
}

function depositedBy({ state, terms, value }: Transfer): bigint {
  if (state.kind !== 'settled') return 0n;
  if (terms.kind === 'cashDeposit') return state.received;
  return terms.kind === 'stockDeposit' ? value : 0n;
}

function withdrawnBy(transfer: Transfer): bigint {
  const { state, terms, value } = transfer;
  if (transferHasEnded(transfer) && state.kind !== 'settled') return 0n;
  if (terms.kind === 'cashWithdrawal') return terms.amount;
  return terms.kind === 'stockWithdrawal' ? value : 0n;
}
