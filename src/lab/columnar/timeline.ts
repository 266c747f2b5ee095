import { isSplit } from '../../backtest/actions.ts';
import type { MarketPlan } from '../../backtest/plan.ts';
import type { Tape } from '../../backtest/tape.ts';
import { tradingCalendar, type Session, type TradingCalendar } from '../../calendar/index.ts';
import { epochMs } from '../../core/brand.ts';
import { INTERVAL_MS, isIntraday, type Interval } from '../../domain/bar.ts';
import { sharesPer } from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { mapColumns, type BarColumns } from '../../domain/barColumns.ts';
import { ColumnSet } from '../../strategy/signals/signalColumns.ts';

/** Session that is played. Its rows: `from` up to, but excluding, `to`. */
export type SessionRows = Readonly<{
  session: Session;
  from: number;
  to: number;
  /** First row whose prices belong to this session; -1 stands for its bars skipped by the start. */
  pricedFrom: number;
  /** True if the session played before it is also the one before it in the calendar. */
  follows: boolean;
  /** Row whose bars end at the close; -1 for none. */
  closing: number;
}>;

/** Bars of one symbol, mapped to rows. */
export type SymbolRows = Readonly<{
  symbol: Ticker;
  columns: BarColumns;
  /** First bar that is played. */
  first: number;
  /** Latest bar at each row, below `first` before the first one; null if each row has a bar, from `first` on. */
  latest: Int32Array | null;
  /** Row of each bar from `first` on; null as above. */
  rows: Int32Array | null;
  /** True if the first session, partly skipped by the start, has already had a price. */
  isPriced: boolean;
}>;

/** Time axis of a backtest in rows: the instants at which bars of its symbols begin, with a common end for each. */
export type Timeline = Readonly<{
  start: Float64Array;
  symbols: readonly SymbolRows[];
  sessions: readonly SessionRows[];
  /** Nominal length of a bar in ms. */
  lengthMs: number;
}>;

/** Final part of a session, in ms, in which no market order is sent. */
const CLOSING_MS = 30_000;

/** Longest settlement delay in ms: a fill at the open of a bar is then known before its end, however short it is. */
export const DELAY_MAX_MS = 30_000;

/** Tapes at the start of a run: earlier bars are converted to its shares, and skipped. */
export function startedTapes({ tapes, actions, start, options }: MarketPlan): readonly Tape[] {
  const old = actions.filter(isSplit).filter(({ open }) => open <= start);
  for (const { action, open } of old)
    for (const tape of tapes) if (tape.symbol === action.symbol) tape.rescale(open, sharesPer(action));
  for (const tape of tapes) tape.skipTo(start, options.calendar ?? tradingCalendar);
  return tapes;
}

type StockTape = Pick<Tape, 'symbol' | 'columns' | 'skipped'>;
type Market = Readonly<{ interval: Interval; sessions: readonly Session[]; calendar: TradingCalendar }>;

/** Maps the bars of the symbols that a strategy trades to rows. */
export function timelineOf(bars: readonly StockTape[], { interval, sessions, calendar }: Market): Timeline {
  const played = new Map(
    bars.map(({ symbol, columns, skipped }) => [
      symbol as string,
      mapColumns(columns, (column) => column.subarray(skipped)),
    ]),
  );
  const set = new ColumnSet(played);
  const { start } = set;
  const symbols = bars.map(({ symbol, columns, skipped }) => {
    const rows = set.rowsOf(symbol);
    const latest = rows && latestAt(rows, skipped, start.length);
    const isPriced = (columns.start[skipped - 1] ?? -Infinity) >= (sessions[0]?.open ?? 0);
    return { symbol, columns, first: skipped, rows, latest, isPriced };
  });
  const lengthMs = isIntraday(interval) ? INTERVAL_MS[interval] : Infinity;
  return { start, symbols, sessions: sessionRows({ start, lengthMs }, sessions, calendar), lengthMs };
}

function latestAt(rows: Int32Array, first: number, length: number): Int32Array {
  const latest = new Int32Array(length).fill(first - 1);
  for (let bar = 0; bar < rows.length; bar++) latest.fill(first + bar, rows[bar], rows[bar + 1] ?? length);
  return latest;
}

function sessionRows(
  { start, lengthMs }: Pick<Timeline, 'start' | 'lengthMs'>,
  sessions: readonly Session[],
  calendar: TradingCalendar,
): SessionRows[] {
  let [to, before] = [0, null as Session | null];
  return sessions.map((session) => {
    const from = to;
    while (to < start.length && (start[to] ?? NaN) < session.close) to++;
    const isFirst = before === null;
    const follows = before === null || calendar.nextSession(epochMs(before.close)).open === session.open;
    before = session;
    const closing = to > from && (start[to - 1] ?? NaN) + lengthMs >= session.close ? to - 1 : -1;
    return { session, from, to, pricedFrom: isFirst ? -1 : from, follows, closing };
  });
}

/** Reason why the columnar engine cannot play the bars with a settlement delay; null if it can. */
export function unplayable({ start, sessions, lengthMs }: Timeline, delayMs: number): string | null {
  for (const { session, from, to } of sessions) {
    for (let row = from; row < to; row++) {
      const begin = start[row] ?? NaN;
      const end = Math.min(begin + lengthMs, session.close);
      if ((start[row + 1] ?? Infinity) < end) return 'bars that overlap';
      if (end !== session.close && end > session.close - CLOSING_MS)
        return 'bars that end just before a close';
      const lastMs = CLOSING_MS + delayMs;
      if (begin > session.close - lastMs) return `bars of the last ${lastMs / 1_000} s of a session`;
    }
  }
  return null;
}
