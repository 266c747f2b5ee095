import type { EpochMs } from '../../core/brand.ts';
import { filledOf, hasEnded, unfilledWorth, type Doubt, type Order, type OrderId } from './order.ts';

/** Order in doubt. `amount`: what it may have taken beyond its settlement, in mUSD before fees for a buy, in shares for a sell. */
export type DoubtedOrder = Readonly<{ order: Order; amount: bigint; doubt: Doubt }>;

/**
 * Ends that only the venue claims. Each is in doubt for a time, and counts as turnover until the next session opens. A fold over the
 * ends as the journal keeps them.
 */
export class Doubts {
  private readonly all = new Map<OrderId, DoubtedOrder>();

  /** Ends in a row, of all strategies and stocks, that nobody asked for: a fill ends the row, an end by request does neither. */
  readonly inARow: number = 0;

  /** Follows an order through an event. */
  moved(before: Order, after: Order): void {
    if (this.all.size > 0) this.all.delete(after.id);
    if (isIncident(after) && !isIncident(before)) (this as { inARow: number }).inARow++;
    if (!hasEnded(after)) return;
    const { doubt, state } = after;
    const settlement = state.kind === 'closed' ? state.settlement : null;
    if (doubt) this.all.set(after.id, { order: after, amount: unfilledWorth(after, settlement), doubt });
    else if (filledOf(after) > 0n) (this as { inARow: number }).inARow = 0;
    if (doubt && !doubt.isSolicited && !settlement) (this as { inARow: number }).inARow++;
  }

  /** Ends the doubt about an order, by an operator's word. */
  lift(id: OrderId): void {
    this.all.delete(id);
  }

  /** Starts the count again. */
  restart(): void {
    (this as { inARow: number }).inARow = 0;
  }

  /** Begins a session: what is no longer in doubt counts no more. */
  opened(at: EpochMs): void {
    for (const [id, { doubt }] of this.all) if (doubt.until <= at) this.all.delete(id);
  }

  /** Orders of this session that have ended in doubt, and those that still are, of one strategy or of all. */
  counted(strategyId?: string): readonly DoubtedOrder[] {
    if (this.all.size === 0) return NONE;
    const all = [...this.all.values()];
    return strategyId === undefined ? all : all.filter(({ order }) => order.strategyId === strategyId);
  }

  /** Buys in doubt, of one strategy or of all. */
  buys(now: EpochMs, strategyId?: string): readonly DoubtedOrder[] {
    const counted = this.counted(strategyId);
    if (counted.length === 0) return NONE;
    return counted.filter(({ order, doubt }) => order.terms.side === 'buy' && now < doubt.until);
  }

  /** Doubt about an order; undefined once there is none. */
  of(id: OrderId, now: EpochMs): DoubtedOrder | undefined {
    const found = this.all.get(id);
    return found && now < found.doubt.until ? found : undefined;
  }
}

const NONE: readonly DoubtedOrder[] = [];

/** True for an order that the venue has accepted and never shows. */
const isIncident = ({ claim }: Order): boolean => claim?.end.kind === 'absent';
