import { formatDecimal } from '../core/amount.ts';
import type { Address } from '../domain/instrument.ts';
import type { OrderTerms } from '../domain/venue.ts';

/** In lower case it is an address whatever case the venue lists it in. */
export const lower = (address: Address): Address => address.toLowerCase() as Address;

/** What an order asks for, in the words of the venue. The deadline is added by whoever sends it. */
export function bodyOf(terms: OrderTerms) {
  const stockAddress = lower(terms.stock);
  const side = terms.side === 'buy' ? ('Buy' as const) : ('Sell' as const);
  if (terms.type === 'limit')
    return {
      stockAddress,
      side,
      type: 'Limit' as const,
      quantity: formatDecimal(terms.quantity),
      price: formatDecimal(terms.price),
      timeInForce: 'DAY' as const,
    };
  const size =
    terms.side === 'buy'
      ? { notional: formatDecimal(terms.notional) }
      : { quantity: formatDecimal(terms.quantity) };
  return { stockAddress, side, type: 'Market' as const, ...size };
}
