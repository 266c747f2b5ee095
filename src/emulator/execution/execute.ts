import * as stock from '../trading/stockMoves.ts';
import { toSeconds, type EpochMs } from '../../core/brand.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { reversalProblem, payOrder, reverseOrder, settleOrder } from '../trading/settlement.ts';
import {
  depositProblem,
  withdrawProblem,
  deposit,
  failCash,
  settleCash,
  withdraw,
} from '../trading/cashier.ts';
import { foreignProblem, moveForeign } from '../trading/externalOrders.ts';
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
import { repaymentProblem, stockDepositProblem, stockWithdrawalProblem } from '../trading/stockMoves.ts';
import { orderOfId, type World } from '../state/world.ts';
import { isDeskCall, type Call, type RouterCall, type DeskCall } from '../chain/call.ts';
import { InvariantError } from '../../core/errors.ts';
import { actionOf, applyAction } from '../trading/corporateActions.ts';
import { pay, approveBy } from '../chain/tokens.ts';
import type { Emit } from '../state/events.ts';

/** A call with the wallet that it acts for, and the order that it asks for. */
type Proposal = Readonly<{ call: Call; user: Address | 'venue'; order: Order | null }>;

/** Why a call would revert at this instant, or null. Changes nothing. */
export function problemOf(world: World, { call, user, order }: Proposal, at: EpochMs): string | null {
  if (call.kind === 'moveForeign') return foreignProblem(world, call);
  if (call.kind === 'reverseOrder') return reversalProblem(world, orderOfId(world, call.orderId));
  if (call.kind === 'corporateAction' || call.kind === 'payOrder') return null;
  if (call.kind === 'pay') return null;
  if (isDeskCall(call)) return user === 'venue' ? null : 'only the desk may call this';
  if (user === 'venue' || !world.accounts.has(user.toLowerCase())) return 'the wallet is not registered';
  if (call.kind === 'approve') return null;
  if ('deadline' in call && toSeconds(at) > call.deadline) return 'deadline has passed';
  return routerProblem(world, { call, user, order });
}

type CheckedCall = Readonly<{ call: RouterCall; user: Address; order: Order | null }>;

function routerProblem(world: World, asked: CheckedCall): string | null {
  const { call, user, order } = asked;
  switch (call.kind) {
    case 'deposit':
      return depositProblem(world, { user, token: call.token, amount: call.amount });
    case 'withdraw':
      return withdrawProblem(world, { user, token: call.token, amount: call.amountWad });
    case 'depositStock':
      return stockDepositProblem(world, { user, ...call });
    case 'withdrawStock':
      return stockWithdrawalProblem(world, { user, ...call });
    case 'repayDeferredStockDebt':
      return repaymentProblem(world, { user, token: call.stock, amount: call.amount });
    case 'cancelLimitOrder':
      return cancellingProblem(world, asked);
    default: {
      const placement = placementOf(call);
      const unsound = placement && placementProblem(world, placement);
      if (unsound !== null || !order) return unsound ?? 'not an order';
      return orderProblem(world, { call, user, order });
    }
  }
}

function cancellingProblem({ orders }: World, { call, user }: CheckedCall): string | null {
  const order = call.kind === 'cancelLimitOrder' ? orders.get(call.orderId) : undefined;
  if (!order) return 'no such order';
  return sameAddress(order.userAddress, user) ? cancelProblem(order) : 'not your order';
}

function orderProblem(world: World, { call, user, order }: CheckedCall & { order: Order }): string | null {
  switch (call.kind) {
    case 'depositAndMarketBuy':
    case 'depositAndLimitBuy':
      return buyProblem(world, { call, order, user });
    case 'depositStockAndMarketSell':
    case 'depositStockAndLimitSell':
      return sellProblem(world, { call, order, user });
    default:
      return openingProblem(world, order);
  }
}

/** A call with the transaction that carries it and the wallet it acts for. */
type Execution = Readonly<{ call: Call; hash: Hex; user: Address | 'venue'; emit: Emit }>;

type ExecutionOf<C extends Call> = Omit<Execution, 'call' | 'user'> & Readonly<{ call: C; user: Address }>;

/** The only place where money moves. Gives the reason when the call reverts: then nothing has changed. */
export function execute(world: World, execution: Execution, at: EpochMs): string | null {
  const { call, user, hash, emit } = execution;
  const problem = problemOf(world, { call, user, order: world.ordersByTx.get(hash) ?? null }, at);
  if (problem !== null) return problem;
  if (call.kind === 'moveForeign') moveForeign(world, call);
  else if (call.kind === 'payOrder') payOrder(world, orderOfId(world, call.orderId));
  else if (call.kind === 'reverseOrder') reverseOrder(world, orderOfId(world, call.orderId), at);
  else if (call.kind === 'corporateAction') applyAction(world, actionOf(world, call.id), at);
  else if (isDeskCall(call)) settle(world, { call, hash, emit }, at);
  else if (user === 'venue') throw new InvariantError(`the desk does not call ${call.kind}`);
  else if (call.kind === 'pay') pay(world, { from: user, ...call });
  else if (call.kind === 'approve') approveBy(world, { ...call, user, emit });
  else executeFor(world, { call, user, hash, emit }, at);
  return null;
}

function settle(
  world: World,
  { call, ...rest }: Omit<Execution, 'call' | 'user'> & Readonly<{ call: DeskCall }>,
  at: EpochMs,
): void {
  switch (call.kind) {
    case 'settleOrder':
      return settleOrder(world, { order: orderOfId(world, call.orderId), ...rest }, at);
    case 'settleDeposit':
    case 'settleWithdrawal':
      return settleCash(world, { opId: call.opId, ...rest }, at);
    case 'failDeposit':
    case 'failWithdrawal':
      return failCash(world, { opId: call.opId, ...rest }, at);
  }
}

/** The caller has looked before. */
function executeFor(world: World, asked: ExecutionOf<RouterCall>, at: EpochMs): void {
  const { call, ...rest } = asked;
  switch (call.kind) {
    case 'placeMarketOrder':
    case 'placeLimitOrder':
    case 'placeDeferredMarketSell':
    case 'placeDeferredLimitSell':
      return openOrder(world, { ...rest, order: orderIn(world, asked) }, at);
    case 'depositAndMarketBuy':
    case 'depositAndLimitBuy':
      return buyWithDeposit(world, { ...rest, call, order: orderIn(world, asked) }, at);
    case 'depositStockAndMarketSell':
    case 'depositStockAndLimitSell':
      return sellWithDeposit(world, { ...rest, call, order: orderIn(world, asked) }, at);
    case 'cancelLimitOrder':
      return cancelOrder(world, { ...rest, order: orderOfId(world, call.orderId) }, at);
    case 'deposit':
      return deposit(world, { ...rest, token: call.token, amount: call.amount }, at);
    case 'withdraw':
      return withdraw(world, { ...rest, token: call.token, amount: call.amountWad }, at);
    case 'depositStock':
      return stock.depositStock(world, { ...rest, token: call.token, amount: call.amount }, at);
    case 'withdrawStock':
      return stock.withdrawStock(world, { ...rest, token: call.token, amount: call.amount }, at);
    case 'repayDeferredStockDebt':
      return stock.repay(world, { ...rest, token: call.stock, amount: call.amount });
  }
}

function orderIn({ ordersByTx }: World, { hash }: ExecutionOf<RouterCall>): Order {
  const order = ordersByTx.get(hash);
  if (!order) throw new InvariantError(`no order of ${hash}`);
  return order;
}
