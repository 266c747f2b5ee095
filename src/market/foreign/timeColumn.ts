import type { TradingCalendar } from '../../calendar/index.ts';
import { dateOf, type Day, type Zone } from '../../calendar/zone.ts';
import { epochMs, toIso } from '../../core/brand.ts';
import { DATE_ORDERS, dayIn, daysOf, stampOf, type DateOrder, type Stamp } from './stamps.ts';
import type { ForeignTable } from './table.ts';

type Written = Exclude<Stamp, { at: number }>;
type Question = Readonly<{ flag: string; text: string }>;

const isWritten = (stamp: Stamp): stamp is Written => !('at' in stamp);
/** True for a date that does not show by itself in which order it stands. */
const isOpen = (stamp: Stamp): stamp is Written => isWritten(stamp) && stamp.numbers[0] <= 99;

/** Times of a file, of which the order of day and month and the zone are decided over all of them. */
export class TimeColumn {
  readonly stamps: Stamp[] = [];
  readonly #rows: number[] = [];
  readonly #table: ForeignTable;
  readonly #text: (row: number) => string;

  /** @param text the time of a row as it stands */
  constructor(table: ForeignTable, text: (row: number) => string) {
    [this.#table, this.#text] = [table, text];
  }

  /** False for what is no time. */
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

  /** True where a time names no zone. */
  hasNoZone(): boolean {
    return this.stamps.every((stamp) => isWritten(stamp) && !stamp.zone);
  }

  /** Day of a date as it is written; undefined for an instant. */
  written(index: number, order: DateOrder): Day | undefined {
    const stamp = this.stamps[index];
    return stamp && isWritten(stamp) ? dayIn(stamp.numbers, order) : undefined;
  }

  /** Places of the times beside each other, as if all were in UTC. */
  places(order: DateOrder): number[] {
    return this.stamps.map((stamp) =>
      isWritten(stamp)
        ? dayIn(stamp.numbers, order) + (stamp.clock ?? 0) - (stamp.zone?.offset(0) ?? 0)
        : stamp.at,
    );
  }

  /**
   * Order of day, month and year.
   * @returns a question where two orders fit
   * @throws {ConfigError} for a date that does not exist in the order of the others, or of `asked`
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
    return {
      flag: '--dates',
      text: `"${this.#text(this.#rows[shown?.index ?? 0] ?? 0)}" is ${readings.join(' or ')}`,
    };
  }

  /**
   * Days of daily and weekly bars, as midnights UTC. A stamp at midnight, of whatever zone, is a date.
   * @param zone in which instants begin their days, where neither UTC nor New York explains them
   */
  days(order: DateOrder, zone: Zone | null, calendar: TradingCalendar): Day[] {
    const days = this.stamps.map((stamp) =>
      isWritten(stamp) && (!stamp.zone || stamp.clock === 0) ? dayIn(stamp.numbers, order) : NaN,
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

  /** Question for the zone of times that name none; null where there are none. */
  zoneQuestion(): Question | null {
    const index = this.stamps.findIndex((stamp) => isWritten(stamp) && !stamp.zone && stamp.clock !== null);
    if (index < 0) return null;
    return {
      flag: '--zone',
      text: `the time "${this.#text(this.#rows[index] ?? 0)}" names no zone (--zone new-york, --zone utc or another)`,
    };
  }

  /** Instants of bars within a day, epoch ms. @throws {ConfigError} for a date alone */
  instants(order: DateOrder, zone: Zone | null): number[] {
    return this.stamps.map((stamp, index) => {
      if (isWritten(stamp) && stamp.clock === null)
        throw this.#error(index, 'is a date alone, as of a daily bar: name the length by --interval 1d');
      return this.#instant(index, order, zone);
    });
  }

  #instant(index: number, order: DateOrder, zone: Zone | null): number {
    const stamp = this.stamps[index];
    if (!stamp || !isWritten(stamp)) return stamp?.at ?? NaN;
    return (stamp.zone ?? zone)?.instant(dayIn(stamp.numbers, order), stamp.clock ?? 0) ?? NaN;
  }

  #error(index: number, what: string) {
    const row = this.#rows[index] ?? 0;
    return this.#table.error(row, `"${this.#text(row)}" ${what}`);
  }
}

/** True for numbers that only rise, or only fall. */
const isSorted = (numbers: readonly number[]): boolean =>
  numbers.every((each, at) => at === 0 || each >= (numbers[at - 1] ?? each)) || isFalling(numbers);

/** True for numbers that never rise, and fall at least once. */
export const isFalling = (numbers: readonly number[]): boolean =>
  (numbers[0] ?? 0) > (numbers.at(-1) ?? 0) &&
  numbers.every((each, at) => at === 0 || each <= (numbers[at - 1] ?? each));

export type { Question };
