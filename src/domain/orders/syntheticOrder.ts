import { roundTo, type Cash, type Price, type Shares } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Interval } from '../bar.ts';
import { FINE_PRICE_STEP, tickOf, type QuotePhase } from '../instrument.ts';
import type { Side } from '../venue.ts';
import type { EndCode } from './endCode.ts';
import type { IntentTerms, OrderIntent } from './orderIntent.ts';
import type { Leg, Order } from './order.ts';

/** Shares that an exit protects; `all`: the strategy's holding at the time of the sell. */
export type ExitQuantity = Shares | 'all';

/** Distance of a trailing stop below the highest price since it was armed. A percentage is a number: 5 is 5 %. */
export type Distance = Readonly<{ percent: number } | { amount: Price }>;

/** Price of an exit: absolute, or in percent of the entry's average fill price. */
export type ExitLevel = Readonly<{ price: Price } | { percent: number }>;

/**
 * Stop of a bracket that trails the price at a distance, starting that far below the price paid. With `percent`, it is
 * never more than so many percent below the price paid.
 */
export type TrailingLoss = Readonly<{ trail: Distance; percent?: number }>;

/** Maximum holding time: bars of an interval, minutes, sessions, up to a time, or a time of day in the first fill's session. */
export type HoldingTime = Readonly<
  | { bars: number; interval: Interval }
  | { minutes: number }
  | { days: number }
  | { until: EpochMs }
  | { at: string }
>;

/** Buys once the price has risen to `stop`. With `limit`, at that price or better. */
export type StopBuyTerms = Readonly<{
  kind: 'stopBuy';
  side: 'buy';
  quantity: Shares;
  stop: Price;
  limit: Price | null;
}>;

/** Entry of a bracket: an order sent at once, or when the price has reached a stop. */
export type EntryTerms = Extract<IntentTerms, { kind: 'buy' | 'buyShares' | 'limit' }> | StopBuyTerms;

/** Style of a working order: equal parts over time, a share of the volume of finished bars, or undivided at a moving price. */
export type WorkStyle = Readonly<
  | { kind: 'twap'; parts: number }
  /** `share`: maximum part of the volume. */
  | { kind: 'pov'; share: number; interval: Interval }
  /** `everyMs`: minimum time between two prices. */
  | { kind: 'chase'; everyMs: number }
>;

/** Order that is worked over a span of time in slices. */
export type WorkTerms = Readonly<{
  kind: 'work';
  side: Side;
  /** Total to be traded: shares, or mUSD without fees. */
  total: Readonly<{ quantity: Shares } | { notional: Cash }>;
  style: WorkStyle;
  /** Worst price of a slice; null if unlimited. */
  limit: Price | null;
  from: EpochMs;
  until: EpochMs;
}>;

/** Order types that the venue does not offer, with exact amounts. */
export type SyntheticTerms = Readonly<
  /** Sells once the price has fallen to `stop`. With `limit`, at that price or better. */
  | { kind: 'stop'; side: 'sell'; quantity: ExitQuantity; stop: Price; limit: Price | null }
  | StopBuyTerms
  /** Sells once the price has fallen by a distance from its highest since the order was placed. */
  | { kind: 'trail'; quantity: ExitQuantity; by: Distance }
  /** Sells at a limit price above the market, or at a stop below it, whichever comes first. */
  | { kind: 'oco'; quantity: ExitQuantity; price: Price; stop: Price; limit: Price | null }
  /** Buys, and sells the position at a profit, at a loss, or after a time. */
  | {
      kind: 'bracket';
      entry: EntryTerms;
      takeProfit: ExitLevel | null;
      /** Take-profit of the rest, after the first has sold `firstShare` of the position. Absent: one take-profit for all. */
      second?: Readonly<{ takeProfit: ExitLevel; firstShare: number }>;
      stopLoss: ExitLevel | TrailingLoss | null;
      exitAfter: HoldingTime | null;
    }
  /** Buys or sells in slices over a span of time. */
  | WorkTerms
>;

/**
 * Order that the bot runs itself, not the venue: it watches prices and time, and creates order intents (its children)
 * for its buys and sells. One id covers all of them.
 */
export type SyntheticOrder = Pick<OrderIntent, 'id' | 'strategyId' | 'symbol' | 'reason' | 'tag' | 'at'> &
  Readonly<{
    terms: SyntheticTerms;
    /** Earliest time of its first child. */
    notBefore: EpochMs;
    /** Time from which it ends, unless an exit has triggered; absent for good till cancelled. */
    expires?: EpochMs;
    /** Phases whose quotes trigger it. Default: only the regular session. */
    phases?: readonly QuotePhase[];
  }>;

/** True for a limit order that rests at the venue to sell at a profit. */
export const isTakeProfit = (leg: Leg): boolean => leg === 'take profit' || leg === 'second take profit';

