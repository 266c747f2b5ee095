import { epochMs, toIso } from '../core/brand.ts';
import { ConfigError } from '../core/errors.ts';
import { isIntraday } from '../domain/bar.ts';
import { BarCheck, type BarCheckOptions, type Gap, type MissingSessions } from './barCheck.ts';
import type { BarColumns } from '../domain/barColumns.ts';

export const CSV_HEADER = 'ts,open,high,low,close,volume';
const FIELDS = 6;
const [COMMA, POINT, ZERO, NINE, NEWLINE, RETURN] = [44, 46, 48, 57, 10, 13];
const [DASH, Z] = [45, 90];
/** Largest number of digits with which float64 represents every whole number exactly. */
const DIGITS_MAX = 15;
const POWERS = Float64Array.from({ length: DIGITS_MAX + 1 }, (_, places) => 10 ** places);
const FIRST_CAPACITY = 4096;
/** Bound below which an epoch is in seconds: in milliseconds it would be in 1973. */
export const SECONDS_BELOW = 1e11;
/** Number of days in the shortest month. */
const SHORTEST_MONTH = 28;
/** Longest instant with a fast parser, with 0 for each digit. Shorter ones end after the minute or the second. */
const INSTANT = new TextEncoder().encode('0000-00-00T00:00:00.000Z');
const INSTANT_LENGTHS = [17, 20, 24];
/** Position of the first dash of an instant. */
const YEAR_DIGITS = 4;

type Unit = 'seconds' | 'milliseconds' | 'ISO 8601';

type CsvOptions = Omit<BarCheckOptions, 'place'> & Readonly<{ file: string }>;

/**
 * Reads bars from CSV, chunk by chunk: header `ts,open,high,low,close,volume`, where `ts` is the start of the bar as
 * epoch seconds or ms, or as ISO 8601 with a zone. For a daily bar, its date is enough.
 */
export class CsvBars {
  readonly #options: CsvOptions;
  readonly #check: BarCheck;
  #columns = columnsOf(FIRST_CAPACITY);
  #count = 0;
  #line = 0;
  #unit: Unit | null = null;
  /** Unfinished last line of the previous chunk. */
  #rest = new Uint8Array();
  readonly #row = new Float64Array(FIELDS);
  readonly #isIntraday: boolean;

  constructor(options: CsvOptions) {
    this.#options = options;
    this.#isIntraday = isIntraday(options.interval);
    this.#check = new BarCheck({ ...options, place: (row) => `${options.file}:${row + 2}` });
  }

  /** Parses rows. @throws {ConfigError} with file and line for a row that is not a bar, or is out of place */
  push(chunk: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? chunk : joined(this.#rest, chunk);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      this.#take(bytes, from, end);
      from = end + 1;
    }
    this.#rest = bytes.slice(from);
  }

