import type { EpochMs } from '../../core/brand.ts';
import { filledOf, hasEnded, unfilledWorth, type Doubt, type Order, type OrderId } from './order.ts';

/** Order in doubt. `amount` that it may have filled beyond its settlement: mUSD before fees for a buy, shares for a sell. */
export type DoubtedOrder = Readonly<{ order: Order; amount: bigint; doubt: Doubt }>;

/**
 * Ends that only the venue claims. Each is in doubt for a time, and counts as turnover until the next session opens.
 * Folded from the ends in the journal.
 */
export class Doubts {
  private readonly all = new Map<OrderId, DoubtedOrder>();

  /** Number of consecutive unrequested ends, over all strategies. A fill resets it; a requested end leaves it. */
  readonly inARow: number = 0;

  /** Updates the doubts after an event of an order. */
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

  /** Ends the doubt about an order, because an operator said so. */
  lift(id: OrderId): void {
    this.all.delete(id);
  }

  /** Starts the count again. */
  restart(): void {
    (this as { inARow: number }).inARow = 0;
  }

  /** Begins a session: orders no longer in doubt stop counting. */
  opened(at: EpochMs): void {
    for (const [id, { doubt }] of this.all) if (doubt.until <= at) this.all.delete(id);
  }

  /** Orders that ended in doubt in this session, or are still in doubt, of one strategy or of all. */
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

  /** Doubt about an order; undefined if there is none any more. */
  of(id: OrderId, now: EpochMs): DoubtedOrder | undefined {
    const found = this.all.get(id);
    return found && now < found.doubt.until ? found : undefined;
  }
}

const NONE: readonly DoubtedOrder[] = [];

/** True for an order that the venue accepted and never showed. */
const isIncident = ({ claim }: Order): boolean => claim?.end.kind === 'absent';
