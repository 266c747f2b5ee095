import { isWeekly } from '../../backtest/figures.ts';
import type { BacktestBars, BacktestOptions } from '../../backtest/options.ts';
import { tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import { epochMs } from '../../core/brand.ts';
import { countWhile } from '../../core/countWhile.ts';
import { ConfigError } from '../../core/errors.ts';
import { isTicker } from '../../domain/instrument.ts';
import { barEnd, type BarColumns } from '../../market/series.ts';
import type { BarStore, SetName } from '../../market/barStore.ts';
import type { CommandContext } from '../context.ts';
import { storeOf, type DataFlags, loadBars, type LoadedBars } from '../data/storedBars.ts';

type Options = Pick<BacktestOptions, 'bars' | 'calendar'> & Readonly<{ benchmark: string }>;

/**
 * Stored bars of a benchmark that is not among those that are played: daily ones, weekly beside weekly ones alone, of the
 * sessions that the others have, for what measures a run does not lengthen it.
 * @throws {ConfigError} naming the ways to get bars that are not there
 */
export function benchmarkBars(options: Options, flags: DataFlags, context: CommandContext): BacktestBars {
  const { benchmark, calendar = tradingCalendar, bars } = options;
  if (!isTicker(benchmark))
    throw new ConfigError(`--benchmark "${benchmark}": write a symbol in upper case, or "none"`);
  const played = [...new Set(bars.map(({ symbol }) => symbol))].join(', ');
  const set = { symbol: benchmark, interval: isWeekly(options) ? '1w' : '1d' } as const;
  const stored = { ...loaded(set, { played, store: storeOf(flags, context), calendar }).columns, ...set };
  const within = withinSessionsOf(bars, stored, calendar);
  if (within.start.length > 0) return within;
  throw new ConfigError(
    `--benchmark ${benchmark}: none of its stored bars lies in a session of ${played}. Store those too, or write "none"`,
  );
}

type From = Readonly<{ played: string; store: BarStore; calendar: TradingCalendar }>;

function loaded(set: SetName, { played, store, calendar }: From): LoadedBars {
  try {
    return loadBars(store, set, calendar);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      `--benchmark ${set.symbol} is none of what is played (${played}), and ${error.message}. ` +
        `Or give a file of them (--bars ${set.symbol}=FILE), or write "none"`,
      error.details,
    );
  }
}

/** The bars within which one of the others ends. */
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
  const kept = (column: keyof BarColumns) => bars[column].filter((_, index) => isPlayed[index]);
  return {
    symbol,
    interval,
    start: kept('start'),
    open: kept('open'),
    high: kept('high'),
    low: kept('low'),
    close: kept('close'),
    volume: kept('volume'),
  };
}