  /** @throws {ConfigError} as `push` does, and when there are no bars */
  end(): Readonly<{
    columns: BarColumns;
    gaps: readonly Gap[];
    missingSessions: MissingSessions | null;
  }> {
    if (this.#rest.length > 0) this.#take(this.#rest, 0, this.#rest.length);
    if (this.#line === 0)
      throw new ConfigError(`${this.#options.file}: the file is empty; its first line is ${CSV_HEADER}`);
    if (this.#count === 0)
      throw new ConfigError(
        `${this.#options.file}:1: no bar follows the header. Add rows such as 2026-11-27,100,101,99.5,100.5,12000`,
      );
    const [start, open, high, low, close, volume] = this.#columns.map((column) =>
      column.slice(0, this.#count),
    );
    const { gaps, missingSessions } = this.#check;
    return { columns: { start, open, high, low, close, volume } as BarColumns, gaps, missingSessions };
  }

  #take(bytes: Uint8Array, from: number, end: number): void {
    const to = end > from && bytes[end - 1] === RETURN ? end - 1 : end;
    this.#line++;
    if (this.#line === 1) return this.#header(textOf(bytes, from, to));
    if (to === from) return;
    try {
      if (!this.#readFast(bytes, from, to)) this.#readSlow(textOf(bytes, from, to));
      this.#append();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConfigError(`${error.message}. The row is: ${textOf(bytes, from, to)}`, error.details);
    }
  }

  /** True for our own header. */
  static isHeader(text: string): boolean {
    return text.replace('\uFEFF', '').replaceAll(' ', '').toLowerCase() === CSV_HEADER;
  }

  #header(text: string): void {
    if (!CsvBars.isHeader(text)) throw this.#error(`the header is "${text}"; write ${CSV_HEADER}`);
  }

  /**
   * Parses six plain decimals of at most 15 digits, the first of which may be an instant, which covers nearly every
   * row. Returns false to leave the row to the slow parser.
   */
  #readFast(bytes: Uint8Array, from: number, to: number): boolean {
    const isIso = this.#isIntraday && bytes[from + YEAR_DIGITS] === DASH;
    const comma = isIso ? bytes.indexOf(COMMA, from) : from - 1;
    if (isIso) this.#row[0] = instantOf(bytes, from, comma);
    if (isIso && Number.isNaN(this.#row[0])) return false;
    let [field, mantissa, digits, places] = [isIso ? 1 : 0, 0, 0, -1];
    for (let at = comma + 1; at <= to; at++) {
      const byte = at === to ? COMMA : (bytes[at] ?? 0);
      if (byte >= ZERO && byte <= NINE) {
        mantissa = mantissa * 10 + (byte - ZERO);
        digits++;
        if (places >= 0) places++;
      } else if (byte === POINT && places < 0 && digits > 0) places = 0;
      else if (byte === COMMA && digits > 0 && digits <= DIGITS_MAX && places !== 0 && field < FIELDS) {
        this.#row[field++] = places > 0 ? mantissa / (POWERS[places] ?? NaN) : mantissa;
        [mantissa, digits, places] = [0, 0, -1];
      } else return false;
    }
    if (field !== FIELDS) return false;
    if (isIso) this.#setUnit('ISO 8601');
    else this.#setTime(this.#row[0] ?? NaN);
    return true;
  }

  /** Parses any other row, and produces the error for an unreadable one. */
  #readSlow(text: string): void {
    const fields = text.split(',').map((field) => field.trim());
    if (fields.length !== FIELDS)
      throw this.#error(`${fields.length} fields instead of ${FIELDS}: ${CSV_HEADER}`);
    const [time = '', ...numbers] = fields;
    numbers.forEach((field, index) => {
      const value = /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(field) ? Number(field) : NaN;
      if (!Number.isFinite(value))
        throw this.#error(
          `${CSV_HEADER.split(',')[index + 1] ?? ''} is "${field}", which is not a number: write a decimal such as 191.25`,
        );
      this.#row[index + 1] = value;
    });
    if (/^\d+$/.test(time)) this.#setTime(Number(time));
    else this.#setIso(time);
  }

  #setTime(value: number): void {
    const unit = value < SECONDS_BELOW ? 'seconds' : 'milliseconds';
    this.#setUnit(unit);
    this.#row[0] = unit === 'seconds' ? value * 1000 : value;
  }

  #setIso(time: string): void {
    const isMidnight =
      !this.#isIntraday && /^\d{4}-\d{2}-\d{2}T00:00(:00(\.0+)?)?(Z|[+-]\d{2}:?\d{2})$/.test(time);
    const isDate = isMidnight || /^\d{4}-\d{2}-\d{2}$/.test(time);
    const at = isMidnight
      ? Date.parse(time.slice(0, 10))
      : isDate || /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:?\d{2})$/.test(time)
        ? Date.parse(time)
        : NaN;
    if (Number.isNaN(at))
      throw this.#error(
        `ts is "${time}": write epoch seconds or ms, or ISO 8601 with a zone, as 2026-11-27T14:30:00Z`,
      );
    if (isDate && this.#isIntraday)
      throw this.#error(
        `ts is "${time}", a date without a time, like that of a daily bar. Give the length of these bars: --interval 1d instead of ${this.#options.interval}`,
      );
    if (!isDayOfMonth(time)) throw this.#error(`ts is "${time}": its month has no such day`);
    this.#setUnit('ISO 8601');
    this.#row[0] = at;
  }

  #setUnit(unit: Unit): void {
    if (this.#unit !== null && this.#unit !== unit)
      throw this.#error(`ts is in ${unit}, but in earlier lines in ${this.#unit}: use one unit`);
    this.#unit = unit;
  }

  #append(): void {
    if (this.#count === this.#columns[0]?.length) this.#columns = this.#columns.map(doubled);
    this.#row[0] = this.#check.next(this.#row, this.#line - 2);
    for (let field = 0; field < FIELDS; field++) {
      const column = this.#columns[field];
      if (column) column[this.#count] = this.#row[field] ?? NaN;
    }
    this.#count++;
  }

  #error(what: string): ConfigError {
    const { file } = this.#options;
    return new ConfigError(`${file}:${this.#line}: ${what}`, { file, line: this.#line });
  }
}

/**
 * Epoch ms of an instant such as `2026-11-27T14:30Z`, with optional seconds and milliseconds; NaN for any other format,
 * and for a day or hour that does not exist.
 */
function instantOf(bytes: Uint8Array, from: number, to: number): number {
  const length = to - from;
  if (!INSTANT_LENGTHS.includes(length) || bytes[to - 1] !== Z) return NaN;
  for (let place = 0; place < length - 1; place++) {
    const [byte = 0, form] = [bytes[from + place], INSTANT[place]];
    if (form === ZERO ? byte < ZERO || byte > NINE : byte !== form) return NaN;
  }
  const number = (place: number, digits: number) => wholeOf(bytes, from + place, digits);
  const [year, month, day] = [number(0, 4), number(5, 2), number(8, 2)];
  const [hour, minute] = [number(11, 2), number(14, 2)];
  const [second, ms] = [length > 17 ? number(17, 2) : 0, length > 20 ? number(20, 3) : 0];
  const at = Date.UTC(year, month - 1, day, hour, minute, second, ms);
  // `Date.UTC` reads a year below 100 as one of the last century.
  const exists =
    year >= 100 && month >= 1 && month <= 12 && day >= 1 && hour < 24 && minute < 60 && second < 60;
  return exists && (day <= SHORTEST_MONTH || new Date(at).getUTCDate() === day) ? at : NaN;
}

function wholeOf(bytes: Uint8Array, from: number, digits: number): number {
  let whole = 0;
  for (let at = from; at < from + digits; at++) whole = whole * 10 + (bytes[at] ?? 0) - ZERO;
  return whole;
}

/** True for an existing date: `Date.parse` reads the 30th of February as the 2nd of March. */
function isDayOfMonth(time: string): boolean {
  const day = Number(time.slice(8, 10));
  if (day <= SHORTEST_MONTH) return true;
  return day <= new Date(Date.UTC(Number(time.slice(0, 4)), Number(time.slice(5, 7)), 0)).getUTCDate();
}

/** Warning about a gap. */
export const describeGap = ({ place, missing, from, to }: Gap): string =>
  `${place}: ${missing} ${missing === 1 ? 'bar is' : 'bars are'} missing between ${toIso(epochMs(from))} and ${toIso(epochMs(to))}`;

export const describeMissing = ({ place, count, first }: MissingSessions): string =>
  `${place}: ${count === 1 ? `1 session without bars, ${first}` : `${count} sessions without bars, the first ${first}`}`;

const columnsOf = (capacity: number) => Array.from({ length: FIELDS }, () => new Float64Array(capacity));

function doubled(column: Float64Array): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(column.length * 2);
  wider.set(column);
  return wider;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  decoder.decode(bytes.subarray(from, to));

const ROWS = 10_000;

/** Bars as CSV that parses to the same numbers, some lines at a time; `ts` in epoch ms. */
export function* csvText({ start, open, high, low, close, volume }: BarColumns): Generator<string> {
  yield `${CSV_HEADER}\n`;
  for (let from = 0; from < start.length; from += ROWS) {
    let text = '';
    for (let at = from; at < Math.min(from + ROWS, start.length); at++)
      text += `${start[at]},${open[at]},${high[at]},${low[at]},${close[at]},${volume[at]}\n`;
    yield text;
  }
}
