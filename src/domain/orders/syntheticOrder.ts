import { roundTo, type Cash, type Price, type Shares } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Interval } from '../bar.ts';
import { FINE_PRICE_STEP, tickOf, type QuotePhase } from '../instrument.ts';
import type { Side } from '../venue.ts';
import type { EndCode } from './endCode.ts';
import type { IntentTerms, OrderIntent } from './orderIntent.ts';
import type { Leg, Order } from './order.ts';

/** Shares that an exit protects; `all`: what its strategy holds when it sells. */
export type ExitQuantity = Shares | 'all';

/** Distance of a trailing stop below the highest price since it was armed. A percentage is a number: 5 is 5 %. */
export type Distance = Readonly<{ percent: number } | { amount: Price }>;

/** Price of an exit: absolute, or in percent from the average price of the entry's fills. */
export type ExitLevel = Readonly<{ price: Price } | { percent: number }>;

/**
 * Stop of a bracket that follows the price at a distance, and begins there below what was paid. With `percent` it is never further
 * below that price than so many percent.
 */
export type TrailingLoss = Readonly<{ trail: Distance; percent?: number }>;

/** Longest life of a position: bars of an interval, minutes, sessions, until an instant, or a time of the session of its first fill. */
export type HoldingTime = Readonly<
  | { bars: number; interval: Interval }
  | { minutes: number }
  | { days: number }
  | { until: EpochMs }
  | { at: string }
>;

/** Buys once the price has risen to `stop`. With `limit` at that price or better. */
export type StopBuyTerms = Readonly<{
  kind: 'stopBuy';
  side: 'buy';
  quantity: Shares;
  stop: Price;
  limit: Price | null;
}>;

/** Entry of a bracket: an order that leaves at once, or once the price has touched a stop. */
export type EntryTerms = Extract<IntentTerms, { kind: 'buy' | 'buyShares' | 'limit' }> | StopBuyTerms;

/** Division of a working order: into equal parts of its time, by the volume of finished bars, or not, at a price that follows. */
export type WorkStyle = Readonly<
  | { kind: 'twap'; parts: number }
  /** `share`: part of the volume that it may be. */
  | { kind: 'pov'; share: number; interval: Interval }
  /** `everyMs`: shortest time between two prices. */
  | { kind: 'chase'; everyMs: number }
>;

/** Order that is worked over a span of time, in slices. */
export type WorkTerms = Readonly<{
  kind: 'work';
  side: Side;
  /** All that is to be traded: shares, or mUSD without fees. */
  total: Readonly<{ quantity: Shares } | { notional: Cash }>;
  style: WorkStyle;
  /** Worst price of a slice; null for none. */
  limit: Price | null;
  from: EpochMs;
  until: EpochMs;
}>;

/** Order types that the venue does not know, with exact amounts. */
export type SyntheticTerms = Readonly<
  /** Sells once the price has fallen to `stop`. With `limit` at that price or better. */
  | { kind: 'stop'; side: 'sell'; quantity: ExitQuantity; stop: Price; limit: Price | null }
  | StopBuyTerms
  /** Sells once the price has fallen by a distance from its highest since then. */
  | { kind: 'trail'; quantity: ExitQuantity; by: Distance }
  /** Sells at a limit price above the market, or else at a stop below it. */
  | { kind: 'oco'; quantity: ExitQuantity; price: Price; stop: Price; limit: Price | null }
  /** Buys, and sells what was bought at a profit, at a loss, or after a time. */
  | {
      kind: 'bracket';
      entry: EntryTerms;
      takeProfit: ExitLevel | null;
      /** Take-profit of what the first leaves, which sells `firstShare` of what was bought. Absent for one take-profit of all. */
      second?: Readonly<{ takeProfit: ExitLevel; firstShare: number }>;
      stopLoss: ExitLevel | TrailingLoss | null;
      exitAfter: HoldingTime | null;
    }
  /** Buys or sells in slices over a span of time. */
  | WorkTerms
>;

/**
 * Order that the runner holds, not the venue: it watches prices and time, and creates order intents (its children) for what is to
 * be bought or sold. One id covers all of them.
 */
export type SyntheticOrder = Pick<OrderIntent, 'id' | 'strategyId' | 'symbol' | 'reason' | 'tag' | 'at'> &
  Readonly<{
    terms: SyntheticTerms;
    /** Earliest time of its first child. */
    notBefore: EpochMs;
    /** Instant from which on it ends, but for an exit that has been triggered; absent for good till cancelled. */
    expires?: EpochMs;
    /** Phases whose quotes trigger it. Default: the regular session alone. */
    phases?: readonly QuotePhase[];
  }>;

/** True for a limit order that rests at the venue to sell at a profit. */
export const isTakeProfit = (leg: Leg): boolean => leg === 'take profit' || leg === 'second take profit';

/** True for a sale that an exit makes, at its take-profit or once it was touched: no target cancels it. */
export const isExitSale = ({ parent }: Pick<Order, 'parent'>): boolean =>
  parent !== undefined && (parent.leg === 'exit' || isTakeProfit(parent.leg));

/** Child of a synthetic order: an order intent that it has created. */
export type Child = Readonly<{
  id: string;
  leg: Leg;
  createdAt: EpochMs;
  /** Shares that its orders have moved, and their value without fees. */
  filled: Shares;
  notional: Cash;
  /** Null while it may still trade. */
  ended: ChildEnd | null;
}>;

