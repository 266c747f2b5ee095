/**
 * Money of an order: the lock when it is mined and the amounts moved at its end.
 *
 * A buy's fees come on top: 10 bps mint fee and 1 bp protocol fee. A sell pays 1 bp protocol fee out of its proceeds.
 * Amounts of a settlement may differ in the last digits: no rounding is documented.
 */
import { bpsOf, near, textOf, valueOf } from './amount.ts';
import { CASH } from './account.ts';
import type { OrderTerms } from './orderRules.ts';

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

/** Computes what a mined order locks: a buy its notional and fees, a sell its shares, a deferred sell nothing. */
export const lockOf = (terms: OrderTerms): Lock => {
  if (terms.deferred) return { asset: terms.stock.symbol, amount: 0n };
  if (terms.side === 'Sell') return { asset: terms.stock.symbol, amount: terms.quantity };
  const value = terms.type === 'Market' ? terms.notional : valueOf(terms.quantity, terms.price);
  return { asset: CASH, amount: value + bpsOf(value, BUY_MINT_BPS) + bpsOf(value, BUY_PROTOCOL_BPS) };
};

const unlike = (name: string, reported: bigint, expected: bigint) =>
  near(reported, expected) ? [] : [`${name} is ${textOf(reported)}, expected ${textOf(expected)}`];

/** Tolerance per share: the average price is shown to six places. */
const PRICE_STEP = 10n ** 12n;

/** Executed value before fees, computed from payment, proceeds and fees. */
const executedValue = (terms: OrderTerms, end: ReportedEnd): bigint =>
  terms.side === 'Buy'
    ? end.pay - end.mintFee - end.protocolFee
    : end.receive + end.mintFee + end.protocolFee;

const valueDifferences = (terms: OrderTerms, end: ReportedEnd): readonly string[] => {
  const value = executedValue(terms, end);
  const atPrice = valueOf(end.filled, end.price);
  const slack = valueOf(end.filled, PRICE_STEP) + valueOf(1n, end.price) + 4n;
  const atLimit = valueOf(end.filled, terms.price);
  const beyondLimit = terms.side === 'Buy' ? value > atLimit + 4n : value + 4n < atLimit;
  return [
    ...(value < atPrice - slack || value > atPrice + slack
      ? [`${textOf(end.filled)} shares at ${textOf(end.price)} are not worth ${textOf(value)}`]
      : []),
    ...(terms.type === 'Limit' && beyondLimit
      ? [`executed for ${textOf(value)}, beyond its limit of ${textOf(atLimit)}`]
      : []),
    ...(terms.type === 'Market' && terms.side === 'Buy'
      ? unlike('executed value', value, terms.notional)
      : []),
  ];
};

const feeDifferences = (terms: OrderTerms, end: ReportedEnd): readonly string[] => {
  const value = executedValue(terms, end);
  const buy = terms.side === 'Buy';
  return [
    ...unlike('mintFee', end.mintFee, buy ? bpsOf(value, BUY_MINT_BPS) : 0n),
    ...unlike('protocolFee', end.protocolFee, bpsOf(value, buy ? BUY_PROTOCOL_BPS : SELL_PROTOCOL_BPS)),
    ...(buy ? unlike('settleReceive', end.receive, end.filled) : unlike('settlePay', end.pay, end.filled)),
  ];
};

const fillDifferences = (terms: OrderTerms, end: ReportedEnd): readonly string[] => {
  const wholeQuantity = terms.type === 'Limit' || terms.side === 'Sell';
  return [
    ...(wholeQuantity && end.filled > terms.quantity ? ['filled more than its quantity'] : []),
    ...(wholeQuantity && end.status === 'Filled' && end.filled !== terms.quantity
      ? [`Filled with ${textOf(end.filled)} of ${textOf(terms.quantity)}`]
      : []),
    ...valueDifferences(terms, end),
    ...feeDifferences(terms, end),
  ];
};

/** Lists contradictions between the amounts of an end and the order's terms and fees. */
export const settlementDifferences = (terms: OrderTerms, end: ReportedEnd): readonly string[] => {
  if (end.filled > 0n) return fillDifferences(terms, end);
  const moved = end.pay !== 0n || end.receive !== 0n || end.mintFee !== 0n || end.protocolFee !== 0n;
  return [
    ...(moved ? ['money moved without a fill'] : []),
    ...(end.status === 'Filled' ? ['Filled without a fill'] : []),
  ];
};
