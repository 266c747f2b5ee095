import { formatDecimal } from '../core/amount.ts';
import type { Address } from '../domain/instrument.ts';
import type { OrderTerms } from '../domain/venue.ts';

/** What an order asks for, in the words of the venue. The deadline is added by whoever sends it. */
export function bodyOf(terms: OrderTerms) {
  // In lower case it is an address whatever case the venue lists it in.
  const stockAddress = terms.stock.toLowerCase() as Address;
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
