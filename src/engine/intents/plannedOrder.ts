import { formatDecimal } from '../../core/amount.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { lackCode, type EndReason } from '../../domain/orders/endCode.ts';
import {
  assetOf,
  isInDoubt,
  isUnanswered,
  reserveFor,
  type Order,
  type OrderId,
} from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { OrderTerms, Side } from '../../domain/venue.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { windowOf } from '../state/tradingWindow.ts';

/** The next order of an intent, before it is planned. A backtest builds every order here, so a spread would cost time. */
export function orderOf(context: EngineContext, intent: OrderIntent, terms: OrderTerms): Order {
  const { accountState, costOf, now } = context;
  const { id: intentId, strategyId, reason, tag, parent } = intent;
  const order: Order = {
    id: `${intentId}.${(accountState.attempts.get(intentId) ?? 0) + 1}` as OrderId,
    intentId,
    strategyId,
    terms,
    reserve: reserveFor(terms, costOf),
    reason,
    plannedAt: now,
    state: { kind: 'planned' },
    cancel: { kind: 'none' },
  };
  const tagged = tag === undefined ? order : { ...order, tag };
  const full = parent ? { ...tagged, parent } : tagged;
  const window = context.rules.trade ? windowOf(context, intent) : undefined;
  return window?.phase ? { ...full, until: window.close } : full;
}

/**
 * Order of the same symbol and side that must be resolved first: an unknown one, or a buy with an unconfirmed end. The
 * shares of such a sell stay reserved, so it does not block other sells of free shares.
 */
export const orderAhead = ({ accountState }: EngineContext, symbol: Ticker, side: Side): Order | undefined =>
  accountState.open
    .inSymbol(symbol)
    .find((order) => order.terms.side === side && (blocks(order) || order.state.kind === 'planned'));

const blocks = (order: Order): boolean =>
  order.terms.side === 'buy' ? isInDoubt(order) : isUnanswered(order);

/** Money or shares that the ledger lacks for an order; undefined if it has enough. */
export function lackFor(
  { accountState }: EngineContext,
  order: Pick<Order, 'strategyId' | 'reserve' | 'terms'>,
): EndReason | undefined {
  const { strategyId, reserve } = order;
  const asset = assetOf(order);
  const free = accountState.ledger.balance(strategyId, 'free', asset);
  if (free >= reserve) return undefined;
  const why = `needs ${formatDecimal(reserve)} ${asset}, has ${formatDecimal(free)} free`;
  return { code: lackCode(asset), why };
}
