import { toSeconds } from '../../core/brand.ts';
import { CHAIN_ID, PRODUCT, type OrderWord } from '../state/constants.ts';
import type { Hex, Mapping, Order, OrderChange, Settlement } from '../state/state.ts';
import { formatDecimal, parseDecimal, price } from '../../core/amount.ts';

/** Fields of a link that the indexer has filled in so far. */
type OrderLink = Readonly<{ status: string; orderId: Hex | null; operationId: Hex | null }>;

/** The link from a transaction to its API key. `createTime` in Unix seconds. */
export const linkView = (mapping: Mapping, { status, orderId, operationId }: OrderLink) => ({
  txHash: mapping.txHash,
  operationType: mapping.type,
  status,
  orderId,
  operationId,
  chainId: CHAIN_ID,
  productType: PRODUCT,
  createTime: toSeconds(mapping.createdAt),
});

const amount = (wad: bigint | null): string => formatDecimal(wad ?? 0n);

export const SIDES = { buy: 'Buy', sell: 'Sell' } as const;
export const TYPES = { market: 'Market', limit: 'Limit' } as const;

/**
 * An order as the indexer shows it: `change` is the last one seen, or null. A link's transaction may be unknown, or
 * contain no order that the contracts understand.
 */
export type ShownOrder = Readonly<{
  order: Order | null;
  mapping: Mapping;
  change: OrderChange | null;
  word: OrderWord;
  /** Id of the deposit in the same transaction. */
  operationId: Hex | null;
}>;

/** The link of an order; its `orderId` is filled in once the indexer has seen the order. */
export const orderLink = ({ order, mapping, change, word, operationId }: ShownOrder) => {
  const orderId = (change && order?.orderId) ?? null;
  return linkView(mapping, { status: word, orderId, operationId: orderId && operationId });
};

/** Terms of an order. Missing amounts are "0", because every amount is a text (spec, "Order, open"). */
const termsOf = (order: Order, pay: bigint) => ({
  orderId: order.orderId,
  userAddress: order.userAddress,
  side: SIDES[order.side],
  type: TYPES[order.type],
  tif: 'DAY',
  symbol: order.symbol,
  placeNotional: amount(order.notional),
  placeQuantity: amount(order.quantity),
  pay: amount(pay),
  placePrice: amount(order.price),
  ...(order.deferred ? { deferred: true } : {}),
});

const historyOf = (order: Order, settlement: Settlement, word: OrderWord) => ({
  ...termsOf(order, order.reserve),
  status: word,
  settleTxHash: settlement.txHash,
  settlePrice: amount(settlement.price),
  settlePay: amount(settlement.pay),
  settleReceive: amount(settlement.receive),
  mintFee: amount(settlement.mintFee),
  protocolFee: amount(settlement.protocolFee),
});

/** The settlement as the venue shows it, where it falsifies the figures. */
function falsified({ fate }: Order, settlement: Settlement): Settlement {
  if (fate?.kind !== 'false-settlement') return settlement;
  const figure = (text: string | undefined, real: bigint) => (text === undefined ? real : parseDecimal(text));
  return {
    ...settlement,
    price: price(figure(fate.price, settlement.price)),
    pay: figure(fate.pay, settlement.pay),
    receive: figure(fate.receive, settlement.receive),
  };
}

/** The open order, or the settled one; neither before the indexer has seen it, or after a revert. */
const sidesOf = ({ order, change }: ShownOrder) => ({
  openOrder: order && change?.raw ? { ...termsOf(order, order.reserve), status: change.raw } : null,
  historyOrder: order && change ? settledSide(order, change) : null,
});

/** The settled order. One that settles in parts is also shown as open, until the last part. */
function settledSide(order: Order, { raw, word, told }: OrderChange) {
  const settlement = told ?? (raw ? null : order.settlement);
  return settlement && historyOf(order, falsified(order, settlement), word);
}

/** A row of `GET /orders`. */
export const rowOf = (shown: ShownOrder) => ({ ...orderLink(shown), ...sidesOf(shown) });

/** Response of `GET /orders/{orderId}` and `GET /orders/tx/{txHash}`. */
export const detailOf = (shown: ShownOrder) => {
  const mapping = orderLink(shown);
  const orderStatus = mapping.orderId === null ? null : mapping.status;
  return { mappingStatus: mapping.status, orderStatus, mapping, ...sidesOf(shown) };
};
