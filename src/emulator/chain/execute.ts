import * as stock from '../trading/stockMoves.ts';
import { toSeconds, type EpochMs } from '../../core/brand.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { reversalProblem, payOrder, reverseOrder, settleOrder } from '../trading/settlement.ts';
import { depositProblem, withdrawProblem, deposit, endCash, withdraw } from '../trading/cashier.ts';
import { externalMoveProblem, moveExternal } from '../state/ledger.ts';
import { placementOf, placementProblem } from '../trading/orders.ts';
import {
  cancelProblem,
  openingProblem,
  buyProblem,
  sellProblem,
  cancelOrder,
  openOrder,
  buyWithDeposit,
  sellWithDeposit,
} from '../trading/placing.ts';
import type { Order, Hex } from '../state/state.ts';
import { known, orderOfId, type VenueState } from '../state/venueState.ts';
import { isOperatorCall, type Call, type RouterCall } from '../state/calls.ts';
import { InvariantError } from '../../core/errors.ts';
import { announcedAction, applyAction } from '../trading/corporateActions.ts';
import { pay, approveBy } from '../state/tokens.ts';
import type { Emit } from '../state/events.ts';

/** A call with the wallet it acts for, and the order it places. */
type Proposal = Readonly<{ call: Call; user: Address | 'venue'; order: Order | null }>;

/** Reason why a call would revert now, or null. Changes nothing. */
export function problemOf(venue: VenueState, { call, user, order }: Proposal, at: EpochMs): string | null {
  if (call.kind === 'moveExternal') return externalMoveProblem(venue, call);
  if (call.kind === 'reverseOrder') return reversalProblem(venue, orderOfId(venue, call.orderId));
  if (call.kind === 'corporateAction' || call.kind === 'payOrder') return null;
  if (call.kind === 'pay') return null;
  if (isOperatorCall(call)) return user === 'venue' ? null : 'only the operator may call this';
  if (user === 'venue' || !venue.accounts.has(user.toLowerCase())) return 'the wallet is not registered';
  if (call.kind === 'approve') return null;
  if ('deadline' in call && toSeconds(at) > call.deadline) return 'deadline has passed';
  return routerProblem(venue, { call, user, order });
}

type CheckedCall = Readonly<{ call: RouterCall; user: Address; order: Order | null }>;

function routerProblem(venue: VenueState, asked: CheckedCall): string | null {
  const { call, user, order } = asked;
  switch (call.kind) {
    case 'deposit':
      return depositProblem(venue, { user, token: call.token, amount: call.amount });
    case 'withdraw':
      return withdrawProblem(venue, { user, token: call.token, amount: call.amountWad });
    case 'depositStock':
      return stock.stockDepositProblem(venue, { user, ...call });
    case 'withdrawStock':
      return stock.stockWithdrawalProblem(venue, { user, ...call });
    case 'repayDeferredStockDebt':
      return stock.repaymentProblem(venue, { user, token: call.stock, amount: call.amount });
    case 'cancelLimitOrder':
      return cancellingProblem(venue, asked);
    default: {
      const placement = placementOf(call);
      const unsound = placement && placementProblem(venue, placement);
      if (unsound !== null || !order) return unsound ?? 'not an order';
      return orderProblem(venue, { call, user, order });
    }
  }
}

function cancellingProblem({ orders }: VenueState, { call, user }: CheckedCall): string | null {
  const order = call.kind === 'cancelLimitOrder' ? orders.get(call.orderId) : undefined;
  if (!order) return 'no such order';
  return sameAddress(order.userAddress, user) ? cancelProblem(order) : 'not your order';
}

function orderProblem(
  venue: VenueState,
  { call, user, order }: CheckedCall & { order: Order },
): string | null {
  switch (call.kind) {
    case 'depositAndMarketBuy':
    case 'depositAndLimitBuy':
      return buyProblem(venue, { call, order, user });
    case 'depositStockAndMarketSell':
    case 'depositStockAndLimitSell':
      return sellProblem(venue, { call, order, user });
    default:
      return openingProblem(venue, order);
  }
}

