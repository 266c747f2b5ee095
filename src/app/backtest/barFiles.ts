import { fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { TradingCalendar } from '../../calendar/index.ts';
import { allHours } from '../../calendar/phaseHours.ts';
import { DAY_MS, epochMs } from '../../core/brand.ts';
import { ConfigError } from '../../core/errors.ts';
import { INTERVALS, isIntraday, type Interval } from '../../domain/bar.ts';
import { isTicker, type Ticker } from '../../domain/instrument.ts';
import { columnsFrom } from '../../market/columns.ts';
import { CsvBars, describeGap, describeMissing } from '../../market/csvBars.ts';
import { readForeignBars, type ForeignBars, type ForeignFlags } from '../../market/foreign/bars.ts';
import { pricesText } from '../../market/foreign/sources.ts';
import { ALL_SESSIONS } from '../../market/barCheck.ts';
import { inspectBars } from '../../market/inspectBars.ts';
import { splitHours } from '../../market/outsideBars.ts';
import type { BarColumns } from '../../domain/barColumns.ts';
import { isInCalendar } from '../../market/series.ts';
import type { BacktestBars } from '../../backtest/options.ts';
import { readNamed } from '../../process/files.ts';
import { iso } from '../../process/output.ts';
import { onDescriptor } from '../../store/trust.ts';
import { shellWord } from '../../process/quotedCommand.ts';

const CHUNK_BYTES = 1 << 20;

type BarFileOptions = ForeignFlags &
  Readonly<{
    interval: Interval;
    calendar: TradingCalendar;
    /** Symbol to read, in a file with rows of several symbols. */
    symbol: string;
    /** Sessions whose rows are read. Default: the regular ones. */
    sessions?: 'regular' | 'all' | undefined;
    /** Reports oddities that are no reason to stop. */
    warn: (text: string) => void;
  }>;

/** Bars of a file. `foreign`: facts about a file written by another program, null for one of our own. */
type FileBars = Readonly<{ columns: BarColumns; foreign: ForeignBars | null }>;

/** Bars of the regular sessions; with `sessions: 'all'` also bars outside them, null if the file has none. */
export type NamedBars = BacktestBars & Readonly<{ outside?: BarColumns | null }>;

/** Parses the length of a bar. @throws {ConfigError} for any other text */
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
 * @throws {ConfigError} with the file, and for a CSV the line, that cannot be read; with `sessions: 'all'` also for a file
 * without a bar of a regular session
 */
export function readBars(
  argument: string,
  { cwd, ...options }: Omit<BarFileOptions, 'symbol' | keyof ForeignFlags> & Readonly<{ cwd: string }>,
): NamedBars {
  const { symbol, file } = symbolFile('--bars', argument, cwd);
  const { columns, foreign } = readBarFile(file, { ...options, symbol });
  if (foreign) options.warn(`${file} read as: ${foreign.readAs}`);
  if (foreign && foreign.prices !== 'raw')
    throw new ConfigError(
      `${file} ${pricesText(foreign.source, foreign.prices)}: no trade was made at such prices. Import it first: ` +
        `\`drover data import ${shellWord(file)} --symbol ${symbol}\` undoes that with the stored splits. If its prices are as traded, add --prices raw to that`,
      { file },
    );
  const name = { symbol, interval: options.interval };
  if (options.sessions !== 'all') return { ...name, ...columns };
  if (extname(file) === '.f64') requireSound(columns, { ...options, file });
  const { regular, outside } = splitHours(columns, options.calendar);
  if (regular.start.length === 0)
    throw new ConfigError(`${file} has no bar of a regular session, so there is nothing to play`, {
      file,
    });
  return { ...name, ...regular, outside: outside.start.length > 0 ? outside : null };
}

/** @throws {ConfigError} for bars of a day or longer, which have no part outside the regular session */
export function requireIntraday(interval: Interval, sessions: 'outside' | 'all'): void {
  if (isIntraday(interval)) return;
  throw new ConfigError(
    `a bar of ${interval} covers only regular sessions: --sessions ${sessions} is for bars shorter than a day, such as --interval 5m`,
  );
}

/** Hours in which bars may lie. */
export const hoursOf = ({
  calendar,
  sessions,
}: Pick<BarFileOptions, 'calendar' | 'sessions'>): TradingCalendar =>
  sessions === 'all' ? allHours(calendar) : calendar;

/** Checks the bars of a column file. Errors name a bar by its time, because the file has no lines. @throws {ConfigError} */
export function requireSound(
  columns: BarColumns,
  {
    file,
    interval,
    ...hours
  }: Pick<BarFileOptions, 'interval' | 'calendar' | 'sessions'> & Readonly<{ file: string }>,
): void {
  const found = inspectBars(columns, { interval, calendar: hoursOf(hours), actions: null });
  const wrong = found.find(({ kind }) =>
    ['order', 'duplicate', 'outside', 'step', 'price', 'range', 'volume'].includes(kind),
  );
  if (!wrong) return;
  const isOfPhase =
    wrong.kind === 'outside' &&
    isIntraday(interval) &&
    isInCalendar(wrong.at) &&
    hours.calendar.phaseAt(epochMs(wrong.at)).phase !== 'closed';
  const remedy = isOfPhase ? `. ${ALL_SESSIONS}` : '';
  throw new ConfigError(`${file}: the bar of ${iso(wrong.at)} is wrong: ${wrong.what}${remedy}`, { file });
}

/** Refuses daily bars, which start at midnight: a time that belongs to the night session. */
function requireTimes({ start }: BarColumns, file: string, { calendar, interval }: BarFileOptions): void {
  const midnight = (at: number) => calendar.newYorkTime(calendar.newYorkDate(epochMs(at)), '00:00');
  if (start.length > 1 && start.every((at) => at % DAY_MS === 0 || at === midnight(at)))
    throw new ConfigError(
      `${file}: each bar is dated at midnight, like daily bars. Give their length: --interval 1d instead of ${interval}`,
      { file },
    );
}

/** Reads a column file (`.f64`), CSV with our own header, or another program's file. @throws {ConfigError} like `readBars` */
export function readBarFile(file: string, options: BarFileOptions): FileBars {
  const isAll = options.sessions === 'all';
  if (isAll) requireIntraday(options.interval, 'all');
  const read = readSessions(file, { ...options, calendar: hoursOf(options) });
  if (isAll) requireTimes(read.columns, file, options);
  return read;
}

function readSessions(file: string, options: BarFileOptions): FileBars {
  const isRaw = (options.prices ?? 'raw') === 'raw';
  if (extname(file) === '.f64' && !isRaw)
    throw new ConfigError(
      `${file}: a column file has prices as traded: leave out --prices ${options.prices}, which is for CSV`,
      { file },
    );
  if (extname(file) === '.f64')
    return { columns: readNamed(file, () => columnsFrom(readFileSync(file), file)), foreign: null };
  const isOwn = isRaw && options.columns === undefined && isOwnHeader(file);
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

/** Maximum length of our own header, in bytes. */
const HEADER_BYTES = 200;

/** True for a file with our own header, and for an empty one. */
function isOwnHeader(file: string): boolean {
  const start = new Uint8Array(HEADER_BYTES);
  const size = readNamed(file, () =>
    onDescriptor(openSync(file, 'r'), (descriptor) => readSync(descriptor, start)),
  );
  const [header = ''] = new TextDecoder().decode(start.subarray(0, size)).split(/\r?\n/);
  return size === 0 || CsvBars.isHeader(header);
}

/** Reads a file in chunks. Opening a folder succeeds; only reading it fails. */
function forEachChunk(file: string, take: (chunk: Uint8Array) => void): void {
  const opened = readNamed(file, () => openSync(file, 'r'));
  onDescriptor(opened, (descriptor) => {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, fstatSync(descriptor).size + 1));
    const read = () => readNamed(file, () => readSync(descriptor, chunk));
    for (let size = read(); size > 0; size = read()) take(chunk.subarray(0, size));
  });
}
