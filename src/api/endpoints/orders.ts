import { z } from 'zod';
import { sent, withDepositFields } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { calldataEndpoint, recordTxEndpoint, READ, SEND } from './kinds.ts';
import { orderView, calldata } from '../views.ts';
import { pageOf, pageQuery, wire } from '../wire.ts';

/** 32 bytes in hex, with or without `0x`. */
const orderPath = z.strictObject({ orderId: z.string().regex(/^(0x)?[0-9a-fA-F]{64}$/) });

/**
 * One open or settled order by its on-chain id. Not found until the indexer has seen its transaction.
 *
 * Source: venue specification, "Orders"; the shape of the answer is assumed.
 *
 * @example
 * const { openOrder, historyOrder } = await client.order({ path: { orderId } });
 */
export const order = defineEndpoint({
  ...READ,
  path: '/api/v1/orders/{orderId}',
  params: orderPath,
  response: orderView,
});

export type OrderRequest = RequestOf<typeof order>;
export type OrderResponse = ResponseOf<typeof order>;

/**
 * Orders linked to this API key, newest first. A row may be only the link to a transaction: `order` then
 * has the rest.
 *
 * Source: venue specification, "Orders"; wrapper, order and fields of the rows are assumed.
 *
 * @example
 * const { total, rows } = await client.orders({ query: { page: 1, limit: 100 } });
 */
export const orders = defineEndpoint({
  ...READ,
  path: '/api/v1/orders',
  polled: true,
  query: pageQuery,
  response: pageOf(orderView),
});

export type OrdersRequest = RequestOf<typeof orders>;
export type OrdersResponse = ResponseOf<typeof orders>;

/**
 * The order of a transaction that this API key has recorded. "Not found" only means
 * that the indexer has not seen it yet.
 *
 * Source: venue specification, "Orders"; the shape of the answer is assumed.
 *
 * @example
 * const view = await client.orderByTx({ path: { txHash } });
 */
export const orderByTx = defineEndpoint({
  ...READ,
  path: '/api/v1/orders/tx/{txHash}',
  params: z.strictObject({ txHash: wire.hash }),
  response: orderView.nullish(),
});

export type OrderByTxRequest = RequestOf<typeof orderByTx>;
export type OrderByTxResponse = ResponseOf<typeof orderByTx>;

const orderBody = z.strictObject({
  /** Stock token. */
  stockAddress: wire.ownAddress,
  side: z.enum(['Buy', 'Sell']),
  type: z.enum(['Market', 'Limit']),
  /** Shares, above 0, at most 18 decimals: for a limit order or a market sell. */
  quantity: wire.amount.optional(),
  /** mUSD, above 0, at most 18 decimals: for a market buy. */
  notional: wire.amount.optional(),
  /** mUSD a share, above 0: for a limit order. */
  price: wire.amount.optional(),
  /** Required for a limit order; the venue accepts no other. */
  timeInForce: z.literal('DAY').optional(),
  /** Last second at which the transaction may be mined: Unix seconds, at most 4294967295. */
  deadline: wire.deadline,
  /** True only with `Sell`, and only for addresses that the venue has listed for deferred sells. */
  deferred: z.boolean().optional(),
});

/** Terms that depend on the kind of order. */
const TERMS = ['quantity', 'notional', 'price', 'timeInForce'] as const;

/**
 * Refuses an order that lacks a field required for its kind, as the venue would, and one with a field of another kind:
 * a market order with a price is a mistyped limit order.
 */
function checkOrder(order: z.output<typeof orderBody>, context: z.RefinementCtx<typeof order>): void {
  const { side, type, deferred } = order;
  const isMarket = type === 'Market';
  const size = isMarket && side === 'Buy' ? 'notional' : 'quantity';
  const kind = isMarket ? `a market ${side.toLowerCase()}` : 'a limit order';
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  for (const term of TERMS) {
    const belongs = term === size || (!isMarket && term !== 'notional');
    if (belongs && order[term] === undefined) refuse(`${term} is missing: ${kind} needs it`);
    // The only time in force has no meaning for a market order, and does no harm.
    if (!belongs && term !== 'timeInForce' && order[term] !== undefined)
      refuse(`${term} does not go with ${kind}`);
  }
  if (deferred && side === 'Buy') refuse('deferred is only for a Sell');
}