/** True for a sell of an exit, at its take-profit or after a trigger: no target cancels it. */
export const isExitSale = ({ parent }: Pick<Order, 'parent'>): boolean =>
  parent !== undefined && (parent.leg === 'exit' || isTakeProfit(parent.leg));

/** Child of a synthetic order: an order intent created by it. */
export type Child = Readonly<{
  id: string;
  leg: Leg;
  createdAt: EpochMs;
  /** Shares filled by its orders, and their value without fees. */
  filled: Shares;
  notional: Cash;
  /** Null while it may still trade. */
  ended: ChildEnd | null;
}>;

/** End of a child. `code`: its reason for programs, if there is one. */
export type ChildEnd = Readonly<{
  at: EpochMs;
  how: 'done' | 'cancelled' | 'dropped';
  why: string;
  code?: EndCode | undefined;
}>;

/** Cause of an exit's sell: its stop was reached, or its time is over. */
export type TriggerCause = 'stop' | 'time';
export type Trigger = Readonly<{ cause: TriggerCause; at: EpochMs; price: Price | null }>;

/** State of a synthetic order, folded from the journal. */
export type SyntheticState = Readonly<{
  order: SyntheticOrder;
  /** Exit prices in force; null if there is none, and in a bracket until its entry has filled. */
  takeProfit: Price | null;
  secondTakeProfit: Price | null;
  stop: Price | null;
  /** Highest price seen by a trailing stop; null before the first. */
  mark: Price | null;
  /** When and at which price a bracket's stop entry triggered; null before that, and for other entries. */
  entered: Readonly<{ at: EpochMs; price: Price }> | null;
  /** Time after which the position is sold; null if none. */
  exitAt: EpochMs | null;
  trigger: Trigger | null;
  /** Reason for an end that has begun early; null otherwise. */
  ending: Readonly<{ how: 'cancelled' | 'expired'; why: string }> | null;
  /** Shares allowed by the volume of bars so far, and the end of the latest bar; null before the first. */
  volume: Readonly<{ allowed: Shares; until: EpochMs }> | null;
  /** Oldest first. */
  children: readonly Child[];
  /** Dividends that lowered its stop: ids of their actions, and mUSD per share lost since the purchase. Absent before the first. */
  dividends?: Readonly<{ ids: readonly string[]; amount: Price }>;
}>;

/** Step of a synthetic order, as stored in the journal. */
export type SyntheticEvent = Readonly<
  /** Exit prices are set or moved: a bracket's by its fills, a trailing stop's by the price. */
  | {
      kind: 'levels';
      takeProfit: Price | null;
      /** Absent if there is none. */
      secondTakeProfit?: Price;
      stop: Price | null;
      mark: Price | null;
      exitAt: EpochMs | null;
    }
  /** Its stop entry has triggered. */
  | { kind: 'entered'; price: Price }
  | { kind: 'triggered'; cause: TriggerCause; price: Price | null }
  /** Its strategy has moved its exits. `terms` and prices: the new ones. */
  | {
      kind: 'adjusted';
      terms: SyntheticTerms;
      takeProfit: Price | null;
      secondTakeProfit?: Price;
      stop: Price | null;
      mark: Price | null;
    }
  /** The price has lost a dividend, in mUSD per share, and the stop follows. `id`: of the action. */
  | { kind: 'dividend'; id: string; amount: Price }
  /** Its end has begun: open children are cancelled, and their fills stay. */
  | { kind: 'ending'; how: 'cancelled' | 'expired'; why: string }
  /** Bars up to a time have allowed this many shares in total. */
  | { kind: 'volume'; allowed: Shares; until: EpochMs }
>;

export type SyntheticEnd = 'done' | 'cancelled' | 'expired' | 'dropped';

export function placed(order: SyntheticOrder): SyntheticState {
  const { terms } = order;
  return {
    order,
    takeProfit: terms.kind === 'oco' ? terms.price : null,
    secondTakeProfit: null,
    stop: 'stop' in terms ? terms.stop : 'entry' in terms && 'stop' in terms.entry ? null : fixedStop(terms),
    mark: null,
    entered: null,
    exitAt: null,
    trigger: null,
    ending: null,
    volume: null,
    children: [],
  };
}

/** Stop of a bracket known before its entry has filled. */
const fixedStop = (terms: SyntheticTerms): Price | null =>
  terms.kind === 'bracket' && terms.stopLoss && 'price' in terms.stopLoss ? terms.stopLoss.price : null;

/** Price to which the market must rise for an order to buy; null for others, and once it has triggered. */
export function buyStopOf({ order: { terms }, entered, trigger }: SyntheticState): Price | null {
  if (terms.kind === 'stopBuy') return trigger ? null : terms.stop;
  return terms.kind === 'bracket' && terms.entry.kind === 'stopBuy' && !entered ? terms.entry.stop : null;
}

