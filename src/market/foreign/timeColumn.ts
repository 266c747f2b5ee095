import type { TradingCalendar } from '../../calendar/index.ts';
import { dateOf, weekdayOf, type Day, type Zone } from '../../calendar/zone.ts';
import { DAY_MS, epochMs, toIso } from '../../core/brand.ts';
import { ConfigError } from '../../core/errors.ts';
import { DATE_ORDERS, dayIn, daysOf, stampOf, type DateOrder, type Stamp } from './stamps.ts';
import type { ForeignTable } from './table.ts';

type Written = Exclude<Stamp, { at: number }>;
type Question = Readonly<{ flag: string; text: string; row?: number }>;

const isWritten = (stamp: Stamp): stamp is Written => !('at' in stamp);
/** True for a date whose order is not evident from the date itself. */
const isOpen = (stamp: Stamp): stamp is Written => isWritten(stamp) && stamp.numbers[0] <= 99;

/** Times of a file. The order of day and month, and the zone, are inferred from all of them. */
export class TimeColumn {
  readonly stamps: Stamp[] = [];
  readonly #rows: number[] = [];
  readonly #table: ForeignTable;
  readonly #text: (row: number) => string;

  /** @param text returns the time of a row as written */
  constructor(table: ForeignTable, text: (row: number) => string) {
    [this.#table, this.#text] = [table, text];
  }

  /** Returns false for a text that is not a time. */
  add(row: number): boolean {
    const stamp = stampOf(this.#text(row));
    if (!stamp) return false;
    this.stamps.push(stamp);
    this.#rows.push(row);
    return true;
  }

  isTime(row: number): boolean {
    return stampOf(this.#text(row)) !== null;
  }

  /** True if a time names no zone. */
  hasNoZone(): boolean {
    return this.stamps.every((stamp) => isWritten(stamp) && stamp.zones.length === 0);
  }

  /** Day of a date as written; undefined for an instant. */
  written(index: number, order: DateOrder): Day | undefined {
    const stamp = this.stamps[index];
    return stamp && isWritten(stamp) ? dayIn(stamp.numbers, order) : undefined;
  }

  /** Times on one scale, as if all were in UTC. */
  places(order: DateOrder): number[] {
    return this.stamps.map((stamp) =>
      isWritten(stamp)
        ? dayIn(stamp.numbers, order) + (stamp.clock ?? 0) - (stamp.zones[0]?.offset(0) ?? 0)
        : stamp.at,
    );
  }

  /**
   * Order of day, month and year.
   * @returns a question if two orders fit
   * @throws {ConfigError} for a date that does not exist in the order of the others, or in the order `asked`
   */
  order(asked: DateOrder | undefined): DateOrder | Question {
    const open = this.stamps.flatMap((stamp, index) => (isOpen(stamp) ? [{ stamp, index }] : []));
    let orders: readonly DateOrder[] = asked === undefined ? DATE_ORDERS : [asked];
    for (const { stamp, index } of open) {
      const left = orders.filter((order) => !Number.isNaN(dayIn(stamp.numbers, order)));
      if (left.length === 0)
        throw this.#error(
          index,
          `is no date in the order ${orders.join(' or ')}${asked === undefined ? ', as the rows before are' : ''}`,
        );
      orders = left;
    }
    const [first = 'ymd'] = orders;
    if (open.length === 0) return 'ymd';
    const days = (order: DateOrder) => open.map(({ stamp }) => dayIn(stamp.numbers, order));
    const sorted = orders.filter((order) => isSorted(days(order)));
    if (
      orders.length === 1 ||
      orders.every((order) => days(order).every((day, at) => day === days(first)[at]))
    )
      return first;
    const [only] = sorted;
    if (only !== undefined && sorted.length === 1) return only;
    const shown = open.find(
      ({ stamp }) => dayIn(stamp.numbers, first) !== dayIn(stamp.numbers, orders[1] ?? first),
    );
    const readings = orders.map(
      (order) => `${dateOf(dayIn((shown ?? open[0])?.stamp.numbers ?? [0, 0, 0], order))} (--dates ${order})`,
    );
    const row = this.#rows[shown?.index ?? 0] ?? 0;
    return { flag: '--dates', text: `"${this.#text(row)}" is ${readings.join(' or ')}`, row };
  }

  /**
   * Detects spreadsheet days that count from 1904, as in some files, instead of 1900.
   * @throws {ConfigError} if only that count puts none of the daily bars on a weekend
   */
  requireDaysFrom1900(): void {
    const days = this.stamps.map((stamp, index) =>
      /^\d{5}$/.test(this.#text(this.#rows[index] ?? 0)) && isWritten(stamp)
        ? dayIn(stamp.numbers, 'ymd')
        : NaN,
    );
    const isOff = (day: Day) => weekdayOf(day) > FRIDAY;
    const off = days.findIndex(isOff);
    if (off < 0 || days.some((day) => isOff(day + DAYS_TO_1904))) return;
    const [from1900, from1904] = [days[off] ?? NaN, (days[off] ?? NaN) + DAYS_TO_1904].map(dateOf);
    throw this.#error(
      off,
      `is ${from1900}, on a weekend, in a worksheet that counts days from 1900, and ${from1904} in one that counts from ` +
        '1904: write the column as dates, such as 2025-01-31',
    );
  }

  /**
   * Assigns one zone to each time whose zone name is ambiguous: the only meaning that puts all times in a session.
   * @param named possible zones of the header, for times that name none
   * @param asked zone given by the user, for ambiguous names that may mean it or of which several meanings fit
   * @returns a question if several fit
   */
  settleZones({ order, named, asked, isDaily, isInSession }: DateDecision): Question | null {
    const open = new Map<readonly Zone[], number[]>();
    for (const [index, stamp] of this.stamps.entries()) {
      if (!isWritten(stamp) || stamp.clock === null || (isDaily && stamp.clock === 0)) continue;
      const zones = stamp.zones.length === 0 ? named : stamp.zones;
      const indexes = open.get(zones);
      if (indexes) indexes.push(index);
      else if (zones.length > 1) open.set(zones, [index]);
      else this.stamps[index] = { ...stamp, zones };
    }
    for (const [zones, indexes] of open) {
      const timesBy = (zone: Zone) => indexes.map((index) => this.#instant(index, order, zone));
      const readings = zones.map((zone) => ({ zone, times: timesBy(zone) }));
      const inSession = readings.filter(({ times }) => times.every(isInSession));
      const wanted = asked && { zone: asked, times: timesBy(asked) };
      const best = inSession.length === 0 ? readings : inSession;
      const isTie = best.some((each) => !isSame(each, best[0]));
      const isOneOfThem = wanted && readings.some((each) => isSame(each, wanted));
      if (isTie && !wanted) {
        const names = best.map(({ zone }) => zone.name);
        return this.#zoneQuestion(indexes[0] ?? 0, 'may be of several zones', names);
      }
      const zone = wanted && (isTie || isOneOfThem) ? wanted.zone : best[0]?.zone;
      for (const index of indexes) {
        const stamp = this.stamps[index];
        if (stamp && isWritten(stamp)) this.stamps[index] = { ...stamp, zones: zone ? [zone] : [] };
      }
    }
    return null;
  }

  /** Zone of a time that does not name it itself; null for any other. */
  zoneOf(index: number, zone: Zone | null): string | null {
    const stamp = this.stamps[index];
    if (!stamp || !isWritten(stamp) || stamp.clock === null) return null;
    const [own] = stamp.zones.length === 1 ? stamp.zones : [zone];
    const text = this.#text(this.#rows[index] ?? 0).toLowerCase();
    return own && !text.includes(own.name.toLowerCase()) ? own.name : null;
  }

  /**
   * Days of daily and weekly bars, as midnights UTC. A stamp at midnight, in any zone, is a date.
   * @param zone in which the days of instants begin, if neither UTC nor New York explains them
   */
  days(order: DateOrder, zone: Zone | null, calendar: TradingCalendar): Day[] {
    const days = this.stamps.map((stamp) =>
      isWritten(stamp) && (stamp.zones.length === 0 || stamp.clock === 0) ? dayIn(stamp.numbers, order) : NaN,
    );
    const indexes = days.flatMap((day, index) => (Number.isNaN(day) ? [index] : []));
    const instants = indexes.map((index) => this.#instant(index, order, null));
    const closes = (at: number) => calendar.sessionAt(epochMs(at - 1))?.close === at;
    const found = daysOf(instants, null, closes);
    const known = typeof found === 'number' && zone ? daysOf(instants, zone, closes) : found;
    if (typeof known === 'number')
      throw this.#error(
        indexes[known] ?? 0,
        `is ${toIso(epochMs(instants[known] ?? NaN))}: neither midnight in UTC or New York nor an open or a close, so that ` +
          'nobody knows of which day the bar is. If these are daily bars, name the zone of their midnights, such as --zone ' +
          'Europe/Berlin; of shorter ones name the length, such as --interval 1h',
      );
    known.forEach((day, at) => (days[indexes[at] ?? 0] = day));
    return days;
  }

  /** Question about the zone of times that name none; null if there are none. */
  zoneQuestion(): Question | null {
    const index = this.stamps.findIndex(
      (stamp) => isWritten(stamp) && stamp.zones.length === 0 && stamp.clock !== null,
    );
    return index < 0 ? null : this.#zoneQuestion(index, 'names no zone', ['new-york', 'utc']);
  }

  #zoneQuestion(index: number, what: string, zones: readonly string[]): Question {
    const row = this.#rows[index] ?? 0;
    const flags = zones.map((zone) => `--zone ${zone}`).join(', ');
    const text = `the time "${this.#text(row)}" ${what} (${flags} or another)`;
    return { flag: '--zone', text, row };
  }

  /** Instants of intraday bars, epoch ms. @throws {ConfigError} for a date alone */
  instants(order: DateOrder, zone: Zone | null): number[] {
    return this.stamps.map((stamp, index) => {
      if (isWritten(stamp) && stamp.clock === null)
        throw this.#error(
          index,
          'is a date without a time, like that of a daily bar: give the length with --interval 1d',
        );
      return this.#instant(index, order, zone);
    });
  }

  /** @throws {ConfigError} for end times: several sessions have one at the close, and none at the open */
  requireStarts(instants: readonly number[], calendar: TradingCalendar): void {
    const [opens, closes] = [new Set<number>(), new Set<number>()];
    for (const at of instants) {
      const session = calendar.sessionAt(epochMs(at)) ?? calendar.sessionAt(epochMs(at - 1));
      if (!session || at === session.open) return;
      opens.add(session.open);
      if (at === session.close) closes.add(at);
    }
    if (opens.size > 1 && opens.size === closes.size)
      throw this.#error(
        instants.findIndex((at) => closes.has(at)),
        `is the end of a bar: in each of ${opens.size} sessions there is one at the close, and none at the open. Times are ` +
          'starts of bars: subtract their length from each',
      );
  }