/** End of a child. `code`: its cause for programs, if there is one. */
export type ChildEnd = Readonly<{
  at: EpochMs;
  how: 'done' | 'cancelled' | 'dropped';
  why: string;
  code?: EndCode | undefined;
}>;

/** Cause of the sale of an exit: its stop was touched, or its time is over. */
export type TriggerCause = 'stop' | 'time';
export type Trigger = Readonly<{ cause: TriggerCause; at: EpochMs; price: Price | null }>;

/** State of a synthetic order, folded from the journal. */
export type SyntheticState = Readonly<{
  order: SyntheticOrder;
  /** Exit prices in force; null if there is none, and in a bracket until its entry has filled. */
  takeProfit: Price | null;
  secondTakeProfit: Price | null;
  stop: Price | null;
  /** Highest price that a trailing stop has seen; null before the first. */
  mark: Price | null;
  /** Touch of the stop by which a bracket enters; null before it, and for any other entry. */
  entered: Readonly<{ at: EpochMs; price: Price }> | null;
  /** Instant after which the position is sold; null for none. */
  exitAt: EpochMs | null;
  trigger: Trigger | null;
  /** Cause of an end that has begun before it is done; null otherwise. */
  ending: Readonly<{ how: 'cancelled' | 'expired'; why: string }> | null;
  /** Shares that the volume of bars has allowed so far, and the end of the latest of them; null if none counts. */
  volume: Readonly<{ allowed: Shares; until: EpochMs }> | null;
  /** Oldest first. */
  children: readonly Child[];
  /** Dividends by which its stop was lowered: ids of their actions, and mUSD a share that were lost since it was paid for. Absent before the first. */
  dividends?: Readonly<{ ids: readonly string[]; amount: Price }>;
}>;

/** Step of a synthetic order, as the journal keeps it. */
export type SyntheticEvent = Readonly<
  /** Exit prices are set, or moved: of a bracket by its fills, of a trailing stop by the price. */
  | {
      kind: 'levels';
      takeProfit: Price | null;
      /** Absent without one. */
      secondTakeProfit?: Price;
      stop: Price | null;
      mark: Price | null;
      exitAt: EpochMs | null;
    }
  /** The stop by which it enters was touched. */
  | { kind: 'entered'; price: Price }
  | { kind: 'triggered'; cause: TriggerCause; price: Price | null }
  /** Its strategy has moved its exits. `terms` and prices: those from then on. */
  | {
      kind: 'adjusted';
      terms: SyntheticTerms;
      takeProfit: Price | null;
      secondTakeProfit?: Price;
      stop: Price | null;
      mark: Price | null;
    }
  /** The price has lost a dividend of so many mUSD a share, and its stop follows. `id`: of the action. */
  | { kind: 'dividend'; id: string; amount: Price }
  /** Its end has begun: children that work are cancelled, and what they have filled stays. */
  | { kind: 'ending'; how: 'cancelled' | 'expired'; why: string }
  /** Bars up to an instant have allowed so many shares in all. */
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

/** Stop of a bracket that is known before its entry has filled. */
const fixedStop = (terms: SyntheticTerms): Price | null =>
  terms.kind === 'bracket' && terms.stopLoss && 'price' in terms.stopLoss ? terms.stopLoss.price : null;

/** Price to which the market has to rise for an order to buy; null for any other, and once it was touched. */
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

/** True for an order whose stop is a price, or follows one: in percent of what was paid, it stays with a dividend. */
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
 * State after a dividend: the stop, its limit and the highest price seen are lower by it; one that trails by a percentage keeps that
 * from the highest price. Take-profits stay.
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
  // What a bracket buys later, it buys without the dividend.
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

/** Price lower by an amount, on the tick: never lower than that, and never 0. */
function lowered(price: Price, amount: Price): Price {
  const exact = (price - amount > FINE_PRICE_STEP ? price - amount : FINE_PRICE_STEP) as Price;
  return onTickAbove(exact);
}

/** Stop as far below a highest price, in percent, once that has lost an amount. */
function inProportion(stop: Price, mark: Price | null, amount: Price): Price {
  if (mark === null || mark <= amount) return lowered(stop, amount);
  return onTickAbove(((stop * (mark - amount)) / mark) as Price);
}

const onTickAbove = (exact: Price): Price => roundTo(exact, tickOf(exact), 'up') as Price;

/** Children of a leg, oldest first. */
export const childrenOf = ({ children }: SyntheticState, leg: Leg): readonly Child[] =>
  children.filter((child) => child.leg === leg);

/** The child of a leg that has not ended; at most one of each leg is under way. */
export const openChild = ({ children }: SyntheticState, leg: Leg): Child | undefined =>
  children.find((child) => child.leg === leg && child.ended === null);

/** Shares that the children of some legs have moved. */
export const filledBy = ({ children }: SyntheticState, ...legs: readonly Leg[]): Shares => {
  let sum = 0n;
  for (const { leg, filled } of children) if (legs.includes(leg)) sum += filled;
  return sum as Shares;
};

export const soldBy = (state: SyntheticState): Shares =>
  filledBy(state, 'take profit', 'second take profit', 'exit');