export function moved(state: SyntheticState, event: SyntheticEvent, at: EpochMs): SyntheticState {
  switch (event.kind) {
    case 'levels': {
      const { takeProfit, secondTakeProfit = null, stop, mark, exitAt } = event;
      return { ...state, takeProfit, secondTakeProfit, stop, mark, exitAt };
    }
    case 'adjusted': {
      const { terms, takeProfit, secondTakeProfit = null, stop, mark } = event;
      return { ...state, order: { ...state.order, terms }, takeProfit, secondTakeProfit, stop, mark };
    }
    case 'dividend':
      return afterDividend(state, event);
    case 'entered':
      return { ...state, entered: { at, price: event.price }, stop: fixedStop(state.order.terms) };
    case 'triggered':
      return { ...state, trigger: { cause: event.cause, at, price: event.price } };
    case 'ending':
      return { ...state, ending: { how: event.how, why: event.why } };
    case 'volume':
      return { ...state, volume: { allowed: event.allowed, until: event.until } };
  }
}

/** True for an order whose stop is a price or trails one; a stop in percent of the price paid ignores dividends. */
export const hasPricedStop = (terms: SyntheticTerms): boolean =>
  terms.kind === 'bracket'
    ? terms.stopLoss !== null && !('percent' in terms.stopLoss && !('trail' in terms.stopLoss))
    : terms.kind === 'stop' || terms.kind === 'trail' || terms.kind === 'oco';

/** Distance of a trailing stop; null for any other exit. */
export function trailOf({ order: { terms } }: Pick<SyntheticState, 'order'>): Distance | null {
  if (terms.kind === 'trail') return terms.by;
  return terms.kind === 'bracket' && terms.stopLoss && 'trail' in terms.stopLoss
    ? terms.stopLoss.trail
    : null;
}

/**
 * State after a dividend: the stop, its limit and the highest price seen are lowered by it; a stop that trails by a
 * percentage keeps its percentage below the highest price. Take-profits stay.
 */
function afterDividend(
  state: SyntheticState,
  { id, amount }: Extract<SyntheticEvent, { kind: 'dividend' }>,
): SyntheticState {
  const { ids = [], amount: before = 0n } = state.dividends ?? {};
  const { terms } = state.order;
  const trail = trailOf(state);
  const isInProportion = trail !== null && 'percent' in trail;
  const lower = (price: Price): Price => lowered(price, amount);
  // Shares that a bracket buys later are bought without the dividend.
  const wasPaid = terms.kind !== 'bracket' || filledBy(state, 'entry') > 0n;
  const after: SyntheticTerms =
    terms.kind === 'stop' || terms.kind === 'oco'
      ? { ...terms, stop: lower(terms.stop), limit: terms.limit && lower(terms.limit) }
      : terms.kind === 'bracket' && terms.stopLoss && 'price' in terms.stopLoss
        ? { ...terms, stopLoss: { price: lower(terms.stopLoss.price) } }
        : terms;
  return {
    ...state,
    order: { ...state.order, terms: after },
    stop: state.stop && (isInProportion ? inProportion(state.stop, state.mark, amount) : lower(state.stop)),
    mark: state.mark && lower(state.mark),
    dividends: { ids: [...ids, id], amount: (wasPaid ? before + amount : before) as Price },
  };
}

/** Price lowered by an amount, on the tick: never lower than that, and never 0. */
function lowered(price: Price, amount: Price): Price {
  const exact = (price - amount > FINE_PRICE_STEP ? price - amount : FINE_PRICE_STEP) as Price;
  return onTickAbove(exact);
}

/** Stop at the same percentage below a highest price after that has lost an amount. */
function inProportion(stop: Price, mark: Price | null, amount: Price): Price {
  if (mark === null || mark <= amount) return lowered(stop, amount);
  return onTickAbove(((stop * (mark - amount)) / mark) as Price);
}

const onTickAbove = (exact: Price): Price => roundTo(exact, tickOf(exact), 'up') as Price;

/** Children of a leg, oldest first. */
export const childrenOf = ({ children }: SyntheticState, leg: Leg): readonly Child[] =>
  children.filter((child) => child.leg === leg);

/** The open child of a leg; at most one of each leg is under way. */
export const openChild = ({ children }: SyntheticState, leg: Leg): Child | undefined =>
  children.find((child) => child.leg === leg && child.ended === null);

/** Shares filled by the children of some legs. */
export const filledBy = ({ children }: SyntheticState, ...legs: readonly Leg[]): Shares => {
  let sum = 0n;
  for (const { leg, filled } of children) if (legs.includes(leg)) sum += filled;
  return sum as Shares;
};

export const soldBy = (state: SyntheticState): Shares =>
  filledBy(state, 'take profit', 'second take profit', 'exit');
