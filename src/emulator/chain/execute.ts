import type { EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import type { Address } from '../../domain/instrument.ts';
import { payOrder, reverseOrder } from '../aftermath.ts';
import { deposit, failCash, settleCash, withdraw } from '../cashier.ts';
import { actionOf, applyAction } from '../corporateActions.ts';
import { moveForeign } from '../foreign.ts';
import { pay } from '../native.ts';
import { cancelOrder, openOrder } from '../placing.ts';
import { settleOrder } from '../settling.ts';
import type { Hex, Order } from '../state.ts';
import * as stock from '../stockMoves.ts';
import { approveBy } from '../tokens.ts';
import { buyWithDeposit, sellWithDeposit } from '../withDeposit.ts';
import { orderOfId, type World } from '../world.ts';
import { isDeskCall, type Call, type DeskCall, type RouterCall } from './call.ts';
import { problemOf } from './check.ts';
import type { Emit } from './events.ts';

/** A call with the transaction that carries it and the wallet it acts for. */
export type Execution = Readonly<{ call: Call; hash: Hex; user: Address | 'venue'; emit: Emit }>;

type Asked<C extends Call> = Omit<Execution, 'call' | 'user'> & Readonly<{ call: C; user: Address }>;

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
function executeFor(world: World, asked: Asked<RouterCall>, at: EpochMs): void {
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

function orderIn({ ordersByTx }: World, { hash }: Asked<RouterCall>): Order {
  const order = ordersByTx.get(hash);
  if (!order) throw new InvariantError(`no order of ${hash}`);
  return order;
}
