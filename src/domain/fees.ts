import { cash, stepOf, WAD, bpsOf, type Cash, type Price } from '../core/amount.ts';
import { InvalidValueError } from '../core/errors.ts';

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

/** Tick of a price, in wads: 0.01, below 1 mUSD 0.0001. */
export const tickOf = (price: Price): bigint => (price < WAD ? FINE_PRICE_STEP : PRICE_STEP);

/** Most rows of a page, and most bars of one answer ("Limits" of the specification). */
export const PAGE_ROWS_MAX = 100;
export const BARS_MAX = 5_000;

const NO_FEES: FeeSchedule = { buyMintFeeBps: 0, buyProtocolFeeBps: 0, sellProtocolFeeBps: 0 };

/** `venue`, `none`, or `bps:10` for so much of the notional on each side. @throws {InvalidValueError} for anything else */
export function parseFees(text: string): FeeSchedule {
  if (text === 'venue') return DOCUMENTED_FEES;
  if (text === 'none') return NO_FEES;
  const bps = Number(/^bps:(\d{1,4})$/.exec(text)?.[1]);
  if (Number.isNaN(bps))
    throw new InvalidValueError(`fees "${text}": write "venue", "none" or "bps:10", in whole bps`, { text });
  return { buyMintFeeBps: 0, buyProtocolFeeBps: bps, sellProtocolFeeBps: bps };
}

/** `total` is what leaves the account: the fees come on top of the notional. */
export type BuyCost = Readonly<{ notional: Cash; mintFee: Cash; protocolFee: Cash; total: Cash }>;

/** `net` is what reaches the account: the fee comes out of the notional. */
export type SellProceeds = Readonly<{ notional: Cash; mintFee: Cash; protocolFee: Cash; net: Cash }>;

/** A buy of 100 costs 100.11. Each fee is rounded up at the eighteenth place. */
export function buyCost(notional: Cash, fees: FeeSchedule = DOCUMENTED_FEES): BuyCost {
  const mintFee = bpsOf(notional, fees.buyMintFeeBps, 'up');
  const protocolFee = bpsOf(notional, fees.buyProtocolFeeBps, 'up');
  return { notional, mintFee, protocolFee, total: cash(notional + mintFee + protocolFee) };
}

/** A sell of 100 pays 99.99. The fee is rounded up at the eighteenth place; nothing is minted. */
export function sellProceeds(notional: Cash, fees: FeeSchedule = DOCUMENTED_FEES): SellProceeds {
  const protocolFee = bpsOf(notional, fees.sellProtocolFeeBps, 'up');
  return { notional, mintFee: cash(0n), protocolFee, net: cash(notional - protocolFee) };
}
