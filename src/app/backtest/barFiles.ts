import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { TradingCalendar } from '../../calendar/index.ts';
import { ConfigError } from '../../core/errors.ts';
import { INTERVALS, type Interval } from '../../domain/bar.ts';
import { isTicker, type Ticker } from '../../domain/instrument.ts';
import { columnsFrom } from '../../market/columns.ts';
import { CsvBars, describeGap, describeMissing } from '../../market/csvBars.ts';
import { readForeignBars, type ForeignBars, type ForeignFlags } from '../../market/foreign/bars.ts';
import { pricesText } from '../../market/foreign/sources.ts';
import type { BarColumns } from '../../market/series.ts';
import type { BacktestBars } from '../../backtest/options.ts';
import { readNamed } from '../../process/files.ts';

const CHUNK_BYTES = 1 << 20;

type BarFileOptions = ForeignFlags &
  Readonly<{
    interval: Interval;
    calendar: TradingCalendar;
    /** Symbol of the bars, where a file has rows of several. */
    symbol: string;
    /** Takes what is odd, but no reason to stop. */
    warn: (text: string) => void;
  }>;

/** Bars of a file. `foreign`: what is known of a file that another program has written, null for our own. */
type FileBars = Readonly<{ columns: BarColumns; foreign: ForeignBars | null }>;

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
export function readBars(
  argument: string,
  { cwd, ...options }: Omit<BarFileOptions, 'symbol' | keyof ForeignFlags> & Readonly<{ cwd: string }>,
): BacktestBars {
  const { symbol, file } = symbolFile('--bars', argument, cwd);
  const { columns, foreign } = readBarFile(file, { ...options, symbol });
  if (foreign) options.warn(`${file} read as: ${foreign.readAs}`);
  if (foreign && foreign.prices !== 'raw')
    throw new ConfigError(
      `${file} ${pricesText(foreign.source, foreign.prices)}: no trade was made at such prices. If its own are as traded, ` +
        'import it by `drover data import` with --prices raw; otherwise that undoes them with the actions of the symbol',
      { file },
    );
  return { symbol, interval: options.interval, ...columns };
}

/**
 * Reads a column file (`.f64`), CSV of our own header, or a file of another program.
 * @throws {ConfigError} as `readBars` does
 */
export function readBarFile(file: string, options: BarFileOptions): FileBars {
  if (extname(file) === '.f64')
    return { columns: readNamed(file, () => columnsFrom(readFileSync(file), file)), foreign: null };
  const isOwn = options.columns === undefined && isOwnHeader(file);
  const foreign = isOwn
    ? null
    : readForeignBars(
        readNamed(file, () => readFileSync(file)),
        { ...options, file },
      );
  const { columns, gaps, missingSessions } = foreign ?? readOwn(file, options);
  const [first] = gaps;
  if (first)
    options.warn(
      gaps.length === 1 ? describeGap(first) : `${describeGap(first)}, the first of ${gaps.length} gaps`,
    );
  if (missingSessions) options.warn(describeMissing(missingSessions));
  const left = foreign?.leftOut.toString() ?? '';
  if (left !== '') options.warn(`${file}: ${left}`);
  return { columns, foreign };
}

function readOwn(file: string, { interval, calendar }: BarFileOptions) {
  const csv = new CsvBars({ file, interval, calendar });
  forEachChunk(file, (chunk) => csv.push(chunk));
  return csv.end();
}

/** Bytes within which our own header ends. */
const HEADER_BYTES = 200;

/** True for a file with our own header, and for an empty one. */
function isOwnHeader(file: string): boolean {
  const descriptor = readNamed(file, () => openSync(file, 'r'));
  try {
    const start = new Uint8Array(HEADER_BYTES);
    const size = readNamed(file, () => readSync(descriptor, start));
    const [header = ''] = new TextDecoder().decode(start.subarray(0, size)).split(/\r?\n/);
    return size === 0 || CsvBars.isHeader(header);
  } finally {
    closeSync(descriptor);
  }
}

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
