import type { EpochMs } from '../../core/brand.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { deposit, depositProblem, settleCash, withdraw, withdrawProblem } from '../cashier.ts';
import { moveForeign } from '../foreign.ts';
import { cancelOrder, openOrder } from '../placing.ts';
import { settleOrder } from '../settling.ts';
import type { Hex, Order } from '../state.ts';
import { orderOfId, type World } from '../world.ts';
import type { Call, CallOf } from './call.ts';
import type { Emit } from './events.ts';

/** A call with the transaction that carries it and the wallet it acts for. */
export type Execution = Readonly<{ call: Call; hash: Hex; user: Address | 'venue'; emit: Emit }>;

/** The only place where money moves. Gives the reason when the call reverts: then nothing has changed. */
export function execute(world: World, execution: Execution, at: EpochMs): string | null {
  const { call, hash, user, emit } = execution;
  switch (call.kind) {
    case 'placeMarketOrder':
    case 'placeLimitOrder': {
      const order = world.ordersByTx.get(hash);
      return order ? openOrder(world, { order, emit }, at) : 'order is malformed';
    }
    case 'cancelLimitOrder': {
      const order = cancellable(world, call.orderId, user);
      return typeof order === 'string' ? order : cancelOrder(world, { order, emit }, at);
    }
    case 'deposit':
    case 'withdraw':
      return user === 'venue' ? 'no user' : moveCash(world, { call, hash, user, emit }, at);
    case 'settleOrder':
      settleOrder(world, { order: orderOfId(world, call.orderId), hash, emit }, at);
      return null;
    case 'settleDeposit':
    case 'settleWithdrawal':
      settleCash(world, { opId: call.opId, hash, emit }, at);
      return null;
    case 'moveForeign':
      return moveForeign(world, call);
    default:
      return 'function is not available';
  }
}

function cancellable({ orders }: World, orderId: Hex, user: Address | 'venue'): Order | string {
  const order = orders.get(orderId);
  if (!order) return 'no such order';
  return sameAddress(order.userAddress, user) ? order : 'not your order';
}

/** Of a user, by a call of such a kind. */
type Asked<Kind extends Call['kind']> = Execution & Readonly<{ call: CallOf<Kind>; user: Address }>;

function moveCash(world: World, execution: Asked<'deposit' | 'withdraw'>, at: EpochMs): string | null {
  const { call, ...rest } = execution;
  const amount = call.kind === 'deposit' ? call.amount : call.amountWad;
  const asked = { ...rest, token: call.token, amount };
  const problem = call.kind === 'deposit' ? depositProblem(world, asked) : withdrawProblem(world, asked);
  if (problem !== null) return problem;
  if (call.kind === 'deposit') deposit(world, asked, at);
  else withdraw(world, asked, at);
  return null;
}