/** A call with the transaction that carries it, and the wallet it acts for. */
type Execution = Readonly<{ call: Call; hash: Hex; user: Address | 'venue'; emit: Emit }>;

type ExecutionOf<C extends Call> = Omit<Execution, 'call' | 'user'> & Readonly<{ call: C; user: Address }>;

/** Executes a call by the venue itself, without a transaction. */
export const executeOwn = (venue: VenueState, call: Call, at: EpochMs): string | null =>
  execute(venue, { call, hash: '0x', user: 'venue', emit: () => undefined }, at);

/** Executes a call: the only place where money moves. Returns the reason if it reverts; nothing has changed then. */
export function execute(venue: VenueState, execution: Execution, at: EpochMs): string | null {
  const { call, user, hash, emit } = execution;
  const problem = problemOf(venue, { call, user, order: venue.ordersByTx.get(hash) ?? null }, at);
  if (problem !== null) return problem;
  if (call.kind === 'moveExternal') moveExternal(venue, call);
  else if (call.kind === 'payOrder') payOrder(venue, orderOfId(venue, call.orderId));
  else if (call.kind === 'reverseOrder') reverseOrder(venue, orderOfId(venue, call.orderId), at);
  else if (call.kind === 'corporateAction') applyAction(venue, announcedAction(venue, call.id), at);
  else if (call.kind === 'settleOrder')
    settleOrder(venue, { order: orderOfId(venue, call.orderId), hash, emit }, at);
  else if (isOperatorCall(call))
    endCash(venue, { opId: call.opId, isSettled: call.kind.startsWith('settle'), hash, emit }, at);
  else if (user === 'venue') throw new InvariantError(`the operator does not call ${call.kind}`);
  else if (call.kind === 'pay') pay(venue, { from: user, ...call });
  else if (call.kind === 'approve') approveBy(venue, { ...call, user, emit });
  else executeFor(venue, { call, user, hash, emit }, at);
  return null;
}

/** Executes a router call. The caller has checked that it cannot revert. */
function executeFor(venue: VenueState, asked: ExecutionOf<RouterCall>, at: EpochMs): void {
  const { call, ...rest } = asked;
  switch (call.kind) {
    case 'placeMarketOrder':
    case 'placeLimitOrder':
    case 'placeDeferredMarketSell':
    case 'placeDeferredLimitSell':
      return openOrder(venue, { ...rest, order: orderIn(venue, asked) }, at);
    case 'depositAndMarketBuy':
    case 'depositAndLimitBuy':
      return buyWithDeposit(venue, { ...rest, call, order: orderIn(venue, asked) }, at);
    case 'depositStockAndMarketSell':
    case 'depositStockAndLimitSell':
      return sellWithDeposit(venue, { ...rest, call, order: orderIn(venue, asked) }, at);
    case 'cancelLimitOrder':
      return cancelOrder(venue, { ...rest, order: orderOfId(venue, call.orderId) }, at);
    case 'deposit':
      return deposit(venue, { ...rest, token: call.token, amount: call.amount }, at);
    case 'withdraw':
      return withdraw(venue, { ...rest, token: call.token, amount: call.amountWad }, at);
    case 'depositStock':
      return stock.depositStock(venue, { ...rest, token: call.token, amount: call.amount }, at);
    case 'withdrawStock':
      return stock.withdrawStock(venue, { ...rest, token: call.token, amount: call.amount }, at);
    case 'repayDeferredStockDebt':
      return stock.repay(venue, { ...rest, token: call.stock, amount: call.amount });
  }
}

const orderIn = ({ ordersByTx }: VenueState, { hash }: ExecutionOf<RouterCall>): Order =>
  known(ordersByTx.get(hash), `order of ${hash}`);
