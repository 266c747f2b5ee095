import type { QuotePhase } from '../instrument.ts';
import { toNumber } from '../../core/amount.ts';
import { buyStopOf, type SyntheticState } from './syntheticOrder.ts';

/** True for an order that a price of a phase may still trigger. */
export const isArmed = ({ order, trigger, ending }: SyntheticState, phase: QuotePhase): boolean =>
  trigger === null && ending === null && (order.phases?.includes(phase) ?? phase === 'regular');

/** True for a trailing stop; in a bracket, only once its entry has filled. */
export function followsPrice({ order: { terms }, stop }: SyntheticState): boolean {
  if (terms.kind === 'trail') return true;
  return terms.kind === 'bracket' && stop !== null && terms.stopLoss !== null && 'trail' in terms.stopLoss;
}

/**
 * Prices of a phase, as float64, at which the armed synthetic orders of a stock act. A quote or bar that reaches none
 * of them changes nothing.
 */
export class Triggers {
  /** Highest stop of the sells; -Infinity if none. */
  sell = -Infinity;
  /** Lowest stop of the buys; Infinity if none. */
  buy = Infinity;
  /** Price above which a trailing stop rises; Infinity if none. */
  mark = Infinity;

  /** True when there is a working order, which trades on every price except those within a bar. */
  isWorked = false;

  /** Reads the triggers of these orders, replacing the previous ones. */
  read(states: Iterable<SyntheticState>, phase: QuotePhase): void {
    [this.sell, this.buy, this.mark, this.isWorked] = [-Infinity, Infinity, Infinity, false];
    for (const state of states) {
      if (!isArmed(state, phase)) continue;
      const { order, stop } = state;
      const buyStop = buyStopOf(state);
      if (order.terms.kind === 'work') this.isWorked = true;
      if (buyStop !== null) this.buy = Math.min(this.buy, toNumber(buyStop));
      else if (stop !== null) this.sell = Math.max(this.sell, toNumber(stop));
      if (followsPrice(state))
        this.mark = Math.min(this.mark, state.mark === null ? -Infinity : toNumber(state.mark));
    }
  }

  /** True when prices from `low` to `high` trigger an order, or raise a stop. */
  isReached(low: number, high: number): boolean {
    return low <= this.sell || high >= this.buy || high > this.mark;
  }
}
