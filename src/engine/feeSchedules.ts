import { cash } from '../core/amount.ts';
import { FEES, type Pins, type PinTerms } from '../domain/pins.ts';
import { buyCost, type FeeSchedule } from '../sim/fees.ts';

/** Highest rate that a fee is reckoned with, in hundredths of a percent: all of the notional. */
const BPS_MAX = 10_000;

/** Most that a buy of `notional` costs by the fees that the venue has stated; 0 where it has stated none. */
export function statedCost(pins: Pins, notional: bigint): bigint {
  const costs = [pins.of(FEES), pins.departed(FEES)].map((terms) =>
    terms ? buyCost(cash(notional), scheduleOf(terms)).total : 0n,
  );
  return costs.reduce((most, cost) => (cost > most ? cost : most), 0n);
}

const scheduleOf = (terms: PinTerms): FeeSchedule => ({
  buyMintFeeBps: bpsOf(terms['buyMintFeeBps']),
  buyProtocolFeeBps: bpsOf(terms['buyProtocolFeeBps']),
  sellProtocolFeeBps: bpsOf(terms['sellProtocolFeeBps']),
});

/** In whole hundredths of a percent, rounded up; 0 for what is no rate. */
function bpsOf(text = '0'): number {
  const bps = Math.ceil(Number(text));
  return bps > 0 ? Math.min(bps, BPS_MAX) : 0;
}
