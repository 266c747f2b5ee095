import { cash, stepOf, WAD } from '../core/amount.ts';

/** The venue's rates, in whole hundredths of a percent of the notional. */
export type FeeSchedule = Readonly<{
  buyMintFeeBps: number;
  buyProtocolFeeBps: number;
  sellProtocolFeeBps: number;
}>;

/*
 * Values of the venue as its specification and public notes have them. The runner goes by these until the venue states others
 * (docs/constants.md); the emulator has a table of its own, and a test compares the two.
 */

/** Fees of orders. `GET /config` states those in force. */
export const DOCUMENTED_FEES: FeeSchedule = {
  buyMintFeeBps: 10,
  buyProtocolFeeBps: 1,
  sellProtocolFeeBps: 1,
};

/** Least notional of an order, in mUSD. The venue states it nowhere. */
export const MIN_NOTIONAL = cash(WAD);

/** Steps of prices from 1 mUSD on, and below, as wads. The venue states them nowhere. */
export const PRICE_STEP = stepOf(2);
export const FINE_PRICE_STEP = stepOf(4);

/** Most rows of a page, and most bars of one answer ("Limits" of the specification). */
export const PAGE_ROWS_MAX = 100;
export const BARS_MAX = 5_000;
