import { join, resolve } from 'node:path';
import type { TradingCalendar } from '../../calendar/index.ts';
import { outsideHours } from '../../calendar/phaseHours.ts';
import { counted } from '../../core/counted.ts';
import { ConfigError, messageOf, SafetyError, closingAfter } from '../../core/errors.ts';
import { INTERVAL_MS, INTERVALS, isIntraday, type Interval } from '../../domain/bar.ts';
import { type Ticker, ticker } from '../../domain/instrument.ts';
import { BarStore, lengthText, setText, type SetName, type StoredBars } from '../../market/barStore.ts';
import { isMadeOf, resample, wholeBars } from '../../market/resample.ts';
import { holdLock, makeFolder } from '../../store/stateFolder.ts';
import { configOf } from '../config/load.ts';
import type { CommandContext } from '../../process/context.ts';
import type { Terminal } from '../../process/terminal.ts';
import { dataHomeOf } from '../../process/files.ts';
import { iso } from '../../process/output.ts';
import type { Manifest, Part, Source } from '../../market/manifest.ts';
import type { Difference, Span } from '../../market/mergeBars.ts';
import { instantOf, requireSpan } from '../config/times.ts';

/** Stored bars; `madeOf` is the length of the bars that they were built from. */
export type LoadedBars = StoredBars & Readonly<{ madeOf: Interval }>;

/** Lengths of the stored regular bars of a symbol, or of those outside the sessions; shortest first. */
export const storedLengths = (store: BarStore, symbol: Ticker, outside?: true): Interval[] =>
  INTERVALS.filter((interval) => store.manifest({ symbol, interval, ...(outside && { outside }) }) !== null);

/** Hours that the bars of a set fall into. */
export const hoursOfSet = (
  { outside }: Pick<SetName, 'outside'>,
  calendar: TradingCalendar,
): TradingCalendar => (outside ? outsideHours(calendar) : calendar);

/**
 * Bars of a length, stored or built from the longest shorter ones that are stored; bars that would be only partly covered are
 * left out.
 * @throws {ConfigError} naming the command that gets them
 * @throws {DataError} when they are damaged
 */
export function loadBars(store: BarStore, name: SetName, calendar: TradingCalendar): LoadedBars {
  const { symbol, interval, outside } = name;
  const lengths = storedLengths(store, symbol, outside);
  const madeOf = lengths.includes(interval)
    ? interval
    : lengths
        .filter((length) => isMadeOf(interval, length))
        .sort((a, b) => INTERVAL_MS[b] - INTERVAL_MS[a])[0];
  const bars = madeOf && store.read({ ...name, interval: madeOf });
  if (!bars) throw noBars(store, name);
  if (madeOf === interval) return { ...bars, madeOf };
  const longer = resample(bars.columns, { from: madeOf, to: interval, calendar: hoursOfSet(name, calendar) });
  const columns = wholeBars(longer);
  if (columns.start.length > 0) return { ...bars, interval, columns, madeOf };
  throw new ConfigError(
    `cannot build ${lengthText(name)} bars of ${symbol} from the stored ${madeOf} bars in ${store.folder}: none would be complete`,
  );
}

function noBars({ folder }: BarStore, { symbol, interval, outside }: SetName): ConfigError {
  const what = `there are no bars of ${setText({ symbol, interval, outside })} in ${folder}`;
  const daily = outside && !isIntraday(interval);
  if (daily)
    return new ConfigError(`${what}: a bar of ${interval} covers only regular sessions`, {
      symbol,
      interval,
    });
  const all = outside ? ' --sessions all' : '';
  const pulled = `\`drover data pull ${symbol} --interval ${interval} --from DATE\` gets them from the venue, `;
  const others =
    `\`drover data import FILE --symbol ${symbol} --interval ${interval}${all}\` ${outside ? 'takes them ' : ''}from a file, ` +
    `\`drover data generate ${symbol} --interval ${interval} --from DATE --to DATE${all}\` generates some to try things out`;
  const ways = `${outside ? '' : pulled}${others}`;
  return new ConfigError(`${what}, nor shorter ones to build them from. ${ways}`, { symbol, interval });
}

export type DataFlags = Readonly<{ data?: string }>;

/** Folder of the market data: `--data`, `data.dir` of the config, or drover/data in the user's data folder. */
function dataFolderOf({ data }: DataFlags, context: CommandContext): string {
  if (data !== undefined) return resolve(context.cwd, data);
  const { dir } = configOf(context).config.data;
  if (dir !== undefined) return dir;
  return join(dataHomeOf(context.env), 'drover', 'data');
}

export const storeOf = (flags: DataFlags, context: CommandContext): BarStore =>
  new BarStore(dataFolderOf(flags, context));

/** Opens the store exclusively, for a command that writes. @throws {SafetyError} when another process is writing */
export async function withStore<T>(
  flags: DataFlags,
  context: CommandContext,
  work: (store: BarStore) => Promise<T> | T,
): Promise<T> {
  const store = storeOf(flags, context);
  makeFolder(store.folder, 'the folder of market data', 0o777);
  const close = holdLock(join(store.folder, '.lock'), `the data in ${store.folder}`);
  return closingAfter({ close }, async () => work(store));
}

