import type { TradingCalendar } from '../calendar/index.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import { actionId, type CorporateAction } from '../domain/corporateAction.ts';
import type { SimulatedBook } from './simulatedBook.ts';

/** `open`: of the session from which on it counts. */
type Dated = Readonly<{ id: string; action: CorporateAction; open: EpochMs }>;

/**
 * Does to a simulated account what splits and dividends do to a real one. A split changes what is held at the open of its
 * ex-date; a payment is for what is held then, and comes at the open of its payable date. What is heard of late happens late.
 */
export class SimulatedActions {
  readonly #book: SimulatedBook;
  readonly #calendar: TradingCalendar;
  /** As the venue told them last, by ex-date; payments before splits, for they are for the shares of before. */
  #announced: readonly Dated[] = [];

  constructor(book: SimulatedBook, calendar: TradingCalendar) {
    this.#book = book;
    this.#calendar = calendar;
  }

  hear(actions: readonly CorporateAction[]): void {
    const first = ({ action }: Dated) => (action.kind === 'payment' ? 0 : 1);
    this.#announced = actions
      .map((action) => ({
        id: actionId(action),
        action,
        open: this.#calendar.sessionFrom(action.exDate).open,
      }))
      .sort((a, b) => a.open - b.open || first(a) - first(b));
  }

  /** All that is due. What was before the account began has nothing to do with it. */
  happen(now: EpochMs): void {
    const book = this.#book;
    for (const { id, action, open } of this.#announced) {
      if (open > now || open <= book.openedAt || book.hasBooked(id)) continue;
      if (action.kind === 'split') book.split(id, action);
      else {
        const payable = this.#calendar.sessionFrom(action.payableDate ?? action.exDate);
        book.entitle(id, action, epochMs(Math.max(open, payable.open)));
      }
    }
    book.payDue(now);
  }
}
