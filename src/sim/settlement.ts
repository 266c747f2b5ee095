import type { Cash } from '../core/amount.ts';
import type { Settlement, Side } from '../domain/venue.ts';

/** Executed part of an order: shares and notional as wads, and the fees in mUSD. */
export type Execution = Readonly<{
  side: Side;
  filled: bigint;
  notional: bigint;
  mintFee: Cash;
  protocolFee: Cash;
}>;

/** Amounts that an execution moves: a buy pays its notional plus fees, a sell receives its notional less fees. */
export function settledAmounts({
  side,
  filled,
  notional,
  mintFee,
  protocolFee,
}: Execution): Pick<Settlement, 'pay' | 'receive' | 'mintFee' | 'protocolFee'> {
  const fees = mintFee + protocolFee;
  return side === 'buy'
    ? { pay: notional + fees, receive: filled, mintFee, protocolFee }
    : { pay: filled, receive: notional - fees, mintFee, protocolFee };
}
