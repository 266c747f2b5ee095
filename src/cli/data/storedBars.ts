import { join, resolve } from 'node:path';
import type { TradingCalendar } from '../../calendar/index.ts';
import { ConfigError } from '../../core/errors.ts';
import { INTERVAL_MS, INTERVALS, type Interval } from '../../domain/bar.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { BarStore, type SetName, type StoredBars } from '../../market/barStore.ts';
import { isMadeOf, resample, wholeBars } from '../../market/resample.ts';
import { holdLock, makeFolder } from '../../store/stateFolder.ts';
import { configOf } from '../config/load.ts';
import type { CommandContext } from '../context.ts';
import { dataHomeOf } from '../folders.ts';

/** Bars of the store; `madeOf` is the length of those that they were made of. */
export type LoadedBars = StoredBars & Readonly<{ madeOf: Interval }>;

/** The lengths that are stored of a symbol, shortest first. */
export const storedLengths = (store: BarStore, symbol: Ticker): Interval[] =>
  INTERVALS.filter((interval) => store.manifest({ symbol, interval }) !== null);

/**
 * The bars of that length, or made of the longest shorter ones that are there; what those only begin or end in is left out.
 * @throws {ConfigError} naming the command that gets them
 * @throws {DataError} when they are damaged
 */
export function loadBars(
  store: BarStore,
  { symbol, interval }: SetName,
  calendar: TradingCalendar,
): LoadedBars {
  const lengths = storedLengths(store, symbol);
  const madeOf = lengths.includes(interval)
    ? interval
    : lengths
        .filter((length) => isMadeOf(interval, length))
        .sort((a, b) => INTERVAL_MS[b] - INTERVAL_MS[a])[0];
  const bars = madeOf && store.read({ symbol, interval: madeOf });
  if (!bars) throw noBars(store, { symbol, interval });
  if (madeOf === interval) return { ...bars, madeOf };
  const longer = resample(bars.columns, { from: madeOf, to: interval, calendar });
  const columns = wholeBars(longer);
  if (columns.start.length > 0) return { ...bars, interval, columns, madeOf };
  throw new ConfigError(
    `the bars of ${symbol} ${madeOf} in ${store.folder} do not make up a whole one of ${interval}`,
  );
}

const noBars = ({ folder }: BarStore, { symbol, interval }: SetName): ConfigError =>
  new ConfigError(
    `there are no bars of ${symbol} ${interval} in ${folder}, nor shorter ones to build them from. ` +
      `\`drover data pull ${symbol} --interval ${interval} --from DATE\` gets them from the venue, ` +
      `\`drover data import FILE --symbol ${symbol} --interval ${interval}\` from a file, ` +
      `\`drover data generate ${symbol} --interval ${interval} --from DATE --to DATE\` writes made-up ones to try things out`,
    { symbol, interval },
  );

export type DataFlags = Readonly<{ data?: string }>;

/** Folder of the market data: `--data`, `data.dir` of the config, or drover/data where programs keep their data. */
function dataFolderOf({ data }: DataFlags, context: CommandContext): string {
  if (data !== undefined) return resolve(context.cwd, data);
  const { dir } = configOf(context).config.data;
  if (dir !== undefined) return dir;
  return join(dataHomeOf(context.env), 'drover', 'data');
}

export const storeOf = (flags: DataFlags, context: CommandContext): BarStore =>
  new BarStore(dataFolderOf(flags, context));

/** The store, for a command that writes: no other does meanwhile. @throws {SafetyError} when another one does */
export async function withStore<T>(
  flags: DataFlags,
  context: CommandContext,
  work: (store: BarStore) => Promise<T>,
): Promise<T> {
  const store = storeOf(flags, context);
  makeFolder(store.folder, 'the folder of market data', 0o777);
  const release = holdLock(join(store.folder, '.lock'), `the data in ${store.folder}`);
  try {
    return await work(store);
  } finally {
    release();
  }
}
