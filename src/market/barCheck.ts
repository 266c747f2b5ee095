import type { Session, TradingCalendar } from '../calendar/index.ts';
import { DAY_MS, HOUR_MS, epochMs, toIso } from '../core/brand.ts';
import { ConfigError } from '../core/errors.ts';
import { brokenBar, INTERVAL_MS, isIntraday, type Interval } from '../domain/bar.ts';
import { holesBetween, isInCalendar, isOnStep, openOf, weekOpen } from './series.ts';

/** Missing bars of a session. */
export type Gap = Readonly<{ place: string; missing: number; from: number; to: number }>;

/** Number of sessions without any bar between the first bar and the last, and the row at which the first is noticed. */
export type MissingSessions = Readonly<{ place: string; count: number; first: string }>;

export type BarCheckOptions = Readonly<{
  interval: Interval;
  calendar: TradingCalendar;
  /** Location of a row for messages: `file:line`. */
  place: (row: number) => string;
}>;

const REMOVE_ONE = 'Remove one of the two rows';
const UNSORTED = 'earlier than the bar before it. Sort the rows by ts, oldest first';
const LEAVE_OUT = 'Leave it out; a ts with a time of day must be the start of the bar, with its zone';
/** Remedy for a bar outside the regular session. */
export const ALL_SESSIONS = '`drover data import` takes the hours outside them with --sessions all';

const YEAR_10000 = Date.UTC(10_000, 0, 1);

const isWeekend = (day: Date): boolean => day.getUTCDay() % 6 === 0;

/**
 * Checks bars in order: each after the one before, inside the calendar's sessions, on its step, with consistent prices.
 * Outside the regular sessions, missing bars are no gap: often nothing trades there.
 */
export class BarCheck {
  readonly gaps: Gap[] = [];
  /** Missing sessions; null if there are none, and for weekly bars. */
  missingSessions: MissingSessions | null = null;
  readonly #options: BarCheckOptions;
  readonly #isIntraday: boolean;
  readonly #step: number;
  #session: Session | undefined;
  #last = -Infinity;

  constructor(options: BarCheckOptions) {
    this.#options = options;
    this.#isIntraday = isIntraday(options.interval);
    this.#step = INTERVAL_MS[options.interval];
  }

  /**
   * @param bar start, open, high, low, close, volume
   * @returns the start of the bar; for a daily bar given by its date, the open of the session
   * @throws {ConfigError} naming the row
   */
  next(bar: Float64Array, row: number): number {
    const given = bar[0] ?? NaN;
    if (!isInCalendar(given))
      throw this.#error(row, 'outside the years 2000 to 2050: ts is in seconds or milliseconds', given);
    const start = this.#isIntraday ? given : this.#openOf(given);
    if (!(start > this.#last)) throw this.#error(row, start === this.#last ? this.#again : UNSORTED, start);
    const before = this.#session;
    if (!before || start >= before.close) this.#enter(start, row);
    if (this.#isIntraday) this.#checkStep(start, row);
    if (before !== this.#session || start !== this.#last + this.#step) this.#noteHoles(before, start, row);
    this.#checkPrices(bar, row);
    this.#last = start;
    return start;
  }

  get #again(): string {
    return this.#options.interval === '1w'
      ? `a second bar of its week. ${REMOVE_ONE}`
      : `the same bar twice. ${REMOVE_ONE}`;
  }

  /** Open of a bar given by its date: that of its session or, for weekly bars, of the week that begins or ends then. */
  #openOf(at: number): number {
    const { calendar, interval } = this.#options;
    if (at % DAY_MS !== 0) {
      const isMidnight =
        at % HOUR_MS === 0 && calendar.newYorkTime(calendar.newYorkDate(epochMs(at)), '00:00') === at;
      return isMidnight ? this.#openOf(Date.parse(calendar.newYorkDate(epochMs(at)))) : at;
    }
    const day = new Date(at);
    if (interval === '1w') return isWeekend(day) ? at : weekOpen(epochMs(at), calendar);
    return calendar.sessionOn(day.toISOString().slice(0, 10))?.open ?? at;
  }

  #enter(start: number, row: number): void {
    const { calendar } = this.#options;
    const session = calendar.sessionAt(epochMs(start));
    if (!session) throw this.#error(row, this.#outside(start), start);
    if (!this.#isIntraday) this.#checkOpen(start, session, row);
    this.#session = session;
  }

  #outside(start: number): string {
    const { interval, calendar } = this.#options;
    if (!this.#isIntraday) return `outside the regular sessions. ${LEAVE_OUT}`;
    if (calendar.phaseAt(epochMs(start)).phase === 'closed')
      return `outside the regular sessions and all other phases. ${LEAVE_OUT}`;
    const remedy =
      start % DAY_MS === 0
        ? `If these are daily bars, which have such times, give the length: --interval 1d instead of ${interval}`
        : LEAVE_OUT;
    return `outside the regular sessions. ${remedy}. ${ALL_SESSIONS}`;
  }

  #checkOpen(start: number, session: Session, row: number): void {
    const { calendar, interval } = this.#options;
    const open = openOf(session, interval, calendar);
    const of = interval === '1w' ? 'week' : 'session';
    if (!isOnStep(start, interval, open))
      throw this.#error(row, `a bar of ${interval} starts at the open of its ${of}, ${toIso(open)}`, start);
  }

  #checkStep(start: number, row: number): void {
    const open = this.#session?.open ?? start;
    if (!isOnStep(start, this.#options.interval, open))
      throw this.#error(
        row,
        `not a multiple of ${this.#options.interval} after the open. Give the length of these bars with --interval`,
        start,
      );
  }

  /** Records the bars missing before a bar, since the previous one or since the open of the first session. */
  #noteHoles(before: Session | undefined, start: number, row: number): void {
    const { calendar, place, interval } = this.#options;
    const session = before ?? this.#session;
    if (!session || interval === '1w') return;
    const end = !before ? session.open : this.#isIntraday ? this.#last + this.#step : session.close;
    for (const { from, to, date, isWhole } of holesBetween({ session, end, start }, calendar)) {
      if (calendar.phaseAt(epochMs(from)).phase !== 'regular') continue;
      if (isWhole) {
        const { count, ...known } = this.missingSessions ?? { place: place(row), count: 0, first: date };
        this.missingSessions = { ...known, count: count + 1 };
      } else this.gaps.push({ place: place(row), missing: Math.ceil((to - from) / this.#step), from, to });
    }
  }

  #checkPrices(bar: Float64Array, row: number): void {
    const what = brokenBar({
      open: bar[1] ?? NaN,
      high: bar[2] ?? NaN,
      low: bar[3] ?? NaN,
      close: bar[4] ?? NaN,
      volume: bar[5] ?? NaN,
    });
    if (what !== null)
      throw new ConfigError(`${this.#options.place(row)}: ${what}. Correct the row, or remove it`);
  }

  #error(row: number, what: string, start: number): ConfigError {
    const at = Math.abs(start) < YEAR_10000 ? toIso(epochMs(start)) : String(start);
    return new ConfigError(`${this.#options.place(row)}: the bar of ${at} is wrong: ${what}`);
  }
}
