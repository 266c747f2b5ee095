import { formatDecimal, notionalOf, shares, stepOf, WAD, type Price } from '../../core/amount.ts';
import { type Order, DUST } from './order.ts';
import type { TradingRules } from '../limits.ts';
import type { OrderTerms, Settlement } from '../venue.ts';
import { tickOf } from '../instrument.ts';

/** Lowest and highest price of a stock over some time. */
export type PriceRange = Readonly<{ low: Price; high: Price }>;

export const isWithin = (price: Price, { low, high }: PriceRange): boolean => price >= low && price <= high;

/**
 * Tolerance of an amount against shares times price, including fees: a fortieth. Fees may have risen to a fiftieth, not
 * every settlement states them, and the average price of several executions is rounded.
 */
const SLACK_PART = 40n;

/** Tolerance of a notional against shares times price for its fee to be believed: a thousandth. */
const ADDS_UP_PART = 1_000n;

/**
 * Tolerance of an execution beyond every quote seen during the order's life: a fifth of the price. Exchanges halt a
 * stock that moves by 5 to 20 % within five minutes, quotes are polled every few seconds, and a price that jumps by
 * more than `limits.jumpPercent` is not believed without a witness.
 */
const BAND_PART = 5n;

/** Price band in bps for judging fills if `limits.priceBandBps` is not set. */
const FILL_BAND_BPS = 500;

/** Largest distance in bps between a fill and every quote without an alarm. */
export const fillBandOf = ({ limits, collarBps }: Pick<TradingRules, 'limits' | 'collarBps'>): number =>
  limits.fillBandBps ??
  Math.max(limits.priceBandBps ?? FILL_BAND_BPS, limits.outside?.priceBandBps ?? 0) +
    Math.max(collarBps, limits.outside?.collarBps ?? 0);

/**
 * Text of a fill that is further than `bandBps` from the range of quotes, such as `it bought at 118, 18 % above 100`;
 * null for any other. A limit order may fill at its own limit, however far that seems from the market.
 */
export function offMarket(
  terms: OrderTerms,
  { price }: Pick<Settlement, 'price'>,
  { low, high, bandBps }: PriceRange & Readonly<{ bandBps: number }>,
): string | null {
  const [buys, limit] = [terms.side === 'buy', terms.type === 'limit' ? terms.price : null];
  const least = limit !== null && buys && limit < low ? limit : low;
  const most = limit !== null && !buys && limit > high ? limit : high;
  const [isAbove, near] = [price > most, price > most ? most : least];
  const away = isAbove ? price - most : least - price;
  if (away <= 0n || away * BPS_WHOLE <= near * BigInt(bandBps)) return null;
  const percent = `${formatDecimal(((away * BPS_WHOLE) / near) * (WAD / 100n))} %`;
  return `it ${buys ? 'bought' : 'sold'} at ${formatDecimal(price)}, ${percent} ${isAbove ? 'above' : 'below'} ${formatDecimal(near)}`;
}

const BPS_WHOLE = 10_000n;

/**
 * Reason, with its values, why a settlement cannot be true for an order; null if it can be. `seen`: quotes during the
 * order's life, if all of it was watched. Rules on the order's own reserve and quantity are part of the order machine
 * (`brokenRule`); these here may change without making a journal unreadable.
 */
export function implausibility(order: Order, settlement: Settlement, seen: PriceRange | null): string | null {
  const rule =
    brokenAmounts(order.terms, settlement) ??
    brokenLimit(order.terms, settlement) ??
    (seen && brokenBand(settlement, seen));
  return rule === null ? null : `its settlement cannot be: ${rule}; ${valuesOf(order.terms, settlement)}`;
}

/** Amounts of a settlement, in wads: shares and mUSD moved, the notional before fees, and the stated fees. */
export type SettledAmounts = Readonly<{ quantity: bigint; money: bigint; notional: bigint; fees: bigint }>;

export function settledAmounts(
  { side }: OrderTerms,
  { pay, receive, mintFee, protocolFee }: Settlement,
): SettledAmounts {
  const fees = mintFee + protocolFee;
  return side === 'buy'
    ? { quantity: receive, money: pay, notional: pay - fees, fees }
    : { quantity: pay, money: receive, notional: receive + fees, fees };
}

/**
 * The same with all fees, stated or not: any money paid beyond, or missing from, shares times price was a fee too. The
 * price of several executions is rounded to a tick, and a share count to the sixth decimal: such rounding is not a fee.
 */
export function amountsWithFees(terms: OrderTerms, settlement: Settlement): SettledAmounts {
  const stated = settledAmounts(terms, settlement);
  const { quantity, notional, fees } = stated;
  const { price } = settlement;
  const worth = notionalOf(shares(quantity), price, 'down');
  const taken = terms.side === 'buy' ? notional - worth : worth - notional;
  const rounding = (quantity * tickOf(price) + DUST * price) / WAD + 2n * DUST;
  return taken <= rounding ? stated : { ...stated, notional: worth, fees: fees + taken };
}

/** True if shares times price equal the notional before the stated fees, within a thousandth. */
export function addsUp(terms: OrderTerms, settlement: Settlement): boolean {
  const { quantity, notional } = settledAmounts(terms, settlement);
  const worth = notionalOf(shares(quantity), settlement.price, 'down');
  return apart(notional, worth) <= worth / ADDS_UP_PART + DUST;
}

function brokenAmounts(terms: OrderTerms, settlement: Settlement): string | null {
  const { quantity, money, notional, fees } = settledAmounts(terms, settlement);
  const { price } = settlement;
  if (price <= 0n) return 'it has no price';
  if (fees < 0n || fees > money / SLACK_PART + DUST)
    return 'its fees are more than a fortieth of what it moved';
  const worth = notionalOf(shares(quantity), price, 'down');
  // A share count is rounded too, to the sixth decimal, which counts at its price.
  const slack = worth / SLACK_PART + DUST + (DUST * price) / WAD;
  if (apart(notional, worth) <= slack) return null;
  if (quantity === 0n || money === 0n) return 'it took something and gave nothing, or the other way';
  return `what it paid and what it received do not agree with its price (${formatDecimal(worth)} mUSD at it)`;
}

/** Checks the limit price with a tolerance of one tick, since the average price of several executions is rounded. */
function brokenLimit(terms: OrderTerms, { price }: Settlement): string | null {
  if (terms.type !== 'limit') return null;
  const tick = terms.price >= WAD ? stepOf(2) : stepOf(4);
  if (terms.side === 'buy' && price > terms.price + tick) return 'a buy filled above its limit';
  return terms.side === 'sell' && price < terms.price - tick ? 'a sell filled below its limit' : null;
}

function brokenBand({ price }: Settlement, { low, high }: PriceRange): string | null {
  if (price >= low - low / BAND_PART && price <= high + high / BAND_PART) return null;
  return `its price is more than a fifth beyond every quote while the order lived (${formatDecimal(low)} to ${formatDecimal(high)})`;
}

function valuesOf(terms: OrderTerms, settlement: Settlement): string {
  const { quantity, money, fees } = settledAmounts(terms, settlement);
  const { symbol, side } = terms;
  const verb = side === 'buy' ? 'paid' : 'received';
  return (
    `${verb} ${formatDecimal(money)} mUSD for ${formatDecimal(quantity)} ${symbol} ` +
    `at ${formatDecimal(settlement.price)}, fees ${formatDecimal(fees)}`
  );
}

const apart = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);
