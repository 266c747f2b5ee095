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

/** Span in which an order may be sent. `phase`: one outside the regular session; absent in that. */
export type TradingWindow = Readonly<{ open: EpochMs; close: EpochMs; phase?: ExtendedPhase }>;

/** Owner of an order, its stock, and the order of the runner that it comes from. */
type Trader = Readonly<{ strategyId: string; symbol: Ticker; parent?: OrderIntent['parent'] | undefined }>;

/** Window in which an intent may be sent now; undefined for none. */
export const windowOf = (context: EngineContext, intent: OrderIntent): TradingWindow | undefined =>
  context.session ?? (intent.outside === 'limit' ? extendedWindow(context, intent, context.now) : undefined);

/** The same at the next instant at which one begins. */
export function nextWindow(context: EngineContext, intent: OrderIntent): EpochMs {
  const { calendar, now, rules } = context;
  const open = epochMs(calendar.nextSession(now).open);
  if (!rules.trade || intent.outside !== 'limit') return open;
  for (let at = calendar.phaseAt(now).nextChange; at < open; at = calendar.phaseAt(at).nextChange)
    if (extendedWindow(context, intent, at)) return at;
  return open;
}

/** Window for a trader now: the regular session, or a phase that config, stock and the order of the runner name. */
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

/** True while somebody trades in the present phase: prices and account are then watched as in the regular session. */
export const isTraded = ({ trade }: TradingRules, phase: string): boolean =>
  trade !== undefined &&
  QUOTE_PHASES.some(
    (name) => name === phase && [trade.run, ...trade.strategies.values()].some((own) => own.has(name)),
  );

/** True while orders are those of a phase outside the regular session, by its own limits. */
const isOutside = ({ session, rules: { trade } }: EngineContext): boolean =>
  trade !== undefined && session === undefined;

export const limitsNow = (context: EngineContext, limits: Limits): Limits =>
  limits.outside && isOutside(context) ? { ...limits, ...limits.outside } : limits;

/** Maximum that a limit made of a market order may be from the quote now, in bps. */
export function collarNow(context: EngineContext, strategyId: string): number {
  const { rules } = context;
  if (!isOutside(context)) return rules.collarBps;
  const own = rules.ownLimits.get(strategyId)?.outside?.collarBps;
  return own ?? rules.limits.outside?.collarBps ?? rules.collarBps;
}

/** Instrument with the step of sizes of the present phase. */
export function inPhase(context: EngineContext, instrument: Instrument): Instrument {
  if (!isOutside(context) || instrument.fractionsOutside || !instrument.fractionable) return instrument;
  return { ...instrument, fractionable: false };
}

/**
 * Earliest and latest instant at which a DAY order that has left may end by itself, by every reading that may be true. If no phases
 * are traded it is the next close.
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
