import { basename } from 'node:path';
import {
  cashOf,
  type BacktestAction,
  type BacktestBars,
  type BacktestOptions,
} from '../../backtest/options.ts';
import { strategiesOf, type PlannedStrategy } from '../../backtest/setup.ts';
import { tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import { ConfigError, InvalidValueError, orAt, faultIn } from '../../core/errors.ts';
import { INTERVAL_MS, isIntraday, type Interval } from '../../domain/bar.ts';
import { isMadeOf } from '../../market/resample.ts';
import { actionOf } from '../../domain/corporateAction.ts';
import { ticker, type Ticker, isTicker } from '../../domain/instrument.ts';
import type { BarStore } from '../../market/barStore.ts';
import type { CommandContext } from '../../process/context.ts';
import { storeOf, type DataFlags, loadBars, storedLengths, tickersOf } from '../data/storedBars.ts';
import { quotePhases } from '../../strategy/dataNeeds.ts';
import { actionText, splitClash } from '../../market/foreign/actionList.ts';
import { readActions } from '../../market/foreign/actions.ts';
import { readText } from '../../process/files.ts';
import { symbolFile } from './barFiles.ts';
import type { StoredAction } from '../../market/manifest.ts';
import { isWeekly } from '../../backtest/figures.ts';
import { epochMs } from '../../core/brand.ts';
import { countWhile } from '../../core/countWhile.ts';
import { mapColumns } from '../../domain/barColumns.ts';
import { barEnd } from '../../market/series.ts';

type StoreFlags = DataFlags &
  Readonly<{
    /** Symbols to read from the store; by default all that the strategies request. */
    symbols: readonly string[];
    /** Bar length to read in addition to those that the strategies request. */
    interval: Interval | undefined;
    /** Symbols whose bars are already loaded. */
    given: readonly string[];
  }>;

type BarRequest = Readonly<{ symbol: Ticker; interval: Interval; by: string }>;

/** Bars from the store that strategies request; for a strategy that requests only prices, the shortest bars available. */
export function barsOfStore(
  options: BacktestOptions,
  flags: StoreFlags,
  context: CommandContext,
): BacktestBars[] {
  const { calendar = tradingCalendar } = options;
  const store = storeOf(flags, context);
  const strategies = strategiesOf(options, cashOf(options));
  const wanted = new Map<string, BarRequest>();
  for (const one of wantedBy(strategies, flags, store)) {
    const key = `${one.symbol} ${one.interval}`;
    if (!wanted.has(key)) wanted.set(key, one);
  }
  return [...wanted.values()].map(({ symbol, interval, by }) => {
    const load = () => loadBars(store, { symbol, interval }, calendar);
    const { columns } = orAt(ConfigError, load, ({ message, details }) => {
      throw new ConfigError(`${by} asks for bars of ${symbol} ${interval}: ${message}`, details);
    });
    return { symbol, interval, ...columns };
  });
}

/** Stored bars outside the session, as long as the shortest ones of each symbol; empty if there are none. */
export function outsideOfStore(
  played: readonly BacktestBars[],
  { calendar, ...flags }: DataFlags & Readonly<{ calendar: TradingCalendar }>,
  context: CommandContext,
): BacktestBars[] {
  const store = storeOf(flags, context);
  const ascending = [...played].sort((a, b) => INTERVAL_MS[a.interval] - INTERVAL_MS[b.interval]);
  const shortest = new Map(ascending.reverse().map(({ symbol, interval }) => [symbol, interval]));
  return [...shortest].flatMap(([symbol, interval]) => {
    const set = { symbol: ticker(symbol), interval, outside: true } as const;
    const isThere = storedLengths(store, set.symbol, true).some(
      (length) => length === interval || isMadeOf(interval, length),
    );
    if (!isThere || !isIntraday(interval)) return [];
    return [{ symbol, interval, ...loadBars(store, set, calendar).columns }];
  });
}

/** True if stored bars of one of these symbols are generated or come from an emulator. */
export const areGenerated = (
  symbols: Iterable<string>,
  flags: DataFlags,
  context: CommandContext,
): boolean => {
  const store = storeOf(flags, context);
  const named = new Set(symbols);
  return store
    .names()
    .filter(({ symbol }) => named.has(symbol))
    .some((name) =>
      store.manifest(name)?.parts.some(({ source: { kind } }) => kind === 'generated' || kind === 'emulator'),
    );
};

/** Ids of the accepted findings of stored symbols. */
export function acceptedIds(
  symbols: Iterable<string>,
  flags: DataFlags,
  context: CommandContext,
): ReadonlyMap<string, ReadonlySet<string>> {
  const store = storeOf(flags, context);
  const idsOf = (symbol: string) => new Set(store.accepted(ticker(symbol)).map(({ id }) => id));
  return new Map(Array.from(new Set(symbols), (symbol) => [symbol, idsOf(symbol)]));
}

/** Stored actions of these symbols. An inconsistent one is reported and ignored, as in a run. */
export function actionsOfStore(
  symbols: Iterable<string>,
  flags: DataFlags,
  context: CommandContext,
): BacktestAction[] {
  const store = storeOf(flags, context);
  const all = [...new Set(symbols)].flatMap((symbol) =>
    consistent(symbol, store.actions(ticker(symbol))?.actions ?? []).map((action) => ({ symbol, ...action })),
  );
  return all.filter((action) => {
    const flaw = flawOf(action);
    if (flaw !== null) context.terminal.err(`drover: ${action.symbol}: ${flaw}. It is left out`);
    return flaw === null;
  });
}

/** @throws {ConfigError} for two stored splits that are really one, recorded with two dates or rates */
function consistent(symbol: string, actions: readonly StoredAction[]): readonly StoredAction[] {
  const clash = splitClash(actions, (action) => action);
  if (!clash) return actions;
  const [first, second] = clash.map((action) => `${actionText(action)} (${action.source.name})`);
  throw new ConfigError(
    `${symbol}: stored are a ${first} and a ${second}, which are the same event. Remove actions.json of ${symbol} from the folder of ` +
      'data, and import or pull the right ones',
    { symbol },
  );
}

const flawOf = (action: BacktestAction): string | null =>
  faultIn(InvalidValueError, () => {
    for (const day of [actionOf(action).exDate, action.payableDate ?? action.exDate])
      tradingCalendar.sessionFrom(day);
  });

function wantedBy(strategies: readonly PlannedStrategy[], flags: StoreFlags, store: BarStore): BarRequest[] {
  const { interval, given } = flags;
  const named = tickersOf(flags.symbols);
  const isWanted = (symbol: Ticker) =>
    (named.length === 0 || named.includes(symbol)) && !given.includes(symbol);
  const bars = strategies.flatMap(({ id: by, needs }) =>
    (needs.bars ?? []).map(({ symbol, interval: length }) => ({
      symbol: ticker(symbol),
      interval: length,
      by,
    })),
  );
  const quotes = strategies.flatMap(({ id: by, needs }) =>
    [...quotePhases(needs).keys()].map((symbol) => ({ symbol: ticker(symbol), by })),
  );
  const symbols = [...bars, ...quotes, ...named.map((symbol) => ({ symbol, by: '--bars' }))];
  const others = symbols.flatMap(({ symbol, by }): BarRequest[] => {
    if (interval !== undefined) return [{ symbol, interval, by }];
    const isAsked = bars.some((need) => need.symbol === symbol);
    return isAsked ? [] : [{ symbol, interval: storedLengths(store, symbol)[0] ?? '1d', by }];
  });
  return [...bars, ...others].filter(({ symbol }) => isWanted(symbol));
}

/**
 * Splits and dividends of `--actions SYMBOL=FILE`, in the format of `drover data import --actions`.
 * @throws {ConfigError} with file and line of anything unreadable
 */
export function readActionsFile(argument: string, cwd: string, calendar: TradingCalendar): BacktestAction[] {
  const { symbol, file } = symbolFile('--actions', argument, cwd);
  const source = { kind: 'file', name: basename(file) } as const;
  return readActions(readText(file), { file, source, calendar, symbol }).map((action) => ({
    symbol,
    ...action,
  }));
}

type Options = Pick<BacktestOptions, 'bars' | 'calendar'> & Readonly<{ benchmark: string }>;

/**
 * Stored bars of a benchmark that is not itself played: daily ones, or weekly ones if all others are weekly, cut to the
 * sessions of the other bars, so that a benchmark does not lengthen the run.
 * @throws {ConfigError} naming the ways to get missing bars
 */
export function benchmarkBars(options: Options, flags: DataFlags, context: CommandContext): BacktestBars {
  const { benchmark, calendar = tradingCalendar, bars } = options;
  if (!isTicker(benchmark))
    throw new ConfigError(`--benchmark "${benchmark}": write a symbol in upper case, or "none"`);
  const played = [...new Set(bars.map(({ symbol }) => symbol))].join(', ');
  const set = { symbol: benchmark, interval: isWeekly(options) ? '1w' : '1d' } as const;
  const store = storeOf(flags, context);
  const load = () => loadBars(store, set, calendar);
  const { columns } = orAt(ConfigError, load, ({ message, details }) => {
    throw new ConfigError(
      `--benchmark ${benchmark} is not among the symbols of the run (${played}), and ${message}. ` +
        `Or give a file (--bars ${benchmark}=FILE), or write "none"`,
      details,
    );
  });
  const stored = { ...columns, ...set };
  const within = withinSessionsOf(bars, stored, calendar);
  if (within.start.length > 0) return within;
  throw new ConfigError(
    `--benchmark ${benchmark}: none of its stored bars lies in a session of ${played}. Store those too, or write "none"`,
  );
}

/** Benchmark bars during which at least one bar of the others ends. */
function withinSessionsOf(
  others: readonly BacktestBars[],
  bars: BacktestBars,
  calendar: TradingCalendar,
): BacktestBars {
  const { symbol, interval } = bars;
  const endedBy = (at: number) =>
    others.map(({ start, interval: length }) =>
      countWhile(start, (begin) => barEnd({ start: epochMs(begin), interval: length }, calendar) <= at),
    );
  const isPlayed = Array.from(bars.start, (start) => {
    const before = endedBy(start);
    return endedBy(barEnd({ start: epochMs(start), interval }, calendar)).some(
      (count, place) => count > (before[place] ?? 0),
    );
  });
  const kept = mapColumns(bars, (column) => column.filter((_, index) => isPlayed[index]));
  return { symbol, interval, ...kept };
}
