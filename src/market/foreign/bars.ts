import type { Session, TradingCalendar } from '../../calendar/index.ts';
import { dateOf, zoneNamed, zonesNamed, type Zone } from '../../calendar/zone.ts';
import { DAY_MS, epochMs, toIso } from '../../core/brand.ts';
import { ConfigError, orAt } from '../../core/errors.ts';
import { INTERVAL_MS, INTERVALS, isIntraday, type Interval } from '../../domain/bar.ts';
import { ALL_SESSIONS, BarCheck, type Gap, type MissingSessions } from '../barCheck.ts';
import { columnsOf, BAR_FIELDS, mapColumns, type BarColumns } from '../../domain/barColumns.ts';
import { isInCalendar } from '../series.ts';
import { eventsOf, type ForeignEvent } from './events.ts';
import { isSymbol, layoutOf, requireDollars, type Layout } from './layout.ts';
import { LeftOut } from './leftOut.ts';
import { isEmpty, NumberCells, type Decimal } from './numbers.ts';
import { oddities, type PriceKind, type Source } from './sources.ts';
import type { DateOrder } from './stamps.ts';
import { ForeignTable, SEPARATOR_NAMES } from './table.ts';
import { isFalling, openError, TimeColumn, type Question } from './timeColumn.ts';

/** Settings for what a file may leave open, each named after its flag. */
export type ForeignFlags = Readonly<{
  columns?: string | undefined;
  dates?: DateOrder | undefined;
  decimal?: Decimal | undefined;
  prices?: PriceKind | undefined;
  zone?: string | undefined;
}>;

type ForeignOptions = ForeignFlags &
  Readonly<{
    file: string;
    interval: Interval;
    symbol: string;
    /** Hours in which bars may lie: the regular sessions, or all phases. */
    calendar: TradingCalendar;
    sessions?: 'regular' | 'all' | undefined;
  }>;

export type ForeignBars = Readonly<{
  columns: BarColumns;
  gaps: readonly Gap[];
  missingSessions: MissingSessions | null;
  source: Source;
  prices: PriceKind;
  events: readonly ForeignEvent[];
  leftOut: LeftOut;
  /** Description of the detected layout, in one line. */
  readAs: string;
}>;

const NUMBERS = ['open', 'high', 'low', 'close', 'volume'] as const;
const NO_SOURCE: Source = { name: 'a source that is not known', isKnown: false, prices: null };

/** Rows of bars as written in the file, each with its row number, its time (same index in `times`) and its numbers. */
type ForeignColumns = Readonly<{
  rows: number[];
  times: TimeColumn;
  numbers: NumberCells;
  values: number[][];
}>;

/**
 * Bars of a file written by another program. Separators and the formats of numbers, dates and zones are inferred from
 * all rows; if two readings fit, nothing is read.
 * @throws {ConfigError} with file, line and row of an error, or with the flags that decide
 */
export function readForeignBars(content: Uint8Array, options: ForeignOptions): ForeignBars {
  const table = new ForeignTable(options.file, content);
  const layout = layoutOf(table, options.symbol, options.columns);
  const leftOut = new LeftOut();
  const collected = collect(table, layout, { symbol: options.symbol, leftOut });
  if (collected.rows.length === 0) throw noneLeft(options.file, leftOut);
  const reading = decide(table, layout, { collected, options });
  const { decimal, starts } = reading;
  if (decimal === 'comma') readAgain(collected, layout);
  const order = Array.from(starts.keys());
  const isNewestFirst = isFalling(starts);
  if (isNewestFirst) order.reverse();
  const readAs = describe(table, layout, { reading, isNewestFirst, collected });
  const kept = keep(table, order, { starts, collected, options, leftOut });
  if (kept.columns.start.length === 0) throw noneLeft(options.file, leftOut, readAs);
  const dates = (index: number) => {
    const at = starts[index] ?? NaN;
    return isIntraday(options.interval) ? options.calendar.newYorkDate(epochMs(at)) : dateOf(at);
  };
  const events = eventsOf(table, layout, { rows: collected.rows, dates });
  return { ...kept, source: reading.source, prices: reading.prices, events, leftOut, readAs };
}

function noneLeft(file: string, leftOut: LeftOut, readAs?: string): ConfigError {
  const why = leftOut.toString();
  if (why === '')
    return new ConfigError(`${file}:1: no bar follows the header: export the file again`, { file });
  const read = readAs === undefined ? '' : `. It was read as: ${readAs}`;
  const remedy = leftOut.isOutside ? `. ${ALL_SESSIONS}` : '';
  return new ConfigError(`${file}: no bar of the file is usable; ${why}${read}${remedy}`, { file });
}