  #instant(index: number, order: DateOrder, zone: Zone | null): number {
    const stamp = this.stamps[index];
    if (!stamp || !isWritten(stamp)) return stamp?.at ?? NaN;
    return (
      (stamp.zones.length === 1 ? stamp.zones[0] : zone)?.instant(
        dayIn(stamp.numbers, order),
        stamp.clock ?? 0,
      ) ?? NaN
    );
  }

  #error(index: number, what: string) {
    const row = this.#rows[index] ?? 0;
    return this.#table.error(row, `"${this.#text(row)}" ${what}`);
  }
}

const FRIDAY = 4;
const DAYS_TO_1904 = 1_462 * DAY_MS;

type ZoneReading = Readonly<{ zone: Zone; times: readonly number[] }>;

const isSame = (one: ZoneReading, other: ZoneReading | undefined): boolean =>
  one.times.every((at, place) => at === other?.times[place]);

type DateDecision = Readonly<{
  order: DateOrder;
  named: readonly Zone[];
  asked: Zone | null;
  /** True if a time at midnight is a date. */
  isDaily: boolean;
  isInSession: (at: number) => boolean;
}>;

/** True for numbers that are sorted, in either direction. */
const isSorted = (numbers: readonly number[]): boolean =>
  numbers.every((each, at) => at === 0 || each >= (numbers[at - 1] ?? each)) || isFalling(numbers);

/** True for numbers that never rise, and fall at least once. */
export const isFalling = (numbers: readonly number[]): boolean =>
  (numbers[0] ?? 0) > (numbers.at(-1) ?? 0) &&
  numbers.every((each, at) => at === 0 || each <= (numbers[at - 1] ?? each));

/** Error naming the flags for all open questions of a file, at the row of the first. */
export function openError(table: ForeignTable, questions: readonly Question[]): ConfigError {
  const texts = questions.map(({ text }) => text).join('; ');
  const flags = questions.map(({ flag }) => flag).join(' and ');
  const what = `${texts}. Add ${flags} to \`drover data import\`: the file can be read in more than one way`;
  const row = questions.find((question) => question.row !== undefined)?.row;
  const { file } = table;
  return row === undefined ? new ConfigError(`${file}: ${what}`, { file }) : table.error(row, what);
}

export type { Question };
