import type { TradingCalendar } from '../../calendar/index.ts';
import { dateOf, weekdayOf, type Day } from '../../calendar/zone.ts';

const REASONS = {
  outside: 'outside the regular sessions',
  closed: 'outside all phases of the trading day',
  weekend: 'on weekends',
  others: 'of other symbols',
  empty: 'without prices',
  repeated: 'the same as the row before',
  headers: 'with the header again',
  events: 'with a dividend or split',
  notes: 'of remarks',
} as const;
type Reason = keyof typeof REASONS;

const SHOWN = 5;
const FRIDAY = 4;

/** Rows left out, counted by reason; those on a day without a session by the name of the holiday. */
export class LeftOut {
  readonly #counts = new Map<Reason, number>();
  readonly #holidays = new Map<string, number>();

  add(reason: Reason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  /** Adds a row on a day without a session. */
  addDay(day: Day, calendar: TradingCalendar): void {
    const date = dateOf(day);
    if (weekdayOf(day) > FRIDAY) return this.add('weekend');
    const name = `${date} ${calendar.closureOn(date) ?? ''}`.trim();
    this.#holidays.set(name, (this.#holidays.get(name) ?? 0) + 1);
  }

  /** True if a row was left out that an import of all sessions might include. */
  get isOutside(): boolean {
    return this.#counts.has('outside');
  }

  /** Counts by reason; those on holidays by date and name. */
  counts(): Record<string, number> {
    return Object.fromEntries([
      ...[...this.#counts].map(([reason, count]) => [REASONS[reason], count] as const),
      ...this.#holidays,
    ]);
  }

  /** Summary of what was left out; empty for nothing. */
  toString(): string {
    const parts = [...this.#counts].map(([reason, count]) => `${count} ${REASONS[reason]}`);
    const names = [...this.#holidays.keys()];
    const closed = [...this.#holidays.values()].reduce((sum, count) => sum + count, 0);
    const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
    if (closed > 0) parts.push(`${closed} on holidays (${names.slice(0, SHOWN).join(', ')}${more})`);
    return parts.length === 0 ? '' : `rows left out: ${parts.join(', ')}`;
  }
}
