import type { EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { deposit, depositProblem, settleCash, withdraw, withdrawProblem } from '../cashier.ts';
import { actionOf, applyAction } from '../corporateActions.ts';
import { moveForeign } from '../foreign.ts';
import { cancelOrder, openingProblem, openOrder } from '../placing.ts';
import { settleOrder } from '../settling.ts';
import type { Hex, Order } from '../state.ts';
import * as stock from '../stockMoves.ts';
import { buyWithDeposit, sellWithDeposit } from '../withDeposit.ts';
import { orderOfId, type World } from '../world.ts';
import { isDeskCall, type Call, type CallOf, type DeskCall, type RouterCall } from './call.ts';
import type { Emit } from './events.ts';

/** A call with the transaction that carries it and the wallet it acts for. */
export type Execution = Readonly<{ call: Call; hash: Hex; user: Address | 'venue'; emit: Emit }>;

type Asked<C extends Call> = Omit<Execution, 'call' | 'user'> & Readonly<{ call: C; user: Address }>;

/** The only place where money moves. Gives the reason when the call reverts: then nothing has changed. */
export function execute(world: World, execution: Execution, at: EpochMs): string | null {
  const { call, user, ...rest } = execution;
  if (call.kind === 'moveForeign') return moveForeign(world, call);
  if (call.kind === 'corporateAction') {
    applyAction(world, actionOf(world, call.id), at);
    return null;
  }
  if (isDeskCall(call)) return settle(world, { call, ...rest }, at);
  if (user === 'venue') throw new InvariantError(`the desk does not call ${call.kind}`);
  return executeFor(world, { call, user, ...rest }, at);
}

function settle(
  world: World,
  { call, ...rest }: Omit<Execution, 'call' | 'user'> & Readonly<{ call: DeskCall }>,
  at: EpochMs,
): null {
  if (call.kind === 'settleOrder') settleOrder(world, { order: orderOfId(world, call.orderId), ...rest }, at);
  else settleCash(world, { opId: call.opId, ...rest }, at);
  return null;
}

function executeFor(world: World, asked: Asked<RouterCall>, at: EpochMs): string | null {
  const { call, user, ...rest } = asked;
  switch (call.kind) {
    case 'placeMarketOrder':
    case 'placeLimitOrder':
    case 'placeDeferredMarketSell':
    case 'placeDeferredLimitSell':
      return withOrder(world, asked, (order) => place(world, { ...asked, order }, at));
    case 'depositAndMarketBuy':
    case 'depositAndLimitBuy':
      return withOrder(world, asked, (order) => buyWithDeposit(world, { call, user, ...rest, order }, at));
    case 'depositStockAndMarketSell':
    case 'depositStockAndLimitSell':
      return withOrder(world, asked, (order) => sellWithDeposit(world, { call, user, ...rest, order }, at));
    case 'cancelLimitOrder': {
      const order = cancellable(world, call.orderId, user);
      return typeof order === 'string' ? order : cancelOrder(world, { order, emit: rest.emit }, at);
    }
    case 'deposit':
    case 'withdraw':
      return moveCash(world, { call, user, ...rest }, at);
    case 'depositStock':
    case 'withdrawStock':
    case 'repayDeferredStockDebt':
      return moveStock(world, { call, user, ...rest }, at);
  }
}

const withOrder = (
  { ordersByTx }: World,
  { hash }: Asked<RouterCall>,
  act: (order: Order) => string | null,
): string | null => {
  const order = ordersByTx.get(hash);
  return order ? act(order) : 'order is malformed';
};

function place(world: World, { order, emit }: Readonly<{ order: Order; emit: Emit }>, at: EpochMs) {
  const problem = openingProblem(world, order);
  if (problem === null) openOrder(world, { order, emit }, at);
  return problem;
}

function cancellable({ orders }: World, orderId: Hex, user: Address): Order | string {
  const order = orders.get(orderId);
  if (!order) return 'no such order';
  return sameAddress(order.userAddress, user) ? order : 'not your order';
}

function moveCash(world: World, asked: Asked<CallOf<'deposit' | 'withdraw'>>, at: EpochMs): string | null {
  const { call, ...rest } = asked;
  const amount = call.kind === 'deposit' ? call.amount : call.amountWad;
  const cash = { ...rest, token: call.token, amount };
  const problem = call.kind === 'deposit' ? depositProblem(world, cash) : withdrawProblem(world, cash);
  if (problem !== null) return problem;
  if (call.kind === 'deposit') deposit(world, cash, at);
  else withdraw(world, cash, at);
  return null;
}

type StockMove = CallOf<'depositStock' | 'withdrawStock' | 'repayDeferredStockDebt'>;

const STOCK_MOVES = {
  depositStock: { problem: stock.stockDepositProblem, carryOut: stock.depositStock },
  withdrawStock: { problem: stock.stockWithdrawalProblem, carryOut: stock.withdrawStock },
  repayDeferredStockDebt: { problem: stock.repaymentProblem, carryOut: stock.repay },
} as const;

function moveStock(world: World, { call, ...rest }: Asked<StockMove>, at: EpochMs): string | null {
  const token = call.kind === 'repayDeferredStockDebt' ? call.stock : call.token;
  const move = { ...rest, token, amount: call.amount };
  const { problem, carryOut } = STOCK_MOVES[call.kind];
  const found = problem(world, move);
  if (found === null) carryOut(world, move, at);
  return found;
}
