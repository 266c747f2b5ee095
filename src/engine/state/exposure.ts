import {
  cash,
  notionalOf,
  shares,
  sharesFor,
  type Cash,
  type Price,
  type Shares,
} from '../../core/amount.ts';
import { DAY_MS } from '../../core/brand.ts';
import { CASH_DIVIDENDS } from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import type { Position } from '../../domain/account/positions.ts';
import type { Exposure } from '../../domain/limits.ts';
import { isDeferred, notionalOfBuy, quantityOf, type Order } from '../../domain/orders/order.ts';
import type { OrderTerms, ReportedTerms } from '../../domain/venue.ts';
import { exDateBegins } from '../../sim/dayEnd.ts';
import { AccountSnapshot, type Marks, type Prices } from './accountSnapshot.ts';
import type { EngineContext } from './engineContext.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { transferHasEnded, type Transfer } from '../../domain/transfers/transfer.ts';

/** Account, latest prices, and the values of the holdings. */
export type Valuation = Readonly<{ accountState: AccountState; market: Prices; snapshot: AccountSnapshot }>;

export const valuationOf = (accountState: AccountState, market: Prices): Valuation => ({
  accountState,
  market,
  snapshot: new AccountSnapshot(accountState, market),
});

/** Value of a quantity at the latest price; 0 while no price is known. */
export const worth = (context: Pick<Valuation, 'market'>, symbol: Ticker, quantity: bigint): Cash =>
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

/** Dividends in mUSD that an owner has earned but not received. */
const receivable = ({ actions }: AccountState, strategyId: string): bigint =>
  actions.unpaid.size === 0 ? 0n : actions.receivable(strategyId);

/** Cash, dividends due and shares of an owner at the latest prices. */
export function equityOf({ accountState, snapshot }: Valuation, strategyId: string): Cash {
  const { cash: held, worth } = snapshot.of(strategyId);
  return cash(held + receivable(accountState, strategyId) + worth);
}

/** Equity in which stock without a price counts at its cost: a missing price is no loss, and its return no profit. */
export function bookedEquityOf({ accountState, snapshot }: Valuation, strategyId: string): Cash {
  const { cash: held, booked } = snapshot.of(strategyId);
  return cash(held + receivable(accountState, strategyId) + booked);
}

/**
 * Dividends in mUSD due to a strategy, or to all (empty name), that the stock's latest price still contains: the price
 * is from before the ex-date, as for a stock that opens late or does not trade at night.
 */
export function dueWithinPrice(context: EngineContext, owner: string): bigint {
  const { accountState, calendar, market, rules } = context;
  let sum = 0n;
  for (const { action, parts, receivable: isDue } of accountState.actions.unpaid.values()) {
    const { symbol, exDate } = action;
    const begins = exDateBegins(calendar, exDate, rules.dividends ?? CASH_DIVIDENDS);
    if (!isDue || (market.quote(symbol)?.at ?? begins) >= begins) continue;
    for (const [id, amount] of parts)
      if (id !== UNALLOCATED && (owner === UNALLOCATED || id === owner))
        sum += accountState.ledger.held(id, symbol) > 0n ? amount : 0n;
  }
  return sum;
}

/** Equity of all strategies together. Stock without a price counts at its cost. */
export function tradedEquity(context: Valuation): Cash {
  let total = 0n;
  for (const strategyId of context.accountState.allocations.keys())
    total += bookedEquityOf(context, strategyId);
  return cash(total);
}

/** Time in ms after a session's open during which prices may still be from before it. */
const OPENING_MS = 60_000;

/**
 * Equity at a session's open or close: that of all strategies together (including former ones), and of each of `ids`. A dividend
 * that prices still contain is left out, as at the open of its ex-date: the fall in price is not a loss of the day.
 */
