import { formatDecimal } from '../core/amount.ts';
import type { Operation } from '../domain/operation.ts';
import { exactShares } from '../domain/order.ts';
import type { OrderTerms } from '../domain/venue.ts';

/** `buy 3 AAPL at 187.2`, `buy AAPL for 250`, `sell 1.5 KO`. */
export function describeTerms(terms: OrderTerms): string {
  if (terms.type === 'market' && terms.side === 'buy' && terms.quantity === undefined)
    return `buy ${terms.symbol} for ${formatDecimal(terms.notional)}`;
  const quantity = `${terms.side} ${formatDecimal(exactShares(terms) ?? 0n)} ${terms.symbol}`;
  return terms.type === 'limit' ? `${quantity} at ${formatDecimal(terms.price)}` : quantity;
}

const VERBS = {
  cashDeposit: 'deposit',
  cashWithdrawal: 'withdraw',
  stockDeposit: 'deposit',
  stockWithdrawal: 'withdraw',
  repay: 'repay',
} as const satisfies Record<Operation['terms']['kind'], string>;

/** `deposit 2500 cash`, `repay 3 AAPL`. */
export const describeOperation = ({ terms }: Operation): string =>
  `${VERBS[terms.kind]} ${formatDecimal(terms.amount)} ${'symbol' in terms ? terms.symbol : 'cash'}`;
