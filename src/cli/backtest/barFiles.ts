import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { TradingCalendar } from '../../calendar/index.ts';
import { ConfigError } from '../../core/errors.ts';
import { INTERVALS, type Interval } from '../../domain/bar.ts';
import { isTicker, type Ticker } from '../../domain/instrument.ts';
import { columnsFrom } from '../../market/columns.ts';
import { CSV_HEADER, CsvBars, describeGap, describeMissing } from '../../market/csvBars.ts';
import { knownFormat, mappedFormat, pricesText, type CsvFormat } from '../../market/csvFormat.ts';
import { CsvTranslation, describeLeftOut, type LeftOut, type TimeZone } from '../../market/csvTranslation.ts';
import type { BarColumns } from '../../market/series.ts';
import type { BacktestBars } from '../../backtest/options.ts';
import { readNamed } from '../files.ts';

const CHUNK_BYTES = 1 << 20;

type BarFileOptions = Readonly<{
  interval: Interval;
  calendar: TradingCalendar;
  /** Symbol of the bars, where a file has rows of several. */
  symbol: string;
  /** Columns by their names in the file: `ts=Day,close=Last`. Default: those of a known source. */
  columns?: string | undefined;
  /** Zone of times that name none. Default: such times are refused. */
  zone?: TimeZone | undefined;
  /** Returns the prices as traded of a source that has adjusted them. */
  raw: (bars: BarColumns, format: CsvFormat, file: string) => BarColumns;
  cwd: string;
  /** Takes what is odd, but no reason to stop. */
  warn: (text: string) => void;
}>;

/** @throws {ConfigError} unless the text is the length of a bar */
export function intervalOf(text: string): Interval {
  const interval = INTERVALS.find((known) => known === text);
  if (interval) return interval;
  throw new ConfigError(`--interval "${text}": there is ${INTERVALS.join(', ')}`);
}

/** Symbol and absolute path of a flag such as `--bars SYMBOL=FILE`. @throws {ConfigError} naming the flag */
export function symbolFile(
  flag: string,
  argument: string,
  cwd: string,
): Readonly<{ symbol: Ticker; file: string }> {
  const [, symbol = '', name = ''] = /^([^=]+)=(.+)$/.exec(argument) ?? [];
  if (!isTicker(symbol) || name === '')
    throw new ConfigError(`${flag} "${argument}": write SYMBOL=FILE, with the symbol in upper case`);
  return { symbol, file: resolve(cwd, name) };
}

/**
 * Reads the bars of `--bars SYMBOL=FILE`: a column file (`.f64`) or CSV.
 * @throws {ConfigError} with the file, and for a CSV the line, of anything unreadable
 */
export function readBars(argument: string, options: Omit<BarFileOptions, 'symbol' | 'raw'>): BacktestBars {
  const { symbol, file } = symbolFile('--bars', argument, options.cwd);
  return {
    symbol,
    interval: options.interval,
    ...readBarFile(file, { ...options, symbol, raw: refuseAdjusted }),
  };
}

/** Refuses prices that a source has adjusted: a backtest plays those at which trades were made. */
function refuseAdjusted(bars: BarColumns, format: CsvFormat, file: string): BarColumns {
  if (format.prices === 'raw') return bars;
  throw new ConfigError(
    `${file} ${pricesText(format, format.prices)}: no trade was made at such prices. If its own are as traded, ` +
      'import it by `drover data import` with --prices raw; otherwise that undoes them with the actions of the symbol',
    { file },
  );
}

/** @throws {ConfigError} as `readBars` does */
export const readBarFile = (file: string, options: BarFileOptions): BarColumns =>
  extname(file) === '.f64'
    ? readNamed(file, () => columnsFrom(readFileSync(file), file))
    : readCsv(file, options);

function readCsv(file: string, options: BarFileOptions): BarColumns {
  const { interval, calendar, warn, columns: mapping } = options;
  const csv = new CsvBars({ file, interval, calendar });
  const reader = new ForeignRows(csv, { ...options, file, mapping });
  forEachChunk(file, (chunk) => reader.push(chunk));
  reader.end();
  const { columns, gaps, missingSessions } = csv.end();
  const [first] = gaps;
  if (first)
    warn(gaps.length === 1 ? describeGap(first) : `${describeGap(first)}, the first of ${gaps.length} gaps`);
  if (missingSessions) warn(describeMissing(missingSessions));
  const left = reader.leftOut && describeLeftOut(reader.leftOut);
  if (left !== null) warn(`${file}: ${left}`);
  return reader.format ? options.raw(columns, reader.format, file) : columns;
}

type ForeignOptions = Pick<BarFileOptions, 'interval' | 'calendar' | 'symbol' | 'zone'> &
  Readonly<{ file: string; mapping: string | undefined }>;

/** Passes the rows of a file on, those of another source translated. */
class ForeignRows {
  readonly #csv: CsvBars;
  readonly #options: ForeignOptions;
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  #translation: CsvTranslation | null = null;
  #rest = '';
  #line = 0;
  #hasBegun = false;
  format: CsvFormat | null = null;

  constructor(csv: CsvBars, options: ForeignOptions) {
    [this.#csv, this.#options] = [csv, options];
  }

  get leftOut(): LeftOut | null {
    return this.#translation?.leftOut ?? null;
  }

  push(chunk: Uint8Array): void {
    if (!this.#hasBegun) this.#begin(chunk);
    if (this.#translation) this.#take(this.#decoder.decode(chunk, { stream: true }));
    else this.#csv.push(chunk);
  }

  end(): void {
    if (this.#translation && this.#rest !== '') this.#take('\n');
  }

  /** Looks at the header: of drover's own columns nothing is to be translated. */
  #begin(chunk: Uint8Array): void {
    const [header = ''] = new TextDecoder().decode(chunk.subarray(0, HEADER_BYTES)).split(/\r?\n/);
    const { mapping, zone = null, ...options } = this.#options;
    this.format = mapping === undefined ? knownFormat(header) : mappedFormat(header, mapping);
    this.#hasBegun = true;
    if (this.format) this.#translation = new CsvTranslation({ ...options, zone, format: this.format });
  }

  #take(text: string): void {
    const translation = this.#translation;
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop() ?? '';
    const translated = lines.map((line) => {
      this.#line++;
      return this.#line === 1 ? CSV_HEADER : (translation?.line(line.replace(/\r$/, ''), this.#line) ?? '');
    });
    this.#csv.push(this.#encoder.encode(translated.map((line) => `${line}\n`).join('')));
  }
}

/** Longest header that is looked at. */
const HEADER_BYTES = 2_000;

/** A folder opens like a file, and fails only when it is read. */
function forEachChunk(file: string, take: (chunk: Uint8Array) => void): void {
  const descriptor = readNamed(file, () => openSync(file, 'r'));
  try {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, fstatSync(descriptor).size + 1));
    const read = () => readNamed(file, () => readSync(descriptor, chunk));
    for (let size = read(); size > 0; size = read()) take(chunk.subarray(0, size));
  } finally {
    closeSync(descriptor);
  }
}
