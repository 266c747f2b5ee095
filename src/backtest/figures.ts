import type { Session } from '../calendar/index.ts';
import { toNumber, type Cash } from '../core/amount.ts';
import { ConfigError } from '../core/errors.ts';
import type { BenchmarkFigures, RunFigures } from '../statistics/figures.ts';
import { WEEKS_A_YEAR } from '../statistics/markName.ts';
import type { Measuring } from './measure.ts';
import type { BacktestOptions } from './options.ts';
import type { BacktestOrders } from './orderTally.ts';
import type { Mark } from './recorder.ts';
import type { Tape } from './tape.ts';
import type { BacktestFill, Trade } from './trades.ts';

const DAYS_A_YEAR = 252;

type Bars = Pick<BacktestOptions, 'bars'>;

/** Whether all bars are weekly. */
export const isWeekly = ({ bars }: Bars): boolean => bars.every(({ interval }) => interval === '1w');

/** Marks a year: one for each session, or week where all bars are weekly. */
export const marksPerYear = (given: Bars): number => (isWeekly(given) ? WEEKS_A_YEAR : DAYS_A_YEAR);

/** What a run is measured by: a symbol, or null. @throws {ConfigError} for one without bars */
export function benchmarkSymbol({
  benchmark,
  bars,
}: Pick<BacktestOptions, 'benchmark' | 'bars'>): string | null {
  if (benchmark === 'none') return null;
  const symbols = bars.map(({ symbol }) => symbol);
  if (benchmark === undefined || symbols.includes(benchmark)) return benchmark ?? symbols[0] ?? null;
  throw new ConfigError(
    `benchmark "${benchmark}": there are bars of ${symbols.join(', ')}. Give bars of it too, or write "none"`,
  );
}

export type Outcome = Readonly<{
  sessions: readonly Session[];
  tapes: readonly Tape[];
  money: Cash;
  marks: readonly Mark[];
  trades: readonly Trade[];
  fills: readonly BacktestFill[];
  orders: BacktestOrders;
}> &
  Pick<Measuring, 'stakeOf'>;

/** What the statistics of a run are made of. @param benchmark the symbol, or null */
export function figuresOf(outcome: Outcome, benchmark: string | null): RunFigures {
  const { sessions, tapes, money, marks, orders, stakeOf } = outcome;
  const pricing = new Map(
    tapes.flatMap((tape) => (tape.last ? [[tape.symbol as string, tape] as const] : [])),
  );
  const closes = new Map([...pricing].map(([symbol, tape]) => [symbol, closesOf(tape, sessions)]));
  const measuring = benchmark === null ? undefined : pricing.get(benchmark);
  return {
    ...{ startEquity: toNumber(money), marks, orders, closes: Object.fromEntries(closes) },
    trades: outcome.trades.map((trade) => ({
      ...trade,
      pnl: toNumber(trade.pnl),
      ...(stakeOf && { risk: stakeOf(trade) }),
    })),
    fills: outcome.fills,
    benchmark: measuring ? benchmarkOf(measuring, sessions) : null,
  };
}

/** From the open of the first bar that is played; where the first session has none, from the close before it. */
function benchmarkOf(tape: Tape, sessions: readonly Session[]): BenchmarkFigures | null {
  const { symbol, parts, skipped, columns } = tape;
  const isOfFirst = parts.find(({ to }) => to > skipped)?.session === sessions[0];
  const start = isOfFirst || skipped === 0 ? columns.open[skipped] : columns.close[skipped - 1];
  return start === undefined ? null : { symbol, start, closes: closesOf(tape, sessions) };
}

/** The last price by each session's close; null before the first bar and after the session of the last one. */
function closesOf({ parts, columns }: Tape, sessions: readonly Session[]): (number | null)[] {
  const end = parts.at(-1)?.session.open ?? -Infinity;
  let [next, close]: [number, number | null] = [0, null];
  return sessions.map(({ open }) => {
    for (let part = parts[next]; part && part.session.open <= open; part = parts[++next])
      close = columns.close[part.to - 1] ?? null;
    return open > end ? null : close;
  });
}
