import type { EpochMs } from '../../core/brand.ts';
import { exchangeEvent, type ChainEvent, type Emit } from '../state/events.ts';
import { close, startMatching } from './matchingEngine.ts';
import { balanceOf, transfer } from '../state/ledger.ts';
import { DAY, note, paidIn } from './orders.ts';
import { scheduleSettlement } from './settlement.ts';
import type { Order, Hex } from '../state/state.ts';
import { accountOf, listingOf, schedule, type VenueState, operationIdOf } from '../state/venueState.ts';
import type { Address } from '../../domain/instrument.ts';
import { creditOf, deposit, depositProblem, isInstantDeposit } from './cashier.ts';
import type { CallOf } from '../state/calls.ts';
import { dayEndIn } from './sessions.ts';
import { depositStock, stockDepositProblem } from './stockMoves.ts';

/** An order and the collector of its events. */
type EmittingOrder = Readonly<{ order: Order; emit: Emit }>;

/** Reason why an order cannot be opened, or null. `arriving`: amount that its own transaction deposits first. */
export function openingProblem(venue: VenueState, order: Order, arriving = 0n): string | null {
  const { whitelisted, restricted } = accountOf(venue, order.userAddress).deferredSell;
  if (order.deferred) return whitelisted && !restricted ? null : 'deferred sell is not allowed';
  const from = { holder: order.userAddress, bucket: 'exchange' } as const;
  if (balanceOf(venue.state.balances, from, paidIn(order)) + arriving >= order.reserve) return null;
  return order.side === 'buy' ? 'insufficient mUsdBalance' : 'insufficient exchangeBalance';
}

/** Opens an order and locks its reserve. The caller has checked that this is possible. */
export function openOrder(venue: VenueState, { order, emit }: EmittingOrder, at: EpochMs): void {
  const { balances } = venue.state;
  const { reserve } = order;
  const asset = paidIn(order);
  const from = { holder: order.userAddress, bucket: 'exchange' } as const;
  transfer(balances, { asset, amount: reserve, from, to: { holder: order.userAddress, bucket: 'locked' } });
  order.minedAt = at;
  note(order, { at, word: 'New', raw: 'placing' });
  emit(placedEvent(venue, order));
  if (order.type === 'limit') openLimit(venue, order, at);
  else openMarket(venue, order, at);
}

function placedEvent(venue: VenueState, order: Order): ChainEvent {
  const { orderId, userAddress: user, symbol, side, quantity, notional, price } = order;
  const stockToken = listingOf(venue, symbol).address;
  const size = quantity ?? notional ?? 0n;
  const signed = side === 'buy' ? size : -size;
  if (price === null)
    return exchangeEvent('MarketOrderPlaced', { orderId, user, stockToken, amount: signed });
  const args = { orderId, user, stockToken, quantity: signed, price, tif: DAY };
  return exchangeEvent('LimitOrderPlaced', args);
}

/** Opens a DAY order, which lives until the close of the session in which it was mined; outside one, by the constant `dayEnds`. */
function openLimit(venue: VenueState, order: Order, at: EpochMs): void {
  venue.working.add(order);
  schedule(venue.state, { due: dayEndIn(venue, at), kind: 'expire', orderId: order.orderId });
  startMatching(venue, at);
}

/** Closes a market order for settlement; one mined after the close is rejected then. */
function openMarket(venue: VenueState, order: Order, at: EpochMs): void {
  close(venue, order, venue.calendar.sessionAt(at) ? 'Filled' : 'Rejected');
  scheduleSettlement(venue, order, at);
}

/** Reason why an order cannot be cancelled, or null. */
export function cancelProblem({ type, minedAt, closing }: Order): string | null {
  if (type !== 'limit') return 'not a limit order';
  return minedAt === null || closing !== null ? 'order is not open' : null;
}

/** Cancels an order: the executed part settles, the rest is returned. The caller has checked that this is possible. */
export function cancelOrder(venue: VenueState, { order, emit }: EmittingOrder, at: EpochMs): void {
  close(venue, order, 'Canceled');
  order.canceling = true;
  note(order, { at, word: order.word, raw: 'canceling' });
  emit(exchangeEvent('CancelRequested', { orderId: order.orderId }));
  scheduleSettlement(venue, order, at);
}

type DepositOrder<Call> = Readonly<{ call: Call; order: Order; user: Address }>;
type DepositExecution<Call> = DepositOrder<Call> & Readonly<{ hash: Hex; emit: Emit }>;

type BuyCall = CallOf<'depositAndMarketBuy' | 'depositAndLimitBuy'>;
type SellCall = CallOf<'depositStockAndMarketSell' | 'depositStockAndLimitSell'>;

/** Reason why a buy with a deposit reverts, or null. Both happen or neither, so the deposit must be instant. */
export function buyProblem(venue: VenueState, { call, order, user }: DepositOrder<BuyCall>): string | null {
  const { depositToken: token, depositAmount: amount } = call;
  const credit = creditOf(venue, amount);
  const problem = depositProblem(venue, { user, token, amount });
  if (problem !== null) return problem;
  if (!isInstantDeposit(venue.state.cashier, credit)) return 'deposit would not be instant';
  return openingProblem(venue, order, credit);
}

/** Deposits cash and buys with it. The caller has checked that this is possible. */
export function buyWithDeposit(venue: VenueState, asked: DepositExecution<BuyCall>, at: EpochMs): void {
  const { call, order, user, hash, emit } = asked;
  const { depositToken, depositAmount } = call;
  deposit(venue, { user, token: depositToken, amount: depositAmount, hash, emit }, at);
  openOrder(venue, { order, emit }, at);
  const args = {
    depositOpId: operationIdOf(hash),
    orderId: order.orderId,
    user,
    depositToken,
    depositAmount,
  };
  const stockToken = call.stock;
  if (call.kind === 'depositAndMarketBuy')
    emit(exchangeEvent('DepositAndMarketBuy', { ...args, stockToken, usdAmount: call.usdAmount }));
  else emit(exchangeEvent('DepositAndLimitBuy', { ...args, stockToken, quantity: call.quantity }));
}

/** Reason why a sell with a deposit of its stock reverts, or null. */
export function sellProblem(venue: VenueState, { call, order, user }: DepositOrder<SellCall>): string | null {
  const { stock: token, depositAmount: amount } = call;
  return stockDepositProblem(venue, { user, token, amount }) ?? openingProblem(venue, order, amount);
}

/** Moves stock from the wallet to the exchange and sells it. The caller has checked that this is possible. */
export function sellWithDeposit(venue: VenueState, asked: DepositExecution<SellCall>, at: EpochMs): void {
  const { call, order, user, hash, emit } = asked;
  const { stock: token, depositAmount: amount, quantity } = call;
  depositStock(venue, { user, token, amount, hash, emit }, at);
  openOrder(venue, { order, emit }, at);
  const market = call.kind === 'depositStockAndMarketSell';
  const args = { orderId: order.orderId, user, stockToken: token, depositAmount: amount, quantity };
  emit(exchangeEvent(market ? 'DepositStockAndMarketSell' : 'DepositStockAndLimitSell', args));
}