/**
 * Places an order through One Click, for the user bound to the key. Never repeated.
 *
 * Units: `quantity` in shares, `notional` in mUSD, `price` in mUSD a share, `deadline` (the last moment at which the
 * transaction may be mined) in Unix seconds. Too little balance is not refused: the transaction is mined and reverts.
 *
 * Fails with `NotSentError` before anything is sent, `UnreachableError` when nothing left this machine,
 * `VenueRefusedError` for a documented refusal, `UnauthorizedError`, and `OutcomeUnknownError` otherwise: the order may
 * then exist, and only the order list can show whether it does.
 *
 * Source: venue specification, "Order body"; the wrapper of the answer is assumed.
 *
 * @example
 * const { txHash } = await client.orderSend(
 *   { body: { stockAddress, side: 'Buy', type: 'Limit', quantity: '2', price: '190.25', timeInForce: 'DAY' } },
 *   gate,
 * );
 */
export const orderSend = defineEndpoint({
  ...SEND,
  path: '/api/v1/orders/send',
  body: orderBody.extend({ gasLimit: wire.gasLimit.optional() }).superRefine(checkOrder),
  deadlineIn: 'body',
  response: sent,
});

export type OrderSendRequest = RequestOf<typeof orderSend>;
export type OrderSendResponse = ResponseOf<typeof orderSend>;

/**
 * The transaction that places an order, for the wallet to sign and submit; `orderRecordTx` then links it to
 * the key. Changes nothing by itself.
 *
 * Units as in `orderSend`. Fails with `NotSentError` before anything is sent, and with `VenueRefusedError`
 * for whatever the venue refuses: a market order outside the regular session, a deferred sell that is not
 * allowed, an expired deadline.
 *
 * Source: venue specification, "Order body".
 *
 * @example
 * const { toAddress, callData } = await client.orderCalldata({
 *   body: { stockAddress, side: 'Sell', type: 'Market', quantity: '1.5', deadline },
 * });
 */
export const orderCalldata = calldataEndpoint('/api/v1/orders/calldata', orderBody.superRefine(checkOrder));

export type OrderCalldataRequest = RequestOf<typeof orderCalldata>;
export type OrderCalldataResponse = ResponseOf<typeof orderCalldata>;

/** An order with its deposit, which is never deferred. */
const depositOrderBody = orderBody.omit({ deferred: true }).extend(withDepositFields);

/** Checks like `checkOrder`, and that a buy, but not a sell, names its cash token. */
function checkDepositOrder(
  order: z.output<typeof depositOrderBody>,
  context: z.RefinementCtx<z.output<typeof depositOrderBody>>,
): void {
  checkOrder(order, context);
  if (order.side === 'Buy' && order.tokenAddress === undefined)
    context.addIssue({ code: 'custom', message: 'tokenAddress is missing: a buy deposits a cash token' });
  if (order.side === 'Sell' && order.tokenAddress !== undefined)
    context.addIssue({
      code: 'custom',
      message: 'tokenAddress does not go with a sell: it deposits its stock',
    });
}

/**
 * Deposits from the wallet and places an order with it, through One Click, for the user bound to the key.
 * Never repeated.
 *
 * Units: `tokenAmount` in whole units of the deposited token, the rest as in `orderSend`. A buy needs the
 * wallet's allowance of its cash token and an amount small enough for an instant deposit; a sell, allowance and
 * balance of the stock. Without them the transaction is mined and reverts. Fails like `orderSend`.
 *
 * Source: venue specification, "Orders", rule 4; the body and the wrapper of the answer are assumed.
 *
 * @example
 * const { txHash } = await client.orderWithDepositSend(
 *   { body: { stockAddress, side: 'Sell', type: 'Market', quantity: '1.5', tokenAmount: '1.5' } },
 *   gate,
 * );
 */