type CollectOptions = Readonly<{ symbol: string; leftOut: LeftOut }>;

/** Collects the rows with bars of the symbol. @throws {ConfigError} for a cell that cannot be read */
function collect(table: ForeignTable, layout: Layout, { symbol, leftOut }: CollectOptions): ForeignColumns {
  const time = timeText(table, layout);
  const collected = { rows: [], times: new TimeColumn(table, time), numbers: new NumberCells(table) };
  const values: number[][] = NUMBERS.map(() => []);
  const places = NUMBERS.map((field) => layout.columns[field] ?? -1);
  const others = othersIn(table, layout);
  const rows: number[] = collected.rows;
  const reasonOf = reasons(table, layout, symbol);
  for (let row = layout.first; row < table.rows.length; row++) {
    const reason = reasonOf(row);
    if (reason === 'blank') continue;
    if (reason === null || reason === 'empty') {
      if (reason === null && !collected.times.add(row))
        throw table.error(
          row,
          `the time "${time(row)}" is not understood: write a date or a time such as 2026-11-27T14:30:00Z`,
        );
      if (reason === 'empty') leftOut.add(collected.times.isTime(row) ? 'empty' : 'notes');
      if (reason === 'empty') continue;
      requireDollars(table, row, layout.columns.currency);
      rows.push(row);
      for (let index = 0; index < NUMBERS.length; index++)
        values[index]?.push(
          collected.numbers.add({ row, column: places[index] ?? -1 }, NUMBERS[index] ?? '', index === VOLUME),
        );
      for (const { column, name } of others) collected.numbers.check({ row, column }, name);
    } else leftOut.add(reason);
  }
  return { ...collected, values };
}

const VOLUME = 4;

/** Returns the time of a row as written: the date followed by a separate time column, if any. */
function timeText(table: ForeignTable, { columns, first }: Layout): (row: number) => string {
  const { ts = -1, clock } = columns;
  const isDate = /^\d{1,4}([-/.]?\d{1,2}){2}$|^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}$/.test(table.cell(first, ts));
  if (clock === undefined || !isDate) return (row) => table.cell(row, ts);
  return (row) => {
    const text = table.cell(row, clock);
    const padded = /^\d+$/.test(text) ? text.padStart(text.length <= 4 ? 4 : 6, '0') : text;
    return `${table.cell(row, ts)} ${padded}`.trim();
  };
}

type SkipReason = 'blank' | 'headers' | 'events' | 'empty' | 'others';

/** Returns the reason why a row has no bar of the symbol; null for a row that has one. */
function reasons(table: ForeignTable, layout: Layout, symbol: string): (row: number) => SkipReason | null {
  const { columns, header } = layout;
  const { ts = -1, symbol: symbolColumn } = columns;
  const prices = NUMBERS.slice(0, VOLUME).map((field) => columns[field] ?? -1);
  const [open = -1] = prices;
  const title = header?.[ts] ?? '';
  const width = header?.length ?? table.rows[layout.first]?.length ?? 0;
  return (row) => {
    const cells = table.rows[row] ?? [];
    if (cells.length <= 1 && table.cell(row, 0) === '') return 'blank';
    if (title !== '' && table.cell(row, ts) === title) return 'headers';
    if (/dividend|split|distribution/i.test(cells[open] ?? '')) return 'events';
    if (prices.every((column) => isEmpty(table.cell(row, column))))
      return cells.every((cell) => cell.trim() === '') ? 'blank' : 'empty';
    if (cells.length > width && cells.slice(width).some((cell) => cell.trim() !== ''))
      throw table.error(row, `${cells.length} fields instead of ${width}`);
    if (symbolColumn === undefined) return null;
    const own = table.cell(row, symbolColumn);
    if (!/^[\w.^/-]+$/.test(own))
      throw table.error(row, `the symbol is "${own}": write one such as ${symbol}`);
    return isSymbol(own, symbol) ? null : 'others';
  };
}

/** Unused numeric columns: a cell without a number there reveals a damaged row. */
function othersIn(table: ForeignTable, { columns, header, first }: Layout) {
  const read: ReadonlySet<number | undefined> = new Set(Object.values(columns));
  return (header ?? []).flatMap((name, column) => {
    const isNumber = /^\$?-?\d+([.,]\d+)*%?$/.test(table.cell(first, column));
    return read.has(column) || name === '' || !isNumber ? [] : [{ column, name }];
  });
}

type ReadDecision = Readonly<{
  order: DateOrder;
  decimal: Decimal;
  zone: Zone | null;
  prices: PriceKind;
  source: Source;
  starts: readonly number[];
}>;