export function sessionEquity(
  context: EngineContext,
  ids: Iterable<string>,
  { open }: Readonly<{ open: number }>,
): (readonly [string, Cash])[] {
  const { accountState, now } = context;
  const isOpening = now >= open && now < open + OPENING_MS;
  const equity = (id: string) => {
    const within = dueWithinPrice(context, id);
    const entitled = isOpening ? accountState.actions.entitledAt(now, id) : 0n;
    const due = entitled > within ? entitled : within;
    return cash(bookedEquityOf(context, id) - due);
  };
  const own = new Map([...ids].map((id) => [id, equity(id)]));
  let total = 0n;
  for (const id of accountState.allocations.keys()) total += own.get(id) ?? equity(id);
  return [[UNALLOCATED, cash(total)], ...own];
}

/**
 * Everything in the account in mUSD, including unallocated holdings and dividends due. A strategy's stock without a
 * price counts at its cost: a missing price is no loss.
 */
export function accountEquity({ accountState: { actions }, snapshot: { whole } }: Valuation): Cash {
  return cash(whole.cash + (actions.unpaid.size === 0 ? 0n : actions.receivables) + whole.counted);
}

/** Stocks in the account without a price. */
export function unpricedStocks({ snapshot }: Valuation): Ticker[] {
  const { stocks } = snapshot.whole;
  return [...stocks.keys()].filter((symbol) => {
    const mark = stocks.get(symbol);
    return mark?.price === null && mark.shares !== 0n;
  });
}

/** Notional of an order: at its own limit, or at the given price. */
export function notionalAt(terms: OrderTerms, price: Price): Cash {
  if (terms.type === 'limit') return notionalOf(terms.quantity, terms.price, 'up');
  return terms.side === 'buy' ? terms.notional : notionalOf(terms.quantity, price, 'up');
}

/** `except`: an order to leave out, because it is the one being checked. */
export type ExposureScope = Readonly<{ symbol: Ticker; strategyId?: string; except?: string }>;

/**
 * Exposure of all strategies and manual orders (or of one strategy), with every live order counted as filled, and every
 * buy whose unrequested end is in doubt. Null while no price is known. Stock that the account held before does not
 * count; external open orders of the key do, because they spend the same money.
 */
export function exposureOf(
  context: EngineContext,
  { symbol, strategyId, except }: ExposureScope,
): Exposure | null {
  const quote = context.market.quote(symbol);
  if (!quote) return null;
  const { open, doubts } = context.accountState;
  const marks = countedMarks(context, strategyId);
  let position = marks.stocks.get(symbol)?.counted ?? 0n;
  let gross = marks.counted + open.buys(strategyId) + externalBuys(context, strategyId);
  for (const order of open.inSymbol(symbol)) {
    if (order.terms.side === 'sell' || (strategyId !== undefined && order.strategyId !== strategyId))
      continue;
    if (order.id === except) gross -= notionalOfBuy(order.terms);
    else position += notionalOfBuy(order.terms);
  }
  for (const { order, amount, doubt } of doubts.buys(context.now, strategyId)) {
    if (doubt.isSolicited) continue;
    gross += amount;
    if (order.terms.symbol === symbol) position += amount;
  }
  return {
    now: context.now,
    quote,
    position: cash(position),
    gross: cash(gross),
    ordersLastMinute: context.accountState.sends.lastMinute(context.now, strategyId),
    dayProfit: dayProfit(context, strategyId),
  };
}

