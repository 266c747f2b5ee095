import { MINUTE_MS, type EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../instrument.ts';
import { failureOf, filledOf, isDeferred, type Order } from './order.ts';

/** Number of consecutive orders that ended without a fill, and the time of the latest such end. */
type Streak = Readonly<{ count: number; at: EpochMs; why: string }>;

type PlacedOrder = Pick<Order, 'strategyId' | 'terms'>;

/** Streaks of failed orders by strategy, symbol and side, with deferred sells apart. Each failure lengthens the wait. */
export class Failures {
  private readonly streaks = new Map<string, Streak>();

  /** Records the end of an order: a fill ends the streak, a failure extends it, a requested end does neither. */
  note(order: Order, at: EpochMs): void {
    const why = failureOf(order);
    if (why !== null) this.streaks.set(keyOf(order), { count: (this.of(order)?.count ?? 0) + 1, at, why });
    else if (this.streaks.size > 0 && filledOf(order) > 0n) this.streaks.delete(keyOf(order));
  }

  of(order: PlacedOrder): Streak | undefined {
    return this.streaks.get(keyOf(order));
  }

  /** Clears the failures of a symbol that an operator has released. */
  clear(symbol: Ticker): void {
    for (const key of this.streaks.keys()) if (key.startsWith(`${symbol} `)) this.streaks.delete(key);
  }
}

const keyOf = ({ strategyId, terms }: PlacedOrder): string =>
  `${terms.symbol} ${isDeferred(terms) ? 'deferred' : terms.side} ${strategyId}`;

/** Value filled by the orders of a session, per strategy and in total. */
export class Turnover {
  private readonly byStrategy = new Map<string, bigint>();
  private since = 0;

  /** Reverses a settlement booked at a time; no effect if a session has begun since. */
  takeBack(strategyId: string, value: bigint, at: number): void {
    if (at >= this.since) this.note(strategyId, -value);
  }

  note(strategyId: string, value: bigint): void {
    this.byStrategy.set(strategyId, (this.byStrategy.get(strategyId) ?? 0n) + value);
  }

  /** Value filled in this session so far, of one strategy or of all. */
  of(strategyId?: string): bigint {
    if (strategyId !== undefined) return this.byStrategy.get(strategyId) ?? 0n;
    return [...this.byStrategy.values()].reduce((sum, value) => sum + value, 0n);
  }

  begin(at: EpochMs): void {
    this.since = at;
    this.byStrategy.clear();
  }
}

type Send = Readonly<{ at: EpochMs; strategyId: string }>;

/** True for a time in the last minute. A time far ahead is from before the clock was set back. */
const isLatest = (at: EpochMs, now: EpochMs): boolean => Math.abs(now - at) < MINUTE_MS;

/** Orders sent within the last minute. */
export class Sends {
  /** Sends within a minute of the latest one. */
  private readonly latest: Send[] = [];

  note(send: Send): void {
    for (let [first] = this.latest; first && !isLatest(first.at, send.at); [first] = this.latest)
      this.latest.shift();
    this.latest.push(send);
  }

  /** Number of sends within the minute before `now`, by one strategy or by all. */
  lastMinute(now: EpochMs, strategyId?: string): number {
    let count = 0;
    for (const send of this.latest)
      if (isLatest(send.at, now) && (strategyId === undefined || send.strategyId === strategyId)) count++;
    return count;
  }
}