type DecisionInput = Readonly<{ collected: ForeignColumns; options: ForeignOptions }>;

/** Decides how dates, zones, numbers and prices are read. @throws {ConfigError} naming the flags of open questions */
function decide(table: ForeignTable, layout: Layout, { collected, options }: DecisionInput): ReadDecision {
  const { times, numbers } = collected;
  const { calendar, interval } = options;
  if (options.interval === '1d') times.requireDaysFrom1900();
  const order = times.order(options.dates ?? layout.source.dates);
  const decimal = numbers.decimal(options.decimal ?? null);
  const questions: Question[] = typeof order === 'string' ? [] : [order];
  if (typeof decimal !== 'string')
    questions.push({
      flag: '--decimal',
      text: `"${table.cell(decimal.row, decimal.column)}" has thousands or decimals (--decimal point or comma)`,
      row: decimal.row,
    });
  const dates = typeof order === 'string' ? order : 'ymd';
  const asked = options.zone === undefined ? null : zoneOf(options.zone);
  const isDaily = !isIntraday(interval);
  const known = isKnownSource(layout, { times, order: dates });
  const source = known ? layout.source : NO_SOURCE;
  const zone = asked ?? zoneOf(source.zone);
  const named = asked || isDaily || layout.zone === null ? [] : zonesNamed(layout.zone);
  /** Daily bars may be stamped at a close. */
  const isInSession = (at: number) =>
    calendar.sessionAt(epochMs(at)) !== undefined ||
    (isDaily && calendar.sessionAt(epochMs(at - 1)) !== undefined);
  const several = times.settleZones({ order: dates, named, asked, isDaily, isInSession });
  const question = several ?? (isDaily || zone ? null : times.zoneQuestion());
  if (question) questions.push(question);
  const prices = options.prices ?? (isDaily ? source.prices : (source.intraday ?? source.prices));
  if (prices === null)
    questions.push({
      flag: '--prices',
      text: 'it is unknown how its prices are adjusted (--prices raw, splits or all)',
    });
  if (questions.length > 0) throw openError(table, questions);
  const starts = isDaily ? times.days(dates, zone, calendar) : times.instants(dates, zone);
  if (!isDaily && options.sessions !== 'all') times.requireStarts(starts, calendar);
  return { order: dates, decimal: decimal as Decimal, zone, prices: prices ?? 'raw', source, starts };
}

/** Zone of a flag or a source. @throws {ConfigError} for an unknown name */
function zoneOf(name: string | undefined): Zone | null {
  if (name === undefined) return null;
  const zone = zoneNamed(name);
  if (zone) return zone;
  throw new ConfigError(`--zone "${name}": write new-york, utc, or a name such as Europe/Berlin`);
}

/** False for the columns of a source known to write the latest row first, if the file does not. */
function isKnownSource(
  { source }: Layout,
  { times, order }: Readonly<{ times: TimeColumn; order: DateOrder }>,
): boolean {
  return source.isNewestFirst !== true || (times.hasNoZone() && isFalling(times.places(order)));
}

function readAgain({ rows, numbers, values }: ForeignColumns, { columns }: Layout): void {
  NUMBERS.forEach((field, index) => {
    rows.forEach((row, at) => {
      const column = values[index];
      if (column) column[at] = numbers.read({ row, column: columns[field] ?? -1 }, 'comma', index === VOLUME);
    });
  });
}

type DescriptionInput = Readonly<{
  reading: ReadDecision;
  isNewestFirst: boolean;
  collected: ForeignColumns;
}>;

function describe(
  table: ForeignTable,
  layout: Layout,
  { reading, isNewestFirst, collected }: DescriptionInput,
): string {
  const { source, decimal, starts, zone, prices } = reading;
  const [row = 0] = collected.rows;
  const [at = NaN] = starts;
  const text = timeText(table, layout)(row);
  const shown = at % DAY_MS === 0 ? dateOf(at) : toIso(epochMs(at));
  const named = collected.times.zoneOf(0, zone);
  return [
    source.isKnown
      ? `${source.isCommon ? 'columns as' : 'file'} of ${source.name}`
      : 'file of an unknown source',
    `cut by ${SEPARATOR_NAMES[table.separator] ?? `"${table.separator}"`}${layout.header ? '' : ', without a header'}`,
    `"${text}" is ${shown}${named === null ? '' : ` (${named})`}`,
    `decimal ${decimal}`,
    isNewestFirst ? 'newest first' : 'oldest first',
    PRICES[prices],
    ...oddities(collected.values),
  ].join('; ');
}

