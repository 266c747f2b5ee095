import type { EpochMs } from '../core/brand.ts';
import type { Address } from '../domain/instrument.ts';
import { creditOf, deposit, depositProblem, isInstantDeposit } from './cashier.ts';
import type { CallOf } from './chain/call.ts';
import { EXCHANGE, type Emit } from './chain/events.ts';
import { openingProblem, openOrder } from './placing.ts';
import type { Hex, Order } from './state.ts';
import { depositStock, stockDepositProblem } from './stockMoves.ts';
import { operationIdOf, type World } from './world.ts';

type Wish<Call> = Readonly<{ call: Call; order: Order; user: Address }>;
type Asked<Call> = Wish<Call> & Readonly<{ hash: Hex; emit: Emit }>;

export type BuyCall = CallOf<'depositAndMarketBuy' | 'depositAndLimitBuy'>;
export type SellCall = CallOf<'depositStockAndMarketSell' | 'depositStockAndLimitSell'>;

/** Why a buy with a deposit reverts, or null: it does both or neither, so only what is credited at once. */
export function buyProblem(world: World, { call, order, user }: Wish<BuyCall>): string | null {
  const { depositToken: token, depositAmount: amount } = call;
  const credit = creditOf(world, amount);
  const problem = depositProblem(world, { user, token, amount });
  if (problem !== null) return problem;
  if (!isInstantDeposit(world.state.cashier, credit)) return 'deposit would not be instant';
  return openingProblem(world, order, credit);
}

/** Deposits cash and buys with it. The caller has looked before. */
export function buyWithDeposit(world: World, asked: Asked<BuyCall>, at: EpochMs): void {
  const { call, order, user, hash, emit } = asked;
  const { depositToken, depositAmount } = call;
  deposit(world, { user, token: depositToken, amount: depositAmount, hash, emit }, at);
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
}

/** Why a sell with a deposit of its stock reverts, or null. */
export function sellProblem(world: World, { call, order, user }: Wish<SellCall>): string | null {
  const { stock: token, depositAmount: amount } = call;
  return stockDepositProblem(world, { user, token, amount }) ?? openingProblem(world, order, amount);
}

/** Moves stock of the wallet on to the exchange and sells. The caller has looked before. */
export function sellWithDeposit(world: World, asked: Asked<SellCall>, at: EpochMs): void {
  const { call, order, user, hash, emit } = asked;
  const { stock: token, depositAmount: amount, quantity } = call;
  depositStock(world, { user, token, amount, hash, emit }, at);
  openOrder(world, { order, emit }, at);
  const market = call.kind === 'depositStockAndMarketSell';
  emit({
    ...{ address: EXCHANGE, name: market ? 'DepositStockAndMarketSell' : 'DepositStockAndLimitSell' },
    args: { orderId: order.orderId, user, stockToken: token, depositAmount: amount, quantity },
  });
}
