import { formatDecimal } from '../../core/amount.ts';
import type { Address } from '../../domain/instrument.ts';
import type { OrderTerms } from '../../domain/venue.ts';
import type { Move } from './move.ts';

/** In lower case it is an address whatever case the venue lists it in. */
const lower = (address: Address): Address => address.toLowerCase() as Address;

/** The order as the venue's endpoints take it, without its deadline. */
export function orderFields(terms: OrderTerms) {
  const stockAddress = lower(terms.stock);
  const side = terms.side === 'buy' ? ('Buy' as const) : ('Sell' as const);
  const size =
    'notional' in terms
      ? { notional: formatDecimal(terms.notional) }
      : { quantity: formatDecimal(terms.quantity) };
  return terms.type === 'limit'
    ? {
        ...{ stockAddress, side, type: 'Limit' as const, ...size },
        ...{ price: formatDecimal(terms.price), timeInForce: 'DAY' as const },
      }
    : { stockAddress, side, type: 'Market' as const, ...size };
}

type Of<Kind extends Move['kind']> = Extract<Move, { kind: Kind }>;

export const depositFields = ({ deposit }: Of<'orderWithDeposit'>) => ({
  ...(deposit.token && { tokenAddress: lower(deposit.token.address) }),
  tokenAmount: formatDecimal(deposit.amount),
});

export const cashDepositBody = ({ token, amount }: Of<'cashDeposit'>) => ({
  tokenAddress: lower(token.address),
  tokenAmount: formatDecimal(amount),
});

export const cashWithdrawalBody = ({ token, credit }: Of<'cashWithdrawal'>) => ({
  tokenAddress: lower(token.address),
  creditAmount: formatDecimal(credit),
});

export const stockBody = ({ stock, amount }: Of<'stockDeposit' | 'stockWithdrawal'>) => ({
  tokenAddress: lower(stock),
  tokenAmount: formatDecimal(amount),
});

export const repayBody = ({ stock, amount }: Of<'repay'>) => ({
  stockAddress: lower(stock),
  quantity: formatDecimal(amount),
});
