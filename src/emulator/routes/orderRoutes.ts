import { type EpochMs, toSeconds } from '../../core/brand.ts';
import type { Mapping, Order, OrderChange } from '../state/state.ts';
import { backfillOf } from '../views/backfill.ts';
import { falseEndOf } from '../views/falseEnds.ts';
import { indexedUntil, visibleChange, mappingsOf, type VenueState } from '../state/venueState.ts';
import { detailOf, orderLink, rowOf, type ShownOrder } from '../views/orderView.ts';
import { against, invalid, notFound } from '../state/messages.ts';
import { checkDeadline, checkOrder } from './tradingRules.ts';
import { boundUser, userOf, type Context, type Handler, type Routes } from './route.ts';
import { listOf, parseBody, pathId, queryDeadline, address, amount } from './fields.ts';
import {
  callOf,
  listingOfBody,
  orderBody,
  orderOf,
  type OrderBody,
  type OrderRequest,
} from './orderRequest.ts';
import {
  recordTx,
  answerCalldata,
  sendDelegated,
  sent,
  submitDelegated,
  type Prepare,
} from './submission.ts';
import { sameAddress } from '../../domain/instrument.ts';
import type { RouterCall } from '../state/calls.ts';
import { TOKEN_DECIMALS } from '../state/constants.ts';
import { DAY } from '../trading/orders.ts';
import { checkDeposit } from './transferRoutes.ts';

const prepare: Prepare = (context) => {
  const body = parseBody(orderBody, context);
  const order = orderOf(body);
  const listing = listingOfBody(context.venue, body);
  checkOrder(context.venue, { order, body, listing, user: userOf(context) }, context.now);
  return { call: callOf(order, body), gasLimit: body.gasLimit };
};

function shownOf({ venue, now }: Context, mapping: Mapping): ShownOrder {
  const until = indexedUntil(venue.state, now);
  const claimed = falseEndOf(venue.ordersByTx.get(mapping.txHash), mapping, now);
  if (claimed) return claimedSight(venue, mapping, claimed);
  const seen = backfillOf(venue, mapping, until);
  const order = venue.orders.get(seen?.orderId ?? '') ?? null;
  const change = order && visibleChange(order, until);
  const word = change?.word ?? (seen?.reverted ? 'Failed' : 'Pending');
  return { order, mapping, change, word, operationId: seen?.operationId ?? null };
}

/** The order as a fault claims it ended. A transaction shown as failed has no order; any other claim is about one. */
function claimedSight(venue: VenueState, mapping: Mapping, claimed: OrderChange): ShownOrder {
  const isFailed = claimed.word === 'Failed';
  const order = isFailed ? null : (venue.ordersByTx.get(mapping.txHash) ?? null);
  return { order, mapping, change: isFailed ? null : claimed, word: claimed.word, operationId: null };
}

/** Rows as text, reused as long as the indexer shows the same change of the order. */
const rows = new WeakMap<Mapping, Readonly<{ order: Order; change: OrderChange; text: string }>>();

function rowText(context: Context, mapping: Mapping, until: EpochMs): string {
  const known = rows.get(mapping);
  const isSame = known && context.venue.ordersByTx.get(mapping.txHash) === known.order;
  if (isSame && visibleChange(known.order, until) === known.change) return known.text;
  const shown = shownOf(context, mapping);
  const text = JSON.stringify(rowOf(shown));
  const { order, change } = shown;
  if (order && change && order.fate?.kind !== 'false-end') rows.set(mapping, { order, change, text });
  return text;
}

/** True for a link to a transaction that neither list nor node shows until it is mined. */
function isHidden({ transactions }: VenueState, { txHash }: Mapping): boolean {
  const { hidden, minedAt } = transactions.get(txHash) ?? {};
  return hidden === true && minedAt === null;
}

const list: Handler = (context) => {
  const { venue, key, now } = context;
  const until = indexedUntil(venue.state, now);
  const made = mappingsOf(venue, { apiKey: key.apiKey, type: 'trade' }).filter(
    (mapping) => !isHidden(venue, mapping),
  );
  return listOf(context, made, (mapping) => rowText(context, mapping, until));
};

/** The order of a transaction, if it belongs to this key and the indexer has seen it. */
function indexed(context: Context, txHash: string | undefined): ShownOrder {
  const mapping = context.venue.mappings.get(txHash ?? '');
  const known = mapping?.apiKey === context.key.apiKey && mapping.type === 'trade';
  const shown = known ? shownOf(context, mapping) : null;
  if (!shown || shown.word === 'Pending') throw notFound('order not found');
  return shown;
}

const byTx: Handler = (context) =>
  JSON.stringify(detailOf(indexed(context, context.path['txHash']?.toLowerCase())));

