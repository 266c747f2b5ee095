import type { TradingCalendar } from '../calendar/index.ts';
import { cash, formatDecimal, type Cash } from '../core/amount.ts';
import { epochMs } from '../core/brand.ts';
import { QUOTE_PHASES, type QuotePhase } from '../domain/instrument.ts';
import type { Order } from '../domain/orders/order.ts';
import type { OrderEnd } from './restingOrder.ts';

/** Trading in one phase, summed over all days. Amounts in mUSD, exact decimals; the pnls add up to that of the run. */
export type PhaseOutcome = Readonly<{
  phase: QuotePhase;
  /** Orders with a fill. */
  fills: number;
  bought: string;
  sold: string;
  fees: string;
  slippage: string;
  /** Change of equity from the end of the previous phase to the end of this one. */
  pnl: string;
}>;

type Sums = { fills: number; bought: Cash; sold: Cash; fees: Cash; slippage: Cash; pnl: Cash };

export class PhaseTally {
  readonly #sums = new Map<QuotePhase, Sums>();
  readonly #calendar: TradingCalendar;
  #equity: Cash;

  /** @param equity at the start */
  constructor(calendar: TradingCalendar, equity: Cash) {
    this.#calendar = calendar;
    this.#equity = equity;
  }

  /** Counts the fills of an order in the phase for which it was placed. */
  fill({ resting, report: { settlement } }: OrderEnd): void {
    if (!settlement) return;
    const { terms } = resting.order;
    const sums = this.#of(this.#phaseOf(resting.order));
    sums.fills++;
    if (terms.side === 'buy') sums.bought = cash(sums.bought + resting.notional);
    else sums.sold = cash(sums.sold + resting.notional);
    sums.fees = cash(sums.fees + settlement.mintFee + settlement.protocolFee);
    sums.slippage = cash(sums.slippage + resting.slipped);
  }

  end(phase: QuotePhase, equity: Cash): void {
    const sums = this.#of(phase);
    sums.pnl = cash(sums.pnl + equity - this.#equity);
    this.#equity = equity;
  }

  /** Outcomes in the order of a trading day. */
  get outcomes(): PhaseOutcome[] {
    return QUOTE_PHASES.flatMap((phase) => {
      const sums = this.#sums.get(phase);
      if (!sums) return [];
      const { fills, ...amounts } = sums;
      const [bought, sold, fees, slippage, pnl] = Object.values(amounts).map(formatDecimal);
      return { phase, fills, bought, sold, fees, slippage, pnl } as PhaseOutcome;
    });
  }

  #phaseOf({ until }: Order): QuotePhase {
    const phase = until === undefined ? 'regular' : this.#calendar.phaseAt(epochMs(until - 1)).phase;
    return phase === 'closed' ? 'regular' : phase;
  }

  #of(phase: QuotePhase): Sums {
    let sums = this.#sums.get(phase);
    const none = cash(0n);
    if (!sums)
      this.#sums.set(
        phase,
        (sums = { fills: 0, bought: none, sold: none, fees: none, slippage: none, pnl: none }),
      );
    return sums;
  }
}
