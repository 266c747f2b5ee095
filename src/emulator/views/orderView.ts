import { toSeconds } from '../../core/brand.ts';
import { CHAIN_ID, PRODUCT, type OrderWord } from '../state/constants.ts';
import type { Hex, Mapping, Order, OrderChange, Settlement } from '../state/state.ts';
import { formatDecimal, parseDecimal, price } from '../../core/amount.ts';

/** Fields of a link that the indexer has filled in so far. */
type Filled = Readonly<{ status: string; orderId: Hex | null; operationId: Hex | null }>;

/** The link from a transaction to its API key. `createTime` in Unix seconds. */
export const linkView = (mapping: Mapping, { status, orderId, operationId }: Filled) => ({
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

const SIDES = { buy: 'Buy', sell: 'Sell' } as const;
const TYPES = { market: 'Market', limit: 'Limit' } as const;

/**
 * An order as the indexer shows it: `change` is the last that it has seen of it, null for none. The transaction of a link
 * may hold no order that the contracts understand, or be unknown.
 */
export type ShownOrder = Readonly<{
  order: Order | null;
  mapping: Mapping;
  change: OrderChange | null;
  word: OrderWord;
  /** Id of the deposit that came with it. */
  operationId: Hex | null;
}>;

/** Its `orderId` is filled in once the indexer has seen the order. */
export const orderLink = ({ order, mapping, change, word, operationId }: ShownOrder) => {
  const orderId = (change && order?.orderId) ?? null;
  return linkView(mapping, { status: word, orderId, operationId: orderId && operationId });
};

/** Amounts that an order does not have are "0", as every amount of it is a text (spec, "Order, open"). */
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

/** The settlement as the venue shows it, where it lies about the figures. */
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

/** The order while it is open, or once it has settled; neither before the indexer has seen it, or after a revert. */
const sidesOf = ({ order, change }: ShownOrder) => ({
  openOrder: order && change?.raw ? { ...termsOf(order, order.reserve), status: change.raw } : null,
  historyOrder: order && change ? settledSide(order, change) : null,
});

/** An order that settles in parts is on both sides until the last. */
function settledSide(order: Order, { raw, word, told }: OrderChange) {
  const settlement = told ?? (raw ? null : order.settlement);
  return settlement && historyOf(order, falsified(order, settlement), word);
}

/** A row of `GET /orders`. */
export const rowOf = (shown: ShownOrder) => ({ ...orderLink(shown), ...sidesOf(shown) });

/** The answer of `GET /orders/{orderId}` and `GET /orders/tx/{txHash}`. */
export const detailOf = (shown: ShownOrder) => {
  const mapping = orderLink(shown);
  const orderStatus = mapping.orderId === null ? null : mapping.status;
  return { mappingStatus: mapping.status, orderStatus, mapping, ...sidesOf(shown) };
};