export const orderWithDepositSend = defineEndpoint({
  ...SEND,
  path: '/api/v1/orders/with-deposit/send',
  body: depositOrderBody.extend({ gasLimit: wire.gasLimit.optional() }).superRefine(checkDepositOrder),
  deadlineIn: 'body',
  response: sent,
});

export type OrderWithDepositSendRequest = RequestOf<typeof orderWithDepositSend>;
export type OrderWithDepositSendResponse = ResponseOf<typeof orderWithDepositSend>;

/**
 * The transaction that deposits from the wallet and places an order with it. Changes nothing by itself.
 *
 * Units: `tokenAmount` in whole units of the deposited token, the rest as in `orderSend`. A buy needs the
 * wallet's allowance of its cash token and an amount small enough for an instant deposit; a sell, allowance and
 * balance of the stock.
 *
 * Source: venue specification, "Orders", rule 4; the body is assumed.
 *
 * @example
 * const { callData } = await client.orderWithDepositCalldata({
 *   body: { stockAddress, side: 'Buy', type: 'Market', notional: '50', tokenAddress, tokenAmount: '51', deadline },
 * });
 */
export const orderWithDepositCalldata = calldataEndpoint(
  '/api/v1/orders/with-deposit/calldata',
  depositOrderBody.superRefine(checkDepositOrder),
);

export type OrderWithDepositCalldataRequest = RequestOf<typeof orderWithDepositCalldata>;
export type OrderWithDepositCalldataResponse = ResponseOf<typeof orderWithDepositCalldata>;

/**
 * Links an order transaction that the wallet has submitted itself to this key. A repeated request with the same
 * key gives the same link; a hash that another key has recorded is refused.
 *
 * Source: venue specification, "Orders"; the answer is assumed.
 *
 * @example
 * const link = await client.orderRecordTx({ body: { txHash } });
 */
export const orderRecordTx = recordTxEndpoint('/api/v1/orders/tx');

export type OrderRecordTxRequest = RequestOf<typeof orderRecordTx>;
export type OrderRecordTxResponse = ResponseOf<typeof orderRecordTx>;

/**
 * Cancels an open limit order of this key through One Click. Never repeated: it has the same outcomes as placing one.
 *
 * Source: venue specification, "Orders", rule 3; the wrapper of the answer is assumed.
 *
 * @example
 * const { txHash } = await client.orderCancelSend({ path: { orderId } }, gate);
 */
export const orderCancelSend = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/orders/{orderId}/send',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'cancel',
  params: orderPath,
  query: z.strictObject({ deadline: wire.deadline }),
  deadlineIn: 'query',
  response: sent,
});

export type OrderCancelSendRequest = RequestOf<typeof orderCancelSend>;
export type OrderCancelSendResponse = ResponseOf<typeof orderCancelSend>;

/**
 * The transaction that cancels an open limit order of this key, for the wallet to sign and submit. Changes
 * nothing by itself.
 *
 * `deadline` in Unix seconds. Fails with `VenueRefusedError` for an order that is not open, not a limit
 * order or not this key's.
 *
 * Source: venue specification, "Orders", rule 3.
 *
 * @example
 * const { callData } = await client.orderCancelCalldata({ path: { orderId }, query: { deadline } });
 */
export const orderCancelCalldata = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/orders/{orderId}/calldata',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'cancel',
  params: orderPath,
  query: z.strictObject({ deadline: wire.deadline }),
  response: calldata,
});

export type OrderCancelCalldataRequest = RequestOf<typeof orderCancelCalldata>;
export type OrderCancelCalldataResponse = ResponseOf<typeof orderCancelCalldata>;
