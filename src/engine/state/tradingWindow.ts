import { epochMs, type EpochMs } from '../../core/brand.ts';
import {
  DAY_READINGS,
  QUOTE_PHASES,
  type ExtendedPhase,
  type Instrument,
  type Ticker,
} from '../../domain/instrument.ts';
import type { Limits, TradingRules } from '../../domain/limits.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import { dayEnd } from '../../sim/dayEnd.ts';
import type { EngineContext } from './engineContext.ts';

/** Span in which an order may be sent. `phase`: the phase if it is outside the regular session; absent during it. */
export type TradingWindow = Readonly<{ open: EpochMs; close: EpochMs; phase?: ExtendedPhase }>;

/** Owner of an order, its stock, and the synthetic order that it belongs to. */
type Trader = Readonly<{ strategyId: string; symbol: Ticker; parent?: OrderIntent['parent'] | undefined }>;

/** Window in which an intent may be sent now; undefined if none. */
export const windowOf = (context: EngineContext, intent: OrderIntent): TradingWindow | undefined =>
  context.session ?? (intent.outside === 'limit' ? extendedWindow(context, intent, context.now) : undefined);

/** Start of the next window for an intent. */
export function nextWindow(context: EngineContext, intent: OrderIntent): EpochMs {
  const { calendar, now, rules } = context;
  const open = epochMs(calendar.nextSession(now).open);
  if (!rules.trade || intent.outside !== 'limit') return open;
  for (let at = calendar.phaseAt(now).nextChange; at < open; at = calendar.phaseAt(at).nextChange)
    if (extendedWindow(context, intent, at)) return at;
  return open;
}

/** Window for a trader now: the regular session, or a phase that the config, the stock and the synthetic order allow. */
export const windowFor = (context: EngineContext, trader: Trader): TradingWindow | undefined =>
  context.session ?? extendedWindow(context, trader, context.now);

function extendedWindow(context: EngineContext, trader: Trader, at: EpochMs): TradingWindow | undefined {
  if (!context.rules.trade) return undefined;
  const { phase, since, nextChange } = context.calendar.phaseAt(at);
  if (phase === 'closed' || phase === 'regular' || !trades(context, trader, phase)) return undefined;
  return { open: epochMs(since), close: nextChange, phase };
}

function trades(
  { rules: { trade }, market, accountState }: EngineContext,
  { strategyId, symbol, parent }: Trader,
  phase: ExtendedPhase,
): boolean {
  if (!trade || !(trade.strategies.get(strategyId) ?? trade.run).has(phase)) return false;
  const named = parent && accountState.synthetics.live.get(parent.id)?.order.phases;
  const { phases, extendedHours = trade.extendedHours } = trade.stocks.get(symbol) ?? {};
  if (named?.includes(phase) === false || phases?.has(phase) === false) return false;
  const overnight = market.instruments.get(symbol)?.overnightTradable ?? false;
  return phase === 'overnight' ? overnight : (extendedHours ?? overnight);
}

/** True while the current phase is traded: prices and account are then watched as in the regular session. */
export const isTraded = ({ trade }: TradingRules, phase: string): boolean =>
  trade !== undefined &&
  QUOTE_PHASES.some(
    (name) => name === phase && [trade.run, ...trade.strategies.values()].some((own) => own.has(name)),
  );

/** True while orders belong to a phase outside the regular session, with limits of its own. */
const isOutside = ({ session, rules: { trade } }: EngineContext): boolean =>
  trade !== undefined && session === undefined;

export const limitsNow = (context: EngineContext, limits: Limits): Limits =>
  limits.outside && isOutside(context) ? { ...limits, ...limits.outside } : limits;

/** Maximum distance in bps of a limit made from a market order to the current quote. */
export function collarNow(context: EngineContext, strategyId: string): number {
  const { rules } = context;
  if (!isOutside(context)) return rules.collarBps;
  const own = rules.ownLimits.get(strategyId)?.outside?.collarBps;
  return own ?? rules.limits.outside?.collarBps ?? rules.collarBps;
}

/** Instrument with the quantity step of the current phase. */
export function inPhase(context: EngineContext, instrument: Instrument): Instrument {
  if (!isOutside(context) || instrument.fractionsOutside || !instrument.fractionable) return instrument;
  return { ...instrument, fractionable: false };
}

/**
 * Earliest and latest time at which a sent DAY order may end by itself, given every possible meaning of DAY. If no
 * phases are traded, it is the next close.
 */
export function dayEndsOf(
  { calendar, rules: { trade } }: EngineContext,
  { plannedAt, state, until }: Pick<Order, 'plannedAt' | 'state' | 'until'>,
): Readonly<{ first: EpochMs; last: EpochMs }> {
  const at = 'at' in state ? state.at : plannedAt;
  const known = trade || until !== undefined ? trade?.dayEnds : 'nextClose';
  if (known) {
    const end = dayEnd(calendar, at, known);
    return { first: end, last: end };
  }
  const ends = DAY_READINGS.map((reading) => dayEnd(calendar, at, reading));
  return { first: epochMs(Math.min(...ends)), last: epochMs(Math.max(...ends)) };
}
