import { cash, type Cash } from '../core/amount.ts';
import type { FeeSchedule } from '../domain/documented.ts';
import { FEES, type PinTerms } from '../domain/pins.ts';
import type { Side } from '../domain/venue.ts';
import { buyCost, sellProceeds } from '../sim/fees.ts';
import type { Desk } from './desk.ts';

/** Highest rate that a fee is reckoned with, in hundredths of a percent: all of the notional. */
const BPS_MAX = 10_000;

type Known = Pick<Desk, 'rules' | 'books'>;

/**
 * Schedules by which the venue may charge: that of the rules, the pinned one, the one stated instead of it, and the rates that
 * settlements have shown above all of these.
 */
export function feeSchedules({ rules, books }: Known): FeeSchedule[] {
  const { pins, feesTaken } = books;
  const stated = [pins.of(FEES), pins.departed(FEES)].flatMap((terms) => (terms ? [scheduleOf(terms)] : []));
  const taken = feesTaken.size === 0 ? [] : [scheduleTaken(feesTaken)];
  return [rules.fees, ...stated, ...taken];
}

/** mUSD that a buy of `notional` costs at most, fees included. */
export function dearestCost(known: Known, notional: bigint): bigint {
  let most = 0n;
  for (const schedule of feeSchedules(known)) {
    const { total } = buyCost(cash(notional), schedule);
    if (total > most) most = total;
  }
  return most;
}

/** mUSD that a schedule takes of `notional`, on either side. */
export function feeOf(side: Side, notional: Cash, schedule: FeeSchedule): bigint {
  const { mintFee, protocolFee } =
    side === 'buy' ? buyCost(notional, schedule) : sellProceeds(notional, schedule);
  return mintFee + protocolFee;
}

/** Rates of either side, in hundredths of a percent. */
export const bpsBySide = (schedule: FeeSchedule): Readonly<Record<Side, number>> => ({
  buy: schedule.buyMintFeeBps + schedule.buyProtocolFeeBps,
  sell: schedule.sellProtocolFeeBps,
});

/** Rates as `GET /config` states them; 0 for what it does not state. */
export const scheduleOf = (terms: PinTerms): FeeSchedule => ({
  buyMintFeeBps: bpsOf(terms['buyMintFeeBps']),
  buyProtocolFeeBps: bpsOf(terms['buyProtocolFeeBps']),
  sellProtocolFeeBps: bpsOf(terms['sellProtocolFeeBps']),
});

const scheduleTaken = (taken: ReadonlyMap<Side, number>): FeeSchedule => ({
  buyMintFeeBps: 0,
  buyProtocolFeeBps: Math.ceil(taken.get('buy') ?? 0),
  sellProtocolFeeBps: Math.ceil(taken.get('sell') ?? 0),
});

/** Whole bps of a rate, rounded up; 0 for a text that is no rate. */
function bpsOf(text = '0'): number {
  const bps = Math.ceil(Number(text));
  return bps > 0 ? Math.min(bps, BPS_MAX) : 0;
}
