import { DAY_MS } from '../../core/brand.ts';
import type { Listing } from '../../domain/venue.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Time in ms for which all prices may stand still in a regular session. */
const STANDING_MS = 5 * 60_000;
/** Number of consecutive reads with most prices moved before a closed day is doubted. */
const MOVED_READS = 3;
/** Minimum number of listed stocks for their prices to indicate trading hours. */
const FEWEST_STOCKS = 5;

const ABOUT = 'hours';
const WHAT_TO_DO =
  'Ask the venue for its hours, set calendar.overrides in the config, and apply them with `drover config reload`; `drover calendar` shows the hours in use';

/**
 * Compares the calendar's hours with the prices of all listed stocks: alarms if none moves in a regular session, or
 * most move while it is closed. The alarm precedes the first order affected, and ends with the difference.
 */
export class HoursWatch {
  readonly #context: EngineContext;
  #movedAt: number | null = null;
  #movedReads = 0;
  #isReported = false;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** @param moved number of listed stocks whose prices differ from the previous read */
  take(listings: readonly Listing[], moved: number): void {
    const { now, calendar, isManual } = this.#context;
    const traded = listings.filter(({ instrument }) => instrument.tradable).length;
    if (isManual || listings.length < FEWEST_STOCKS) return;
    const { phase, session, since, next, nextChange } = calendar.phaseAt(now);
    if (moved > 0 || this.#movedAt === null) this.#movedAt = now;
    this.#movedReads = phase === 'closed' && moved * 2 > listings.length ? this.#movedReads + 1 : 0;
    const standsFor = now - Math.max(this.#movedAt, since);
    const of = `of the venue's ${listings.length} stocks`;
    if (phase === 'regular' && traded === 0)
      return this.#doubt(`by the calendar the session of ${session} is open, but none ${of} is tradable`);
    if (phase === 'regular' && standsFor >= STANDING_MS)
      return this.#doubt(
        `by the calendar the session of ${session} is open, but no price ${of} has moved for ` +
          `${Math.floor(standsFor / 60_000)} min: a limit order sent now may fill at the next open, at today's price`,
      );
    if (this.#movedReads >= MOVED_READS)
      return this.#doubt(
        `by the calendar nothing trades before the ${next} phase in ${Math.ceil((nextChange - now) / (DAY_MS / 24))} h, but ` +
          `${moved} ${of} have a different price than at the previous read`,
      );
    if (moved > 0 || phase !== 'regular') this.#agree();
  }

  #doubt(text: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#context.alarm(ABOUT, `${text}. ${WHAT_TO_DO}`, { code: 'CALENDAR_DOUBTED' });
  }

  #agree(): void {
    if (!this.#isReported) return;
    this.#isReported = false;
    this.#context.allClear(ABOUT, 'the prices of the venue agree with the calendar again');
  }
}
