/**
 * Money of an order: what it locks when it is mined and what its end moves.
 *
 * A buy's fees come on top: 10 bps mint fee and 1 bp protocol fee. A sell pays 1 bp protocol fee out of its proceeds. Amounts of a
 * settlement may be off by the last digits: no rounding is documented.
 */
import { bpsOf, near, textOf, valueOf } from './amount.js';
import { CASH } from './account.js';
import type { OrderTerms } from './orderRules.js';

const BUY_MINT_BPS = 10n;
const BUY_PROTOCOL_BPS = 1n;
const SELL_PROTOCOL_BPS = 1n;

export type EndStatus = 'Filled' | 'Canceled' | 'Expired' | 'Rejected';

/** An order's end as the venue reported it, amounts in 10⁻¹⁸. */
export interface ReportedEnd {
  readonly status: EndStatus;
  readonly filled: bigint;
  readonly price: bigint;
  readonly pay: bigint;
  readonly receive: bigint;
  readonly mintFee: bigint;
  readonly protocolFee: bigint;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface Lock {
  readonly asset: string;
  readonly amount: bigint;
}

/** Computes what a mined order locks: a buy its notional and fees, a sell its shares. */
export const lockOf = (terms: OrderTerms): Lock => {
  if (terms.side === 'Sell') return { asset: terms.stock.symbol, amount: terms.quantity };
  const value = terms.type === 'Market' ? terms.notional : valueOf(terms.quantity, terms.price);
  return { asset: CASH, amount: value + bpsOf(value, BUY_MINT_BPS) + bpsOf(value, BUY_PROTOCOL_BPS) };
};

const unlike = (name: string, reported: bigint, expected: bigint) =>
  near(reported, expected) ? [] : [`${name} is ${textOf(reported)}, expected ${textOf(expected)}`];

const buyDifferences = (terms: OrderTerms, end: ReportedEnd): readonly string[] => {
  const wholeNotional = terms.type === 'Market' && end.status === 'Filled';
  const value = wholeNotional ? terms.notional : valueOf(end.filled, end.price);
  const mint = bpsOf(value, BUY_MINT_BPS);
  const protocol = bpsOf(value, BUY_PROTOCOL_BPS);
  // The shares of a notional are cut after eighteen digits: their value may be short by one digit's price.
  const lostDigits = valueOf(1n, end.price) + 4n;
  const gap = value - valueOf(end.filled, end.price);
  return [
    ...(gap < -lostDigits || gap > lostDigits
      ? [`${textOf(end.filled)} shares at ${textOf(end.price)} are not worth ${textOf(value)}`]
      : []),
    ...unlike('settlePay', end.pay, value + mint + protocol),
    ...unlike('settleReceive', end.receive, end.filled),
    ...unlike('mintFee', end.mintFee, mint),
    ...unlike('protocolFee', end.protocolFee, protocol),
  ];
};

const sellDifferences = (end: ReportedEnd): readonly string[] => {
  const value = valueOf(end.filled, end.price);
  const protocol = bpsOf(value, SELL_PROTOCOL_BPS);
  return [
    ...unlike('settlePay', end.pay, end.filled),
    ...unlike('settleReceive', end.receive, value - protocol),
    ...unlike('mintFee', end.mintFee, 0n),
    ...unlike('protocolFee', end.protocolFee, protocol),
  ];
};

const fillDifferences = (terms: OrderTerms, end: ReportedEnd): readonly string[] => {
  const beyondLimit =
    terms.type === 'Limit' && (terms.side === 'Buy' ? end.price > terms.price : end.price < terms.price);
  const wholeQuantity = terms.type === 'Limit' || terms.side === 'Sell';
  return [
    ...(beyondLimit ? [`filled at ${textOf(end.price)}, beyond its limit ${textOf(terms.price)}`] : []),
    ...(wholeQuantity && end.filled > terms.quantity ? ['filled more than its quantity'] : []),
    ...(wholeQuantity && end.status === 'Filled' && end.filled !== terms.quantity
      ? [`Filled with ${textOf(end.filled)} of ${textOf(terms.quantity)}`]
      : []),
    ...(terms.side === 'Buy' ? buyDifferences(terms, end) : sellDifferences(end)),
  ];
};

/** Lists where the amounts of an end contradict its order's terms and the fees. */
export const settlementDifferences = (terms: OrderTerms, end: ReportedEnd): readonly string[] => {
  if (end.filled > 0n) return fillDifferences(terms, end);
  const moved = end.pay !== 0n || end.receive !== 0n || end.mintFee !== 0n || end.protocolFee !== 0n;
  return [
    ...(moved ? ['money moved without a fill'] : []),
    ...(end.status === 'Filled' ? ['Filled without a fill'] : []),
  ];
};