/** Positions and gross exposure of all strategies and manual orders, or of one strategy, counted as in `exposureOf`. */
export function exposuresOf(
  context: EngineContext,
  strategyId?: string,
): Readonly<{ positions: ReadonlyMap<Ticker, bigint>; gross: bigint }> {
  const { open, doubts } = context.accountState;
  const positions = new Map<Ticker, bigint>();
  let gross = externalBuys(context, strategyId);
  const add = (symbol: Ticker, amount: bigint) => {
    gross += amount;
    positions.set(symbol, (positions.get(symbol) ?? 0n) + amount);
  };
  for (const [symbol, { counted }] of countedMarks(context, strategyId).stocks) add(symbol, counted);
  for (const { terms, strategyId: owner } of open.all.values())
    if (terms.side === 'buy' && (strategyId === undefined || owner === strategyId))
      add(terms.symbol, notionalOfBuy(terms));
  for (const { order, amount, doubt } of doubts.buys(context.now, strategyId))
    if (!doubt.isSolicited) add(order.terms.symbol, amount);
  return { positions, gross };
}

const countedMarks = ({ snapshot }: EngineContext, strategyId: string | undefined): Marks =>
  strategyId === undefined ? snapshot.counted : snapshot.of(strategyId);

/**
 * Value of the shares that count in an exposure: of one strategy, or of all plus manual orders. A stock without a
 * price, such as a delisted one, counts at its cost: it must not block the orders of all others.
 */
export const countedWorth = (context: EngineContext, asset: Ticker, strategyId?: string): bigint =>
  countedMarks(context, strategyId).stocks.get(asset)?.counted ?? 0n;

/** Value of external open buys with this key, which spend this account's money too. */
function externalBuys(context: EngineContext, strategyId: string | undefined): bigint {
  if (strategyId !== undefined) return 0n;
  let sum = 0n;
  for (const { locked, terms } of context.accountState.externals.open.values())
    if (terms?.side === 'buy') sum += locked ?? askedFor(terms, context);
  return sum;
}

/** Largest amount that a buy may lock, for a venue that does not state it. */
function askedFor({ notional, quantity, price }: ReportedTerms, context: EngineContext): bigint {
  if (notional) return context.costOf(notional);
  return quantity && price ? context.costOf(notionalOf(quantity, price, 'up')) : 0n;
}

/** Equity of a strategy, or of all (empty name): without unallocated holdings and dividends that prices still contain. */
export function watchedEquity(
  context: EngineContext,
  owner: string,
  booked: bigint = owner === UNALLOCATED ? tradedEquity(context) : bookedEquityOf(context, owner),
): Cash {
  return cash(booked - dueWithinPrice(context, owner));
}

/** Change of the watched equity since the session opened; 0 before the first open. `booked`: the equity, if known. */
export function dayProfit(context: EngineContext, owner: string = UNALLOCATED, booked?: bigint): Cash {
  const equity = watchedEquity(context, owner, booked);
  return cash(equity - (context.accountState.dayStart?.get(owner) ?? equity));
}

/** A price raised by a number of bps. */
export const above = (price: Price, bps: number): Price =>
  ((price * (10_000n + BigInt(bps))) / 10_000n) as Price;

/**
 * Earnings of a strategy in mUSD. `realised`: closed trades, and dividends from their ex-date on; `unrealised`: value
 * of its shares less their cost; `pnl`: both together. All are net of fees.
 */
export type Earnings = Readonly<{ realised: Cash; unrealised: Cash; pnl: Cash }>;

/** Transfers in mUSD. Stock counts at its value when the transfer was planned. */
type Transfers = Readonly<{ deposited: bigint; withdrawn: bigint; adopted: bigint }>;

/** Earnings of one strategy since the ledger was opened. */
export function earningsOf({ accountState, market }: Valuation, strategyId: string): Earnings {
  let [realised, unrealised] = [accountState.actions.receivable(strategyId), 0n];
  for (const [symbol, position] of accountState.positions.all(strategyId)) {
    realised += position.realised;
    unrealised += unrealisedOf(position, market.price(symbol)) ?? 0n;
  }
  return { realised: cash(realised), unrealised: cash(unrealised), pnl: cash(realised + unrealised) };
}

/** Values of an owner. `equity`: stock without a price counts at cost; `today`: its change since the open, as in `dayProfit`. */
export type OwnerValues = Earnings &
  Readonly<{ marks: Marks; receivable: bigint; equity: bigint; today: bigint }>;