/** @throws {ConfigError} naming an invalid symbol */
export const tickersOf = (names: readonly string[] = []): Ticker[] =>
  names.map((name) => {
    try {
      return ticker(name.toUpperCase());
    } catch (error) {
      throw new ConfigError(messageOf(error));
    }
  });

/** Time range of `--from` and `--to`; `to` is exclusive. */
export function spanIn({ from, to }: Readonly<{ from?: string; to?: string }>, whole: Span): Span {
  const span = {
    from: from === undefined ? whole.from : instantOf('from', from),
    to: to === undefined ? whole.to : instantOf('to', to),
  };
  requireSpan(span);
  return span;
}

/** The sources, without repeats. */
export const sourcesOf = (parts: readonly Part[]): string =>
  [...new Set(parts.map(({ source }) => `${source.kind} ${source.name}`))].join(', ');

const SHOWN = 5;

/** Prints the bars on which two sources differ. */
export function reportDifferences(
  name: SetName,
  differences: readonly Difference[],
  { terminal, kept }: Readonly<{ terminal: Terminal; kept: boolean }>,
): void {
  for (const { start, stored, found } of differences.slice(0, SHOWN))
    terminal.err(`${setText(name)} ${iso(start)}: stored ${stored.join(' ')}, found ${found.join(' ')}`);
  if (differences.length === 0) return;
  const more = differences.length > SHOWN ? `, ${SHOWN} of them shown` : '';
  const what = kept ? 'the stored ones stay; --overwrite takes the new ones' : 'the new ones were taken';
  terminal.err(
    `${setText(name)}: ${counted(differences.length, 'bar')} unlike what is stored${more}; ${what}`,
  );
}

/** Fields of a set that every command prints. */
export const manifestJson = ({ symbol, interval, outside, bars, first, last, hash }: Manifest) => ({
  symbol,
  interval,
  ...(outside && { outside }),
  bars,
  first: iso(first),
  last: iso(last),
  hash,
});

/** JSON form of a difference. */
export const differenceJson = ({ start, stored, found }: Difference) => ({ at: iso(start), stored, found });

/**
 * Refuses to mix real bars with generated ones, in a set or between the regular bars and those outside the sessions.
 * @throws {SafetyError} naming both sources
 */
export function requireOneKind(
  { symbol, interval }: Omit<SetName, 'outside'>,
  { kind }: Pick<Source, 'kind'>,
  store: BarStore,
): void {
  const isReal = (of: Source['kind']) => of === 'venue' || of === 'file';
  for (const stored of withOutside({ symbol, interval }).flatMap((name) => store.manifest(name) ?? [])) {
    const other = stored.parts.find(
      ({ source }) => source.kind !== kind && !(isReal(kind) && isReal(source.kind)),
    );
    if (!other) continue;
    throw new SafetyError(
      `${setText(stored)} in ${store.folder} has bars of the kind "${other.source.kind}" (${other.source.name}), and bars of the kind "${kind}" are not mixed in. ` +
        `Use another folder (--data), or remove ${store.fileOf(stored)}`,
    );
  }
}

type TargetSets = Omit<SetName, 'outside'> & Readonly<{ sessions: 'regular' | 'all'; overwrite: boolean }>;

/**
 * Refuses to generate bars over existing ones, or over only one of two sets that belong together.
 * @throws {SafetyError} when there are bars from elsewhere, or bars that must not be replaced
 */
export function requireFree(store: BarStore, { symbol, interval, sessions, overwrite }: TargetSets): void {
  for (const set of withOutside({ symbol, interval })) {
    const manifest = store.manifest(set);
    if (!manifest) continue;
    const name = `${setText(set)} in ${store.folder}`;
    const kinds = manifest.parts.map(({ source }) => source.kind);
    if (!kinds.every((kind) => kind === 'generated' || kind === 'emulator'))
      throw new SafetyError(
        `${name} has bars that were not generated; they stay. Take another symbol, or another folder (--data)`,
      );
    if (set.outside && sessions !== 'all')
      throw new SafetyError(
        `there are generated bars of ${name} already, which new regular ones would not match: --sessions all --overwrite ` +
          `replaces both, or remove ${store.fileOf(set)}`,
      );
    if (overwrite) continue;
    const origin = kinds.includes('emulator') ? ', from an emulator,' : '';
    throw new SafetyError(`there are generated bars of ${name}${origin} already: --overwrite replaces them`);
  }
}

/** Name of a regular set, and of the set of bars outside the sessions with the same length. */
export const withOutside = ({ symbol, interval }: Omit<SetName, 'outside'>): SetName[] => [
  { symbol, interval },
  ...(isIntraday(interval) ? [{ symbol, interval, outside: true } as const] : []),
];
