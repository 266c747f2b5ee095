import type { EpochMs } from '../core/brand.ts';
import type { Address } from '../domain/instrument.ts';
import { creditOf, deposit, depositProblem, isInstantDeposit } from './cashier.ts';
import type { CallOf } from './chain/call.ts';
import { EXCHANGE, type Emit } from './chain/events.ts';
import { openingProblem, openOrder } from './placing.ts';
import type { Hex, Order } from './state.ts';
import { depositStock, stockDepositProblem } from './stockMoves.ts';
import { operationIdOf, type World } from './world.ts';

type Asked<Call> = Readonly<{ call: Call; order: Order; user: Address; hash: Hex; emit: Emit }>;

export type BuyCall = CallOf<'depositAndMarketBuy' | 'depositAndLimitBuy'>;
export type SellCall = CallOf<'depositStockAndMarketSell' | 'depositStockAndLimitSell'>;

/** Deposits cash and buys with it: both or neither, so only what is credited at once. Gives the cause of a revert. */
export function buyWithDeposit(world: World, asked: Asked<BuyCall>, at: EpochMs): string | null {
  const { call, order, user, hash, emit } = asked;
  const { depositToken, depositAmount } = call;
  const cashCall = { user, token: depositToken, amount: depositAmount, hash, emit };
  const credit = creditOf(depositAmount);
  const problem =
    depositProblem(world, cashCall) ??
    (isInstantDeposit(world.state.cashier, credit) ? null : 'deposit would not be instant') ??
    openingProblem(world, order, credit);
  if (problem !== null) return problem;
  deposit(world, cashCall, at);
  openOrder(world, { order, emit }, at);
  const args = {
    depositOpId: operationIdOf(hash),
    orderId: order.orderId,
    user,
    depositToken,
    depositAmount,
  };
  const stockToken = call.stock;
  if (call.kind === 'depositAndMarketBuy')
    emit({
      ...{ address: EXCHANGE, name: 'DepositAndMarketBuy' },
      args: { ...args, stockToken, usdAmount: call.usdAmount },
    });
  else
    emit({
      ...{ address: EXCHANGE, name: 'DepositAndLimitBuy' },
      args: { ...args, stockToken, quantity: call.quantity },
    });
  return null;
}

/** Moves stock of the wallet on to the exchange and sells: both or neither. Gives the cause of a revert. */
export function sellWithDeposit(world: World, asked: Asked<SellCall>, at: EpochMs): string | null {
  const { call, order, user, hash, emit } = asked;
  const { stock: token, depositAmount: amount, quantity } = call;
  const stockCall = { user, token, amount, hash, emit };
  const problem = stockDepositProblem(world, stockCall) ?? openingProblem(world, order, amount);
  if (problem !== null) return problem;
  depositStock(world, stockCall, at);
  openOrder(world, { order, emit }, at);
  const market = call.kind === 'depositStockAndMarketSell';
  emit({
    ...{ address: EXCHANGE, name: market ? 'DepositStockAndMarketSell' : 'DepositStockAndLimitSell' },
    args: { orderId: order.orderId, user, stockToken: token, depositAmount: amount, quantity },
  });
  return null;
}
