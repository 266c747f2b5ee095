import type { Session, TradingCalendar } from '../calendar/index.ts';
import { epochMs, toIso } from '../core/brand.ts';
import { ConfigError } from '../core/errors.ts';
import { INTERVAL_MS, type Interval } from '../domain/bar.ts';

/** Bars of a session that are not there. */
export type Gap = Readonly<{ place: string; missing: number; from: number; to: number }>;

/** Sessions between the first bar and the last that have no bar, and where the first of them is seen. */
export type MissingSessions = Readonly<{ place: string; count: number; first: string }>;

export type BarCheckOptions = Readonly<{
  interval: Interval;
  calendar: TradingCalendar;
  /** Where a row stands, for messages: `file:line`. */
  place: (row: number) => string;
}>;

const DAY_MS = 86_400_000;

const YEAR_10000 = Date.UTC(10_000, 0, 1);
const [FIRST_DAY, LAST_DAY_END] = [Date.UTC(2000, 0, 1), Date.UTC(2051, 0, 1)];

/** Whether an instant lies in the years that the calendar knows: one in the wrong unit does not. */
export const isInCalendar = (at: number): boolean => at >= FIRST_DAY && at < LAST_DAY_END;

/** Checks bars in their order: each after the one before, inside the regular sessions, on its step, with prices that fit. */
export class BarCheck {
  readonly gaps: Gap[] = [];
  /** Null when none is missing. Not told of weekly bars. */
  missingSessions: MissingSessions | null = null;
  readonly #options: BarCheckOptions;
  readonly #isIntraday: boolean;
  readonly #step: number;
  #session: Session | undefined;
  #last = -Infinity;

  constructor(options: BarCheckOptions) {
    this.#options = options;
    this.#isIntraday = options.interval !== '1d' && options.interval !== '1w';
    this.#step = INTERVAL_MS[options.interval];
  }

  /**
   * @param bar start, open, high, low, close, volume
   * @returns the start of the bar: for a daily one given by its date, the open of the session
   * @throws {ConfigError} naming the row
   */
  next(bar: Float64Array, row: number): number {
    const given = bar[0] ?? NaN;
    if (!isInCalendar(given))
      throw this.#error(row, 'outside the years 2000 to 2050: ts is in seconds or milliseconds', given);
    const start = this.#isIntraday ? given : this.#openOf(given);
    if (!(start > this.#last))
      throw this.#error(
        row,
        start === this.#last ? 'the same bar twice' : 'earlier than the bar before it',
        start,
      );
    const before = this.#session;
    if (!before || start >= before.close) this.#enter(start, row);
    const isFirst = before !== this.#session;
    if (this.#isIntraday && isFirst && before) this.#checkGap(before.close, row);
    if (this.#isIntraday) this.#checkStep(start, { row, isFirst });
    this.#checkPrices(bar, row);
    this.#last = start;
    return start;
  }

  /** A date stands for its session. */
  #openOf(at: number): number {
    if (at % DAY_MS !== 0) return at;
    return this.#options.calendar.sessionOn(new Date(at).toISOString().slice(0, 10))?.open ?? at;
  }

  #enter(start: number, row: number): void {
    const { calendar, interval } = this.#options;
    const session = calendar.sessionAt(epochMs(start));
    if (!session) throw this.#error(row, 'outside the regular sessions', start);
    if (!this.#isIntraday && start !== session.open)
      throw this.#error(
        row,
        `a bar of ${interval} starts at the open of its session, ${toIso(session.open)}`,
        start,
      );
    if (this.#session && interval !== '1w') this.#countMissing(this.#session, session, row);
    this.#session = session;
  }

  #countMissing(before: Session, after: Session, row: number): void {
    const { calendar, place } = this.#options;
    for (
      let at = calendar.nextSession(before.open);
      at.open < after.open;
      at = calendar.nextSession(at.open)
    ) {
      const { count, ...known } = this.missingSessions ?? { place: place(row), count: 0, first: at.date };
      this.missingSessions = { ...known, count: count + 1 };
    }
  }

  #checkStep(start: number, { row, isFirst }: Readonly<{ row: number; isFirst: boolean }>): void {
    const open = this.#session?.open ?? start;
    if ((start - open) % this.#step !== 0)
      throw this.#error(row, `not on a step of ${this.#options.interval} from the open`, start);
    const expected = isFirst ? open : this.#last + this.#step;
    this.#checkGap(start, row, expected);
  }

  /** Bars that are missing before an instant, which the bar of this row shows. */
  #checkGap(to: number, row: number, from = this.#last + this.#step): void {
    if (from >= to) return;
    const missing = Math.ceil((to - from) / this.#step);
    this.gaps.push({ place: this.#options.place(row), missing, from, to });
  }

  #checkPrices(bar: Float64Array, row: number): void {
    const [open, high, low, close, volume] = [
      bar[1] ?? NaN,
      bar[2] ?? NaN,
      bar[3] ?? NaN,
      bar[4] ?? NaN,
      bar[5] ?? NaN,
    ];
    if (low > 0 && low <= open && low <= close && high >= open && high >= close && volume >= 0) return;
    const what =
      low > 0
        ? volume >= 0
          ? 'high and low do not enclose open and close'
          : 'the volume is below 0'
        : 'a price is not above 0';
    throw new ConfigError(`${this.#options.place(row)}: ${what}`);
  }

  #error(row: number, what: string, start: number): ConfigError {
    const at = Math.abs(start) < YEAR_10000 ? toIso(epochMs(start)) : String(start);
    return new ConfigError(`${this.#options.place(row)}: the bar of ${at} is wrong: ${what}`);
  }
}
