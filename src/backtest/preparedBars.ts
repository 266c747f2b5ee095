import type { TradingCalendar } from '../calendar/index.ts';
import { ticker } from '../domain/instrument.ts';
import { hashColumns } from '../market/columns.ts';
import type { BarColumns } from '../domain/barColumns.ts';
import { cutAt, type BacktestBars } from './options.ts';
import { partsOf, type Part, type TapeInput } from './tape.ts';

type PreparedBars = Readonly<{
  columns: BarColumns;
  calendar: TradingCalendar;
  parts: readonly Part[];
  hash: string;
}>;

/** Values derived from bars, by their `start` column. */
const prepared = new WeakMap<Float64Array, PreparedBars>();

/**
 * Derives once, for many runs over the same bars, the session boundaries and the hash for the `runId`. The columns must
 * not change afterwards.
 * @param to bars that start at or after it are left out, like the option of that name
 * @returns the bars for those runs; their columns share the memory of the given ones
 * @throws {ConfigError} for bars out of order or outside the regular sessions
 */
export function prepareBars(
  bars: readonly BacktestBars[],
  calendar: TradingCalendar,
  to = Infinity,
): BacktestBars[] {
  return bars.map(({ symbol, interval, ...given }) => {
    const columns = cutAt(given, to);
    const parts = partsOf({ symbol: ticker(symbol), interval, columns }, calendar);
    prepared.set(columns.start, { columns, calendar, parts, hash: hashColumns(columns) });
    return { symbol, interval, ...columns };
  });
}

function preparedOf(columns: BarColumns): PreparedBars | undefined {
  const known = prepared.get(columns.start);
  const names = ['open', 'high', 'low', 'close', 'volume'] as const;
  return known && names.every((name) => known.columns[name] === columns[name]) ? known : undefined;
}

/** Positions of each session's bars. @throws {ConfigError} as `partsOf` does */
export function sessionParts(bars: TapeInput, calendar: TradingCalendar): readonly Part[] {
  const known = preparedOf(bars.columns);
  return known?.calendar === calendar ? known.parts : partsOf(bars, calendar);
}

/** Hash of the content of columns. */
export const contentHash = (columns: BarColumns): string => preparedOf(columns)?.hash ?? hashColumns(columns);
