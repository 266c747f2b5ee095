import type { AccountState } from '../../domain/account/accountState.ts';
import { describeScope } from '../../domain/operator/tradingState.ts';
import type { Order } from '../../domain/orders/order.ts';

/** Reason why an order is not placed: trading of its strategy or symbol is restricted; or null. */
export function againstTrade({ trading }: AccountState, { strategyId, terms }: Order): string | null {
  const restriction = trading.on({ strategyId, symbol: terms.symbol });
  if (!restriction || (restriction.state === 'reducing' && terms.side === 'sell')) return null;
  return `trading of ${describeScope(restriction.scope)} is ${restriction.state}: ${restriction.reason}`;
}
