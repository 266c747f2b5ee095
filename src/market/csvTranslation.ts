import { newYorkDate, newYorkTime, type TradingCalendar } from '../calendar/index.ts';
import { epochMs, toIso } from '../core/brand.ts';
import { ConfigError } from '../core/errors.ts';
import { isIntraday, type Interval } from '../domain/bar.ts';
import { fieldsOf, type CsvFormat } from './csvFormat.ts';

/** Zone of times that name none. */
export type TimeZone = 'new-york' | 'utc';

type TranslationOptions = Readonly<{
  format: CsvFormat;
  file: string;
  interval: Interval;
  /** Symbol of the bars: rows of others are left out. */
  symbol: string;
  zone: TimeZone | null;
  calendar: TradingCalendar;
}>;

/** Rows that were left out. */
export type LeftOut = { outside: number; others: number; empty: number };

/** Bound from which an epoch is in microseconds, and from which in nanoseconds. */
const [MICROS_FROM, NANOS_FROM] = [1e14, 1e17];
const SECONDS_BELOW = 1e11;

/**
 * Turns the rows of another source into those of `ts,open,high,low,close,volume`, line by line, so that an error names the line of
 * the file. Left out, as an empty line, are rows outside the regular sessions, of other symbols, and without prices.
 */
export class CsvTranslation {
  readonly #options: TranslationOptions;
  readonly leftOut: LeftOut = { outside: 0, others: 0, empty: 0 };

  constructor(options: TranslationOptions) {
    this.#options = options;
  }

  /** @param line number of the line, from 1 @throws {ConfigError} with file and line for a time that cannot be read */
  line(text: string, line: number): string {
    if (text.trim() === '') return '';
    const { format, symbol } = this.#options;
    const fields = fieldsOf(text);
    const field = (place: number) => fields[place] ?? '';
    if (format.symbol !== null && field(format.symbol).toUpperCase() !== symbol)
      return this.#without('others');
    const prices = [format.open, format.high, format.low, format.close].map(field);
    if (prices.every((price) => /^(null|nan|)$/i.test(price))) return this.#without('empty');
    const clock = format.clock === null ? '' : ` ${field(format.clock)}`;
    const time = this.#time(`${field(format.time)}${clock}`, line);
    return time === null ? this.#without('outside') : [time, ...prices, field(format.volume)].join(',');
  }

  #without(why: keyof LeftOut): string {
    this.leftOut[why]++;
    return '';
  }

  /** Time of a bar as epoch ms, or its date where bars are of days; null outside the regular sessions. */
  #time(text: string, line: number): string | null {
    const { interval, calendar } = this.#options;
    const found = this.#read(text, line);
    if (!isIntraday(interval)) return typeof found === 'string' ? found : newYorkDate(epochMs(found));
    if (typeof found === 'string')
      throw this.#error(
        line,
        `"${text}" is a date alone, as of a daily bar: name the length by --interval 1d`,
      );
    return calendar.sessionAt(epochMs(found)) ? toIso(epochMs(found)) : null;
  }

  /** Epoch ms, or a date. */
  #read(text: string, line: number): number | string {
    if (/^\d{9,}$/.test(text)) return epochOf(Number(text));
    const [, date = '', time = '', zone = ''] =
      /^(\d{4}-\d{2}-\d{2}|\d{8}|\d{1,2}\/\d{1,2}\/\d{4})(?:[ T]+(\d{2}:?\d{2}(?::?\d{2}(?:\.\d+)?)?))?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/.exec(
        text,
      ) ?? [];
    if (date === '') throw this.#error(line, `the time "${text}" is not understood`);
    const day = isoDay(date);
    if (time === '' || (/^0+$/.test(time.replaceAll(':', '')) && zone === '')) return day;
    const [hhmm, rest] = [clockOf(time), secondsOf(time)];
    if (zone !== '') {
      const offset = /^(Z|UTC)$/.test(zone) ? 'Z' : zone.replace(/^(.\d{2})(\d{2})$/, '$1:$2');
      return Date.parse(`${day}T${hhmm}:${rest}${offset}`);
    }
    return this.#withoutZone(`${day} ${hhmm}`, rest, line);
  }

  #withoutZone(at: string, seconds: string, line: number): number {
    const { zone } = this.#options;
    if (zone === null)
      throw this.#error(
        line,
        `the time "${at}" names no zone. Say which it is in by --zone new-york or --zone utc`,
      );
    const [day = '', hhmm = ''] = at.split(' ');
    return zone === 'utc'
      ? Date.parse(`${day}T${hhmm}:${seconds}Z`)
      : newYorkTime(day, hhmm) + Number(seconds) * 1_000;
  }

  #error(line: number, what: string): ConfigError {
    const { file } = this.#options;
    return new ConfigError(`${file}:${line}: ${what}`, { file, line });
  }
}

function epochOf(value: number): number {
  if (value < SECONDS_BELOW) return value * 1_000;
  if (value >= NANOS_FROM) return Math.round(value / 1e6);
  return value >= MICROS_FROM ? Math.round(value / 1e3) : value;
}

function isoDay(date: string): string {
  if (date.includes('/')) {
    const [month = '', day = '', year = ''] = date.split('/');
    return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  }
  return date.includes('-') ? date : `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
}

const digitsOf = (time: string): string => time.replaceAll(':', '');
const clockOf = (time: string): string => `${digitsOf(time).slice(0, 2)}:${digitsOf(time).slice(2, 4)}`;
const secondsOf = (time: string): string => (digitsOf(time).slice(4) || '00').padStart(2, '0');

/** Words for what was left out; null for nothing. */
export function describeLeftOut({ outside, others, empty }: LeftOut): string | null {
  const parts = [
    ...(outside > 0 ? [`${outside} outside the regular sessions`] : []),
    ...(others > 0 ? [`${others} of other symbols`] : []),
    ...(empty > 0 ? [`${empty} without prices`] : []),
  ];
  return parts.length === 0 ? null : `rows left out: ${parts.join(', ')}`;
}