function byId(context: Context): ShownOrder {
  const shown = indexed(context, context.venue.orders.get(pathId(context, 'orderId'))?.txHash);
  if (shown.word === 'Failed') throw notFound('order not found');
  return shown;
}

const detail: Handler = (context) => JSON.stringify(detailOf(byId(context)));

/** True while a cancel is pending. If it is not mined by its deadline it never will be, and another may be sent. */
const isCanceling = ({ canceling, closing, cancelBy }: Order, now: EpochMs): boolean =>
  canceling && (closing !== null || cancelBy === null || toSeconds(now) <= cancelBy);

/** Checks whether an order can be cancelled, by the venue's own view (spec, "Orders", rule 3). */
const prepareCancel: Prepare = (context) => {
  const deadline = queryDeadline(context);
  boundUser(context);
  const { order, change } = byId(context);
  checkDeadline(deadline, context.now);
  if (order?.type !== 'limit') throw against('only limit orders can be cancelled: this is a market order');
  if (!change?.raw) throw against('order is not open');
  if (isCanceling(order, context.now)) throw against('order is already canceling');
  return { call: { kind: 'cancelLimitOrder', orderId: order.orderId, deadline } };
};

const cancel: Handler = (context) => {
  const prepared = prepareCancel(context);
  const txHash = submitDelegated(context, prepared);
  const { order } = byId(context);
  if (order) [order.canceling, order.cancelBy] = [true, queryDeadline(context)];
  return sent(context.uuid, txHash);
};

/** Body of an order with a deposit: a buy names its cash token, a sell deposits its stock. Amounts in whole units. */
const withDepositBody = orderBody.extend({
  tokenAddress: address.nullish(),
  tokenAmount: amount(TOKEN_DECIMALS),
});

type DepositFields = Readonly<{ tokenAmount: bigint; tokenAddress?: `0x${string}` | null | undefined }>;

/** Builds the call. Allowance, balance and whether the deposit is instant are checked on the chain. */
const prepareWithDeposit: Prepare = (context) => {
  const body = parseBody(withDepositBody, context);
  const order = orderOf(body);
  const listing = listingOfBody(context.venue, body);
  if (body.deferred) throw invalid('deferred must not be true with a deposit');
  checkOrder(context.venue, { order, body, listing, user: userOf(context) }, context.now);
  const call = order.side === 'Buy' ? buyCall(context, order, body) : sellCall(order, body);
  return { call, gasLimit: body.gasLimit };
};

function buyCall({ venue }: Context, order: OrderRequest, body: OrderBody & DepositFields): RouterCall {
  const { tokenAddress: depositToken, tokenAmount, stockAddress: stock, deadline } = body;
  if (!depositToken) throw invalid('tokenAddress is required for a buy');
  const depositAmount = checkDeposit(venue, { tokenAddress: depositToken, tokenAmount });
  const common = { depositToken, depositAmount, stock, deadline };
  if (order.type === 'Limit') {
    const { quantity, price } = order;
    return { kind: 'depositAndLimitBuy', ...common, quantity, price, tif: DAY };
  }
  if (!('notional' in order)) throw invalid('notional is required for a market buy');
  return { kind: 'depositAndMarketBuy', ...common, usdAmount: order.notional };
}

function sellCall(order: OrderRequest, body: OrderBody & DepositFields): RouterCall {
  const { tokenAddress, tokenAmount: depositAmount, stockAddress: stock, deadline } = body;
  if (tokenAddress && !sameAddress(tokenAddress, stock))
    throw invalid('tokenAddress must be the stock itself for a sell');
  if (depositAmount === 0n) throw invalid('tokenAmount must be greater than 0');
  if ('notional' in order) throw invalid('quantity is required for a market sell');
  const common = { stock, depositAmount, quantity: -order.quantity, deadline };
  if (order.type === 'Market') return { kind: 'depositStockAndMarketSell', ...common };
  return { kind: 'depositStockAndLimitSell', ...common, price: order.price, tif: DAY };
}

export const orderRoutes: Routes = {
  'GET /api/v1/orders': list,
  'GET /api/v1/orders/tx/{txHash}': byTx,
  'GET /api/v1/orders/{orderId}': detail,
  'POST /api/v1/orders/calldata': answerCalldata(prepare),
  'POST /api/v1/orders/send': sendDelegated('trade', prepare),
  'POST /api/v1/orders/tx': recordTx('trade', (context, mapping) => orderLink(shownOf(context, mapping))),
  'DELETE /api/v1/orders/{orderId}/calldata': answerCalldata(prepareCancel),
  'DELETE /api/v1/orders/{orderId}/send': cancel,
  'POST /api/v1/orders/with-deposit/calldata': answerCalldata(prepareWithDeposit),
  'POST /api/v1/orders/with-deposit/send': sendDelegated('trade', prepareWithDeposit),
};
