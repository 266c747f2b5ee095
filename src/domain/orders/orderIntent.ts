import { type Cash, type Price, type Shares, price, roundTo, shares } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { UNALLOCATED } from '../account/ledger.ts';
import { type Ticker, tickOf } from '../instrument.ts';
import type { Side } from '../venue.ts';
import type { EndReason } from './endCode.ts';
import { type Split, rescale, rescalePrice } from '../corporateAction.ts';
import type { Leg, Order, OrderId } from './order.ts';
import type { CommandId } from '../operator/restriction.ts';

/** Request of a strategy with exact amounts. A target names a position to reach; the others name a trade. */
export type IntentTerms = Readonly<
  | { kind: 'buy'; notional: Cash }
  | { kind: 'buyShares'; quantity: Shares }
  | { kind: 'sell'; quantity: Shares | 'all' }
  /** A sell of stock in the wallet: it is owed, and repaid from there. */
  | { kind: 'sellDeferred'; quantity: Shares }
  | { kind: 'limit'; side: Side; quantity: Shares; price: Price; goodTill: 'day' | 'cancelled' }
  | { kind: 'target'; to: Target; band: number }
>;

/** Rule of a rebalance for stocks that have no weight. */
export type Rest = 'sell' | 'keep';

export type Target = Readonly<{ weight: number } | { quantity: Shares } | { notional: Cash }>;

/**
 * Intent that the journal keeps until it has ended. It may wait for the open or for other orders; a good-till-cancelled
 * one is placed again each session. Its orders are `<id>.1`, `<id>.2`, …
 */
export type OrderIntent = Readonly<{
  id: string;
  strategyId: string;
  symbol: Ticker;
  terms: IntentTerms;
  reason: string;
  at: EpochMs;
  /** Earliest time to place it: now, or the open it waits for. */
  notBefore: EpochMs;
  /** Action outside the session: wait for the open, end, or send a limit order in phases that are traded. */
  outside: 'wait' | 'refuse' | 'limit';
  /** Intents that must have ended first, such as the sells of a rebalance before its buys. */
  after: readonly string[];
  /** Operator's command that created it: a flatten, or a manual order. Absent for a strategy's own. */
  command?: CommandId;
  /** Synthetic order that created it, and for which leg. Absent for others. */
  parent?: Readonly<{ id: string; leg: Leg }>;
  /** The author's own tag, carried through orders, fills and trades. */
  tag?: string;
  /** Time from which it is no longer sent and its resting order is cancelled. Absent: it lasts as long as its kind allows. */
  expires?: EpochMs;
  /** True if its stock missing at the venue is deposited from the wallet first. Absent: no. */
  depositFirst?: true;
  /** Intent that it replaces once that one has ended, whose filled shares then count as its own. Absent if none. */
  replaces?: string;
}>;

/** Call of `order` that a strategy may make for one stock or one of its orders. */
export type OrderCall =
  | 'buy'
  | 'sell'
  | 'limit'
  | 'target'
  | 'rebalance'
  | 'stop'
  | 'trail'
  | 'bracket'
  | 'oco'
  | 'work'
  | 'replace'
  | 'adjust';

/** Refused call of `order`, and why; its strategy continues. Ids of calls and intents share one sequence. */
export type IntentRefusal = Pick<OrderIntent, 'id' | 'strategyId' | 'symbol' | 'reason' | 'tag'> &
  Readonly<{ call: OrderCall; side: Side }> &
  EndReason;

export type IntentEnd = 'done' | 'cancelled' | 'dropped';

/** Id of the next intent: `<strategy>-<number>`, with `hand` for one that uses unallocated money or shares. */
export const intentIdOf = (strategyId: string, number: number): string =>
  `${strategyId === UNALLOCATED ? 'hand' : strategyId}-${number}`;

type IntentOrders = Readonly<{ orders: ReadonlyMap<OrderId, Order>; attempts: ReadonlyMap<string, number> }>;

/** Orders of an intent, the first attempt first. */
export const attemptsOf = ({ orders, attempts }: IntentOrders, intentId: string): Order[] =>
  Array.from({ length: attempts.get(intentId) ?? 0 }).flatMap(
    (_, index) => orders.get(`${intentId}.${index + 1}` as OrderId) ?? [],
  );

/** Order of its latest attempt; undefined before the first. */
export const latestOrder = ({ orders, attempts }: IntentOrders, intentId: string): Order | undefined =>
  orders.get(`${intentId}.${attempts.get(intentId) ?? 0}` as OrderId);

/**
 * Strategy of an intent or order, from its id: `<strategy>-<number>`, with `.<attempt>` for an order. Only valid if
 * there are no manual orders, as in a backtest.
 */
export const strategyIdOf = (id: string): string => id.slice(0, id.lastIndexOf('-'));

/** `cut`: rounds shares down to a tradable size. `filled`: shares the intent has already filled. Wads. */
type IntentProgress = Readonly<{ cut(quantity: bigint): bigint; filled: bigint }>;

/** Terms of an intent after a split: the same share of the company for the same money. */
export function rescaleIntent(
  intent: OrderIntent,
  split: Split,
  { cut, filled }: IntentProgress,
): OrderIntent {
  const { terms } = intent;
  const cutShares = (quantity: bigint) => shares(cut(rescale(quantity, split)));
  switch (terms.kind) {
    case 'buyShares':
    case 'sellDeferred':
      return { ...intent, terms: { ...terms, quantity: cutShares(terms.quantity) } };
    case 'sell':
      if (terms.quantity === 'all') return intent;
      return { ...intent, terms: { ...terms, quantity: cutShares(terms.quantity) } };
    case 'limit': {
      const quantity = shares(rescale(filled, split) + cutShares(terms.quantity - filled));
      const exact = rescalePrice(terms.price, split);
      const at = price(roundTo(exact, tickOf(price(exact)), terms.side === 'buy' ? 'down' : 'up'));
      return { ...intent, terms: { ...terms, quantity, price: at } };
    }
    case 'target':
      if (!('quantity' in terms.to)) return intent;
      return { ...intent, terms: { ...terms, to: { quantity: shares(rescale(terms.to.quantity, split)) } } };
    case 'buy':
      return intent;
  }
}
