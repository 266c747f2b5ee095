import { cash, stepOf, WAD, bpsOf, type Cash } from '../core/amount.ts';
import { InvalidValueError } from '../core/errors.ts';
import { FEES, type PinSubject, type PinTerms } from './account/pins.ts';
import type { Side } from './venue.ts';

/** Rates of the venue, in whole bps of the notional. */
export type FeeSchedule = Readonly<{
  buyMintFeeBps: number;
  buyProtocolFeeBps: number;
  sellProtocolFeeBps: number;
}>;

/*
 * The venue's values according to its specification and public notes. The bot uses these until the venue states others
 * (docs/constants.md); the emulator has its own table, and a test compares the two.
 */

/** Fees of orders. `GET /config` states the current ones. */
export const DOCUMENTED_FEES: FeeSchedule = {
  buyMintFeeBps: 10,
  buyProtocolFeeBps: 1,
  sellProtocolFeeBps: 1,
};

/** Minimum notional of an order in mUSD. The venue does not state it. */
export const MIN_NOTIONAL = cash(WAD);

/**
 * Step to which share quantities are rounded down, as a wad: the rest would be dust. Stock that is not fractionable
 * trades in whole shares.
 */
export const SHARE_STEP = stepOf(6);

/** Maximum rows per page, and bars per response ("Limits" of the specification). */
export const PAGE_ROWS_MAX = 100;
export const BARS_MAX = 5_000;

const NO_FEES: FeeSchedule = { buyMintFeeBps: 0, buyProtocolFeeBps: 0, sellProtocolFeeBps: 0 };

/**
 * Fee rule of a flag: `venue`, `none`, `bps:10` of the notional on each side, or `rates:10/1/1`: minting and protocol
 * fee of a buy, and protocol fee of a sell, in bps. @throws {InvalidValueError} for anything else
 */
export function parseFees(text: string): FeeSchedule {
  if (text === 'venue') return DOCUMENTED_FEES;
  if (text === 'none') return NO_FEES;
  const bps = Number(/^bps:(\d{1,4})$/.exec(text)?.[1]);
  const rates = /^rates:(\d{1,4})\/(\d{1,4})\/(\d{1,4})$/.exec(text)?.slice(1).map(Number);
  if (rates) {
    const [buyMintFeeBps = 0, buyProtocolFeeBps = 0, sellProtocolFeeBps = 0] = rates;
    return { buyMintFeeBps, buyProtocolFeeBps, sellProtocolFeeBps };
  }
  if (Number.isNaN(bps))
    throw new InvalidValueError(
      `fees "${text}": write "venue", "none", "bps:10" or "rates:10/1/1", in whole bps below 10000`,
      { text },
    );
  return { buyMintFeeBps: 0, buyProtocolFeeBps: bps, sellProtocolFeeBps: bps };
}

/** Cost of a buy in mUSD. `total` leaves the account: fees are added to the notional. */
export type BuyCost = Readonly<{ notional: Cash; mintFee: Cash; protocolFee: Cash; total: Cash }>;

/** Proceeds of a sell in mUSD. `net` reaches the account: the fee is deducted from the notional. */
export type SellProceeds = Readonly<{ notional: Cash; mintFee: Cash; protocolFee: Cash; net: Cash }>;

/** Cost of a buy: 100 costs 100.11. Each fee is rounded up at the eighteenth decimal. */
export function buyCost(notional: Cash, fees: FeeSchedule = DOCUMENTED_FEES): BuyCost {
  const mintFee = bpsOf(notional, fees.buyMintFeeBps, 'up');
  const protocolFee = bpsOf(notional, fees.buyProtocolFeeBps, 'up');
  return { notional, mintFee, protocolFee, total: cash(notional + mintFee + protocolFee) };
}

/** Proceeds of a sell: 100 pays 99.99. The fee is rounded up at the eighteenth decimal; nothing is minted. */
export function sellProceeds(notional: Cash, fees: FeeSchedule = DOCUMENTED_FEES): SellProceeds {
  const protocolFee = bpsOf(notional, fees.sellProtocolFeeBps, 'up');
  return { notional, mintFee: cash(0n), protocolFee, net: cash(notional - protocolFee) };
}

/** Highest rate of a fee, in bps: all of the notional. */
const BPS_MAX = 10_000;

/** Sources of known fees: the rules, and the journal's record of the venue's fees. */
type FeeContext = Readonly<{
  rules: Readonly<{ fees: FeeSchedule }>;
  accountState: Readonly<{
    pins: Readonly<Record<'of' | 'departed', (subject: PinSubject) => PinTerms | undefined>>;
    feesTaken: ReadonlyMap<Side, number>;
  }>;
}>;

/**
 * Schedules that the venue may apply: that of the rules, and those that it has shown (the pinned one, one stated in its
 * place, and rates charged above all of these).
 */
export function feeSchedules({ rules, accountState: { pins, feesTaken } }: FeeContext): FeeSchedule[] {
  const schedules = [rules.fees];
  const [pinned, departed] = [pins.of(FEES), pins.departed(FEES)];
  if (pinned) schedules.push(scheduleOf(pinned));
  if (departed) schedules.push(scheduleOf(departed));
  if (feesTaken.size > 0) schedules.push(scheduleTaken(feesTaken));
  return schedules;
}

/** Highest cost of a buy under some schedules, including fees, as a function of the notional, both in mUSD. */
export function costBy(schedules: readonly FeeSchedule[]): (notional: bigint) => bigint {
  return (notional) => {
    let most = 0n;
    for (const schedule of schedules) {
      const { total } = buyCost(notional as Cash, schedule);
      if (total > most) most = total;
    }
    return most;
  };
}

/** Fees in mUSD that a schedule charges on `notional`, by side. */
export function feeOf(side: Side, notional: Cash, schedule: FeeSchedule): bigint {
  const { mintFee, protocolFee } =
    side === 'buy' ? buyCost(notional, schedule) : sellProceeds(notional, schedule);
  return mintFee + protocolFee;
}

export const bpsBySide = (schedule: FeeSchedule): Readonly<Record<Side, number>> => ({
  buy: schedule.buyMintFeeBps + schedule.buyProtocolFeeBps,
  sell: schedule.sellProtocolFeeBps,
});

/** Rates as stated by `GET /config`; 0 for missing ones. */
export const scheduleOf = (terms: PinTerms): FeeSchedule => ({
  buyMintFeeBps: wholeBps(terms['buyMintFeeBps']),
  buyProtocolFeeBps: wholeBps(terms['buyProtocolFeeBps']),
  sellProtocolFeeBps: wholeBps(terms['sellProtocolFeeBps']),
});

const scheduleTaken = (taken: ReadonlyMap<Side, number>): FeeSchedule => ({
  buyMintFeeBps: 0,
  buyProtocolFeeBps: Math.ceil(taken.get('buy') ?? 0),
  sellProtocolFeeBps: Math.ceil(taken.get('sell') ?? 0),
});

/** Whole bps of a rate, rounded up; 0 for a text that is not a rate. */
function wholeBps(text = '0'): number {
  const bps = Math.ceil(Number(text));
  return bps > 0 ? Math.min(bps, BPS_MAX) : 0;
}
