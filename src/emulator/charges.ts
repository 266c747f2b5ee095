import { bpsOf, cash, roundTo, stepOf, type Cash } from '../core/amount.ts';
import type { VenueConstants } from './constants.ts';

/** Fees of an execution. `mintFee` is of buys alone. */
export type Charges = Readonly<{ mintFee: Cash; protocolFee: Cash }>;

/** Each fee is rounded up to the venue's places (spec gaps, "fees"): a buy pays them on top, of a sell they come out of it. */
export function chargesOf(
  notional: Cash,
  side: 'buy' | 'sell',
  { fees, feePlaces }: VenueConstants,
): Charges {
  const of = (bps: number): Cash => cash(roundTo(bpsOf(notional, bps, 'up'), stepOf(feePlaces), 'up'));
  if (side === 'sell') return { mintFee: cash(0n), protocolFee: of(fees.sellProtocolFeeBps) };
  return { mintFee: of(fees.buyMintFeeBps), protocolFee: of(fees.buyProtocolFeeBps) };
}

/** Most that a buy of `notional` takes by the fees of now. */
export function buyTotal(notional: Cash, constants: VenueConstants): bigint {
  const { mintFee, protocolFee } = chargesOf(notional, 'buy', constants);
  return notional + mintFee + protocolFee;
}