const PRICES: Readonly<Record<PriceKind, string>> = {
  raw: 'prices as traded',
  splits: 'prices adjusted for splits',
  all: 'prices adjusted for splits and dividends',
};

type KeepInput = Readonly<{
  starts: readonly number[];
  collected: ForeignColumns;
  options: ForeignOptions;
  leftOut: LeftOut;
}>;

/** Bars of sessions, without duplicates. @throws {ConfigError} with the row of a wrong bar, and both that contradict */
function keep(
  table: ForeignTable,
  order: readonly number[],
  { starts, collected, options, leftOut }: KeepInput,
) {
  const { rows, values } = collected;
  const { interval } = options;
  const columns = columnsOf(order.length);
  const check = new BarCheck({ ...options, place: (row) => table.place(row) });
  const bar = new Float64Array(BAR_FIELDS.length);
  const isInSession = sessionFilter(options, leftOut);
  let [count, before] = [0, -1];
  for (const index of order) {
    const [at = NaN, row = 0] = [starts[index], rows[index]];
    if (!isInSession(at)) continue;
    if (before >= 0 && starts[before] === at) {
      requireSame(table, [rows[before] ?? 0, row], { collected, indexes: [before, index], starts, interval });
      leftOut.add('repeated');
      continue;
    }
    before = index;
    bar[0] = at;
    for (let field = 0; field < NUMBERS.length; field++) {
      const value = values[field]?.[index] ?? NaN;
      if (Number.isNaN(value)) throw table.error(row, `${NUMBERS[field] ?? ''} is missing: write a number`);
      bar[field + 1] = value;
    }
    bar[0] = checked(table, row, () => check.next(bar, row));
    BAR_FIELDS.forEach((field, place) => (columns[field][count] = bar[place] ?? NaN));
    count++;
  }
  const { gaps, missingSessions } = check;
  return { columns: mapColumns(columns, (column) => column.slice(0, count)), gaps, missingSessions };
}

/** Result of a check. @throws {ConfigError} the error of the check, with the row as written */
function checked(table: ForeignTable, row: number, check: () => number): number {
  return orAt(ConfigError, check, ({ message }) => {
    throw table.error(row, message.replace(`${table.place(row)}: `, ''));
  });
}

/** Returns a filter for rows within the sessions, which counts the rows outside. */
function sessionFilter(options: ForeignOptions, leftOut: LeftOut): (at: number) => boolean {
  const { interval, calendar, sessions } = options;
  let session: Session | undefined;
  return (at) => {
    if (session && at >= session.open && at < session.close) return true;
    if (!isInCalendar(at) || interval === '1w') return true;
    const isDaily = !isIntraday(interval);
    session = isDaily ? undefined : calendar.sessionAt(epochMs(at));
    if (session) return true;
    const date = isDaily ? dateOf(at) : calendar.newYorkDate(epochMs(at));
    if (!calendar.sessionOn(date)) leftOut.addDay(Date.parse(date), calendar);
    else if (isDaily) return true;
    else leftOut.add(sessions === 'all' ? 'closed' : 'outside');
    return false;
  };
}

type Pair = Readonly<{
  collected: ForeignColumns;
  indexes: readonly [number, number];
  starts: readonly number[];
  interval: Interval;
}>;

/** @throws {ConfigError} showing both rows, when two with the same time have different numbers */
function requireSame(table: ForeignTable, rows: readonly [number, number], pair: Pair): void {
  const { collected, indexes, interval } = pair;
  const [first, second] = indexes;
  const isSame = collected.values.every((column) => Object.is(column[first], column[second]));
  if (isSame) return;
  const length = isIntraday(interval) ? null : lengthOf(collected.times);
  if (length !== null)
    throw table.error(
      rows[1],
      `there are several bars of this day. Name their length by --interval ${length}`,
    );
  throw table.error(
    Math.max(...rows),
    `this bar contradicts that of ${table.place(Math.min(...rows))}, which has the same time: ` +
      `${(table.rows[Math.min(...rows)] ?? []).join(table.separator)}. Remove one of the two rows`,
  );
}

/** Length of bars, inferred from their times of day; null for dates alone, and for an unsupported length. */
function lengthOf(times: TimeColumn): Interval | null {
  const at = times.places('mdy');
  const steps = at.slice(1).map((each, index) => Math.abs(each - (at[index] ?? NaN)));
  const step = Math.min(...steps.filter((each) => each > 0).slice(0, 1_000));
  return INTERVALS.find((interval) => isIntraday(interval) && INTERVAL_MS[interval] === step) ?? null;
}
