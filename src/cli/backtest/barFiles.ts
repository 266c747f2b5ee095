import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { TradingCalendar } from '../../calendar/index.ts';
import { ConfigError } from '../../core/errors.ts';
import { INTERVALS, type Interval } from '../../domain/bar.ts';
import { isTicker } from '../../domain/instrument.ts';
import { columnsFrom } from '../../market/columns.ts';
import { CsvBars, describeGap, describeMissing } from '../../market/csvBars.ts';
import type { BarColumns } from '../../market/series.ts';
import type { BacktestBars } from '../../backtest/options.ts';
import { unreadableFile } from '../files.ts';

const CHUNK_BYTES = 1 << 20;

export type BarFileOptions = Readonly<{
  interval: Interval;
  calendar: TradingCalendar;
  cwd: string;
  /** Told what is odd, but no reason to stop. */
  warn: (text: string) => void;
}>;

/** @throws {ConfigError} unless the text is the length of a bar */
export function intervalOf(text: string): Interval {
  const interval = INTERVALS.find((known) => known === text);
  if (interval) return interval;
  throw new ConfigError(`--interval "${text}": there is ${INTERVALS.join(', ')}`);
}

/**
 * Reads the bars that `--bars SYMBOL=FILE` names: a column file (`.f64`) or CSV.
 * @throws {ConfigError} with the file, and of a CSV the line, for what cannot be read
 */
export function readBars(argument: string, options: BarFileOptions): BacktestBars {
  const [, symbol = '', name = ''] = /^([^=]+)=(.+)$/.exec(argument) ?? [];
  if (!isTicker(symbol) || name === '')
    throw new ConfigError(`--bars "${argument}": write SYMBOL=FILE, with the symbol in upper case`);
  return { symbol, interval: options.interval, ...readBarFile(resolve(options.cwd, name), options) };
}

/** @throws {ConfigError} as `readBars` does */
export const readBarFile = (file: string, options: BarFileOptions): BarColumns =>
  extname(file) === '.f64' ? readColumns(file) : readCsv(file, options);

function readColumns(file: string): BarColumns {
  try {
    return columnsFrom(readFileSync(file), file);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

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

function forEachChunk(file: string, take: (chunk: Uint8Array) => void): void {
  const descriptor = opened(file);
  try {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, fstatSync(descriptor).size + 1));
    const read = () => readPart(file, descriptor, chunk);
    for (let size = read(); size > 0; size = read()) take(chunk.subarray(0, size));
  } finally {
    closeSync(descriptor);
  }
}

/** A folder opens like a file, and fails only when it is read. */
function readPart(file: string, descriptor: number, chunk: Uint8Array): number {
  try {
    return readSync(descriptor, chunk);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function opened(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

const unreadable = (file: string, cause: unknown): unknown =>
  cause instanceof ConfigError ? cause : unreadableFile(file, cause);
