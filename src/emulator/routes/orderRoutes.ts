import { submit, type Submission } from '../chain.ts';
import type { Call } from '../call.ts';
import { indexedUntil, visibleChange } from '../indexer.ts';
import { detailOf, rowOf, type Sight } from '../orderView.ts';
import { against, invalid, notFound, undelegated } from '../refusal.ts';
import type { Account, Mapping } from '../state.ts';
import { checkDeadline, checkOrder } from '../tradingRules.ts';
import { accountOf, indexMapping, orderOfTx } from '../world.ts';
import { pageOf, parseBody, queryDeadline } from './fields.ts';
import { callOf, orderBody, wishOf } from './orderWish.ts';
import type { Context, Handler, Route } from './route.ts';

/** The account that a `/send` acts for: its wallet has allowed it. */
function delegator({ world, key }: Context): Account {
  const account = accountOf(world, key.userAddress);
  if (account.delegation.status !== 'enable')
    throw undelegated('One Click delegation is not enabled for the userAddress of this key');
  return account;
}

/** What every delegated send answers. */
const sent = (uuid: string, txHash: string): string => JSON.stringify({ uuid, txHash });

const send: Handler = (context) => {
  const { world, now, key, uuid } = context;
  const body = parseBody(orderBody, context);
  const wish = wishOf(body);
  const listing = world.listings.get(body.stockAddress.toUpperCase());
  if (!listing) throw invalid('stockAddress must be the contract of a listed stock token');
  checkOrder(world, { wish, body, listing }, now);
  const submission: Submission = {
    account: delegator(context),
    call: callOf(wish, body),
    gasLimit: body.gasLimit ?? 0,
  };
  const { hash: txHash } = submit(world, submission, now);
  const mapping: Mapping = { apiKey: key.apiKey, txHash, createdAt: now };
  world.state.mappings.push(mapping);
  indexMapping(world, mapping);
  return sent(uuid, txHash);
};

const sightOf = ({ world, now }: Context, mapping: Mapping): Sight => {
  const order = orderOfTx(world, mapping.txHash);
  return { order, mapping, change: visibleChange(order, indexedUntil(world.state, now)) };
};

/** Rows as text, each as long as the indexer shows the same of its order. */
const rows = new WeakMap<Mapping, { change: Sight['change']; text: string }>();

function rowText(sight: Sight): string {
  const known = rows.get(sight.mapping);
  if (known && known.change === sight.change) return known.text;
  const text = JSON.stringify(rowOf(sight));
  rows.set(sight.mapping, { change: sight.change, text });
  return text;
}

/** Newest first. Rows of one instant stand in the opposite order of sending. */
const list: Handler = (context) => {
  const { page, limit } = pageOf(context);
  const mappings = context.world.mappingsByKey.get(context.key.apiKey) ?? [];
  const end = Math.max(mappings.length - (page - 1) * limit, 0);
  const shown = mappings.slice(Math.max(end - limit, 0), end).reverse();
  const texts = shown.map((mapping) => rowText(sightOf(context, mapping)));
  return `{"total":${mappings.length},"rows":[${texts.join(',')}]}`;
};

/** What this key may see of the order of a transaction, once the indexer has seen it. */
function indexed(context: Context, txHash: string | undefined): Sight {
  const mapping = context.world.mappings.get(txHash ?? '');
  const sight = mapping?.apiKey === context.key.apiKey ? sightOf(context, mapping) : null;
  if (!sight?.change) throw notFound('order not found');
  return sight;
}

const byTx: Handler = (context) =>
  JSON.stringify(detailOf(indexed(context, context.path['txHash']?.toLowerCase())));

function byId(context: Context): Sight {
  const id = (context.path['orderId'] ?? '').toLowerCase().replace(/^0x/, '');
  if (!/^[0-9a-f]{64}$/.test(id)) throw invalid('orderId must be 32 bytes in hex');
  const sight = indexed(context, context.world.orders.get(`0x${id}`)?.txHash);
  if (sight.change?.word === 'Failed') throw notFound('order not found');
  return sight;
}

const detail: Handler = (context) => JSON.stringify(detailOf(byId(context)));

/** What must hold of an order for its cancel, as far as the venue's own view goes (spec, "Orders", rule 3). */
function checkCancel({ order, change }: Sight): void {
  if (order.type !== 'limit') throw against('only limit orders can be cancelled: this is a market order');
  if (!change?.raw) throw against('order is not open');
  if (order.canceling) throw against('order is already canceling');
}

const cancel: Handler = (context) => {
  const { world, now, uuid } = context;
  const deadline = queryDeadline(context);
  const sight = byId(context);
  checkDeadline(deadline, now);
  checkCancel(sight);
  const account = delegator(context);
  const { order } = sight;
  const call: Call = { kind: 'cancelLimitOrder', orderId: order.orderId, deadline };
  const { hash } = submit(world, { account, call, gasLimit: 0 }, now);
  order.canceling = true;
  return sent(uuid, hash);
};

export const orderRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/v1/orders', handle: list },
  { method: 'GET', path: '/api/v1/orders/tx/{txHash}', handle: byTx },
  { method: 'GET', path: '/api/v1/orders/{orderId}', handle: detail },
  { method: 'POST', path: '/api/v1/orders/send', handle: send },
  { method: 'DELETE', path: '/api/v1/orders/{orderId}/send', handle: cancel },
];
