import { sideOf as sideOfIntent } from '../intents/sizing.ts';
import type { Orders } from '../../strategy/contract.ts';
import { filledBy, type SyntheticState } from '../../domain/orders/syntheticOrder.ts';
import type { Ticker } from '../../domain/instrument.ts';
import {
  latestOrder,
  type IntentRefusal,
  type OrderCall,
  type OrderIntent,
} from '../../domain/orders/orderIntent.ts';
import type { Side } from '../../domain/venue.ts';
import type { HeldTiming, TargetSize, Timing } from '../../strategy/orderTerms.ts';
import { isTag } from '../intents/terms.ts';
import type { EngineContext } from '../state/engineContext.ts';

const PROTECTIVE: ReadonlySet<OrderCall> = new Set(['stop', 'trail', 'oco']);

/** A call of `order` for one stock, with the fields common to all calls. */
export type Call = Readonly<{
  call: OrderCall;
  side: Side;
  symbol: string;
  timing: Timing & HeldTiming;
  reason: string | undefined;
}>;

/** Side of a call that may override its usual side. Its terms are checked later. */
export const sideOf = (terms: Readonly<{ side?: Side }> | null, usual: Side): Side =>
  terms?.side === 'buy' || terms?.side === 'sell' ? terms.side : usual;

/** Side shown for a refused target. */
export const sideTowards = (size: TargetSize): Side =>
  Object.values(size).some((value) => Number(value) === 0) ? 'sell' : 'buy';

/** Records and reports a refused call of a strategy, as an alarm if shares are left without the requested exit. */
export function recordRefusal(
  context: EngineContext,
  { call, side, symbol, timing }: Call,
  { strategyId, ...refusal }: Pick<IntentRefusal, 'id' | 'strategyId' | 'code' | 'why' | 'reason'>,
): void {
  const what = `order.${call}${symbol === '' ? '' : ` of ${symbol}`}`;
  const why = refusal.why.startsWith(`${what}: `) ? refusal.why.slice(what.length + 2) : refusal.why;
  const of = { strategyId, symbol: symbol as Ticker };
  context.record({
    kind: 'intentRefused',
    ...of,
    ...refusal,
    call,
    side,
    why,
    ...(isTag(timing.tag) ? { tag: timing.tag } : {}),
  });
  if (!context.countDrop(of, why)) return;
  const isHeld = context.accountState.ledger.held(strategyId, of.symbol) > 0n;
  const isOpen = PROTECTIVE.has(call) && refusal.code !== 'NO_SHARES' && isHeld;
  const isUnsaid = refusal.code === 'REST_UNSAID';
  const risk = isOpen ? ': what it was to protect is held without it' : '';
  context.notify(isOpen || isUnsaid ? 'alarm' : 'decision', `${what}: refused, ${why}${risk}`, {
    code: isUnsaid ? 'REBALANCE_REFUSED' : 'PROTECTION_REFUSED',
    strategyId,
    symbol: of.symbol,
  });
}

/** Stock and side of a strategy's order by id, even if it ended recently. The stock is empty if the id is unknown. */
export function placeOf(context: EngineContext, id: string): Readonly<{ symbol: string; side: Side }> {
  const { intents, synthetics } = context.accountState;
  const order = latestOrder(context.accountState, id)?.terms;
  const symbol = order?.symbol ?? intents.get(id)?.symbol ?? synthetics.live.get(id)?.order.symbol ?? '';
  const terms = intents.get(id)?.terms;
  return { symbol, side: order?.side ?? (terms?.kind === 'limit' ? terms.side : 'sell') };
}

/** Orders to cancel by a call of `order.cancel`. */
export type Filter = Parameters<Orders['cancel']>[0];

/** True for an intent that a filter matches; an id also matches the order that will replace its order. */
export function isNamed(context: EngineContext, intent: OrderIntent, which: Filter): boolean {
  if (typeof which === 'string')
    return intent.id === which || context.accountState.filledByIntent.openSuccessorOf(which) === intent.id;
  return (
    (which.symbol === undefined || intent.symbol === which.symbol) &&
    (which.side === undefined || sideOfIntent(context, intent) === which.side)
  );
}

/** True for an order that a filter matches. A bracket is a buy while its entry may buy, and a sell once it has bought. */
export function isMeant(state: SyntheticState, which: Filter): boolean {
  const { id, symbol, terms } = state.order;
  if (typeof which === 'string') return id === which;
  if (which.symbol !== undefined && symbol !== which.symbol) return false;
  if (which.side === undefined) return true;
  if (terms.kind === 'work') return terms.side === which.side;
  if (which.side === 'buy') return terms.kind === 'bracket' || terms.kind === 'stopBuy';
  return terms.kind !== 'stopBuy' && (terms.kind !== 'bracket' || filledBy(state, 'entry') > 0n);
}
