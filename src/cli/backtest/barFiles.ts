import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { TradingCalendar } from '../../calendar/index.ts';
import { ConfigError } from '../../core/errors.ts';
import { INTERVALS, type Interval } from '../../domain/bar.ts';
import { isTicker, type Ticker } from '../../domain/instrument.ts';
import { columnsFrom } from '../../market/columns.ts';
import { CsvBars, describeGap, describeMissing } from '../../market/csvBars.ts';
import type { BarColumns } from '../../market/series.ts';
import type { BacktestBars } from '../../backtest/options.ts';
import { readNamed } from '../files.ts';

const CHUNK_BYTES = 1 << 20;

type BarFileOptions = Readonly<{
  interval: Interval;
  calendar: TradingCalendar;
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
export function readBars(argument: string, options: BarFileOptions): BacktestBars {
  const { symbol, file } = symbolFile('--bars', argument, options.cwd);
  return { symbol, interval: options.interval, ...readBarFile(file, options) };
}

/** @throws {ConfigError} as `readBars` does */
export const readBarFile = (file: string, options: BarFileOptions): BarColumns =>
  extname(file) === '.f64'
    ? readNamed(file, () => columnsFrom(readFileSync(file), file))
    : readCsv(file, options);

function readCsv(file: string, { interval, calendar, warn }: BarFileOptions): BarColumns {
  const csv = new CsvBars({ file, interval, calendar });
  forEachChunk(file, (chunk) => csv.push(chunk));
  const { columns, gaps, missingSessions } = csv.end();
  const [first] = gaps;
  if (first)
    warn(gaps.length === 1 ? describeGap(first) : `${describeGap(first)}, the first of ${gaps.length} gaps`);
  if (missingSessions) warn(describeMissing(missingSessions));
  return columns;
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
