import { toSeconds, type EpochMs } from '../../core/brand.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { reversalProblem } from '../aftermath.ts';
import { depositProblem, withdrawProblem } from '../cashier.ts';
import { foreignProblem } from '../foreign.ts';
import { placementOf, placementProblem } from '../orders.ts';
import { cancelProblem, openingProblem } from '../placing.ts';
import type { Order } from '../state.ts';
import { repaymentProblem, stockDepositProblem, stockWithdrawalProblem } from '../stockMoves.ts';
import { buyProblem, sellProblem } from '../withDeposit.ts';
import { orderOfId, type World } from '../world.ts';
import { isDeskCall, type Call, type RouterCall } from './call.ts';

/** A call with the wallet that it acts for, and the order that it asks for. */
export type Proposal = Readonly<{ call: Call; user: Address | 'venue'; order: Order | null }>;

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

type Asked = Readonly<{ call: RouterCall; user: Address; order: Order | null }>;

function routerProblem(world: World, asked: Asked): string | null {
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

function cancellingProblem({ orders }: World, { call, user }: Asked): string | null {
  const order = call.kind === 'cancelLimitOrder' ? orders.get(call.orderId) : undefined;
  if (!order) return 'no such order';
  return sameAddress(order.userAddress, user) ? cancelProblem(order) : 'not your order';
}

function orderProblem(world: World, { call, user, order }: Asked & { order: Order }): string | null {
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