/** Values of the account and of each requested owner, and the remainder. */
export type AccountValues = Readonly<{
  whole: Marks;
  receivable: bigint;
  equity: bigint;
  /** Change of all strategies since the session opened. */
  today: bigint;
  owners: ReadonlyMap<string, OwnerValues>;
  /** Earnings of unallocated holdings. */
  rest: bigint;
}>;

/** Values of everything in the account. @param ids strategies of the run; others that have capital in the journal follow */
export function accountValues(context: EngineContext, ids: readonly string[]): AccountValues {
  const { accountState } = context;
  const { whole } = context.snapshot;
  const receivable = accountState.actions.receivables;
  const equity = whole.cash + receivable + whole.counted;
  const all = new Set([...ids, ...accountState.allocations.keys()]);
  const owners = new Map([...all].map((id) => [id, ownerValues(context, id)]));
  return {
    whole,
    receivable,
    equity,
    today: dayProfit(context),
    owners,
    rest: restOf(accountState, equity, owners.values()),
  };
}

function ownerValues(context: EngineContext, id: string): OwnerValues {
  const { accountState, snapshot } = context;
  const marks = snapshot.of(id);
  const due = receivable(accountState, id);
  const equity = marks.cash + due + marks.booked;
  return {
    marks,
    receivable: due,
    equity,
    today: dayProfit(context, id, equity),
    ...earningsOf(context, id),
  };
}

/** Value of a position at a price, less its cost; null without a price. */
export const unrealisedOf = ({ quantity, cost }: Position, price: Price | null): Cash | null =>
  price === null ? null : cash(notionalOf(quantity, price, 'down') - cost);

/** Orders ended since a time, newest first. Searches a day further back, in case a clock was set back. */
export function endedSince({ orders, ended }: AccountState, since: number): Order[] {
  const found: Order[] = [];
  for (const id of [...ended.keys()].reverse()) {
    const at = ended.get(id)?.at ?? 0;
    if (at < since - DAY_MS) break;
    const order = orders.get(id);
    if (order && at >= since) found.push(order);
  }
  return found;
}

/** Fees stated in the settlements of orders, in mUSD. */
export function feesOf(orders: readonly Order[]): Cash {
  let fees = 0n;
  for (const { state } of orders)
    if (state.kind === 'closed' && state.settlement)
      fees += state.settlement.mintFee + state.settlement.protocolFee;
  return cash(fees);
}

/**
 * Earnings of unallocated holdings, such as stock that the account held before: the change of the account's equity
 * since the ledger was opened, less the strategies' `pnl` and the transfers, so that the parts add up exactly.
 */
export const unallocatedPnl = (context: Valuation, strategies: Iterable<Pick<Earnings, 'pnl'>>): Cash =>
  cash(restOf(context.accountState, accountEquity(context), strategies));

function restOf(
  accountState: AccountState,
  equity: bigint,
  strategies: Iterable<Pick<Earnings, 'pnl'>>,
): bigint {
  const { deposited, withdrawn, adopted } = transfersOf(accountState);
  let rest = equity - (accountState.opened?.equity ?? 0n) - deposited + withdrawn - adopted;
  for (const { pnl } of strategies) rest -= pnl;
  return rest;
}

/**
 * Transfers since the ledger was opened. A withdrawal counts from the moment its amount is set aside. A deferred sell
 * turns stock in the wallet into cash and counts as a deposit of its proceeds.
 */
export function transfersOf({ transfers, accepted: adopted, trades }: AccountState): Transfers {
  let [deposited, withdrawn]: [bigint, bigint] = [trades.deferredProceeds, 0n];
  for (const transfer of transfers.all.values()) {
    deposited += depositedBy(transfer);
    withdrawn += withdrawnBy(transfer);
  }
  return { deposited, withdrawn, adopted };
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
