import { actionsOf, worthOfOne } from '../../backtest/actions.ts';
import type { BacktestBars, BacktestOptions } from '../../backtest/options.ts';
import { sessionParts } from '../../backtest/preparedBars.ts';
import { tradingCalendar, type Session } from '../../calendar/index.ts';
import { INTERVAL_MS } from '../../domain/bar.ts';
import { ticker } from '../../domain/instrument.ts';

type Market = Pick<BacktestOptions, 'bars' | 'actions' | 'calendar'>;

/**
 * Returns of holding each stock alike, session by session: the mean over those that have a price. They begin, as a run does, at the
 * open of the first of these sessions. Splits are taken out, and payments to holders are part of the return of their ex-date. Null
 * where no stock has a price.
 */
export function heldReturns(market: Market, sessions: readonly Session[]): Float64Array | null {
  const symbols = [...new Set(market.bars.map(({ symbol }) => symbol))];
  const columns = symbols.map((symbol) => returnsOfStock(symbol, market, sessions));
  const known = sessions.map((_, at) => columns.map((column) => column[at] ?? NaN).filter(Number.isFinite));
  if (known.every((values) => values.length === 0)) return null;
  return Float64Array.from(known, (values) =>
    values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length,
  );
}

/** Returns of one stock; NaN before its first session and after its last. */
export function returnsOfStock(symbol: string, market: Market, sessions: readonly Session[]): Float64Array {
  const returns = new Float64Array(sessions.length).fill(NaN);
  const bars = shortest(symbol, market.bars);
  if (!bars) return returns;
  const { calendar = tradingCalendar } = market;
  const { symbol: _symbol, interval, ...columns } = bars;
  const { open, close } = columns;
  const parts = sessionParts({ symbol: ticker(symbol), interval, columns }, calendar);
  const placeOf = new Map(sessions.map(({ date }, place) => [date, place]));
  const actions = actionsOf(market, calendar).filter(({ action }) => action.symbol === symbol);
  let [before, at] = [NaN, Infinity];
  for (const { session, from, to } of parts) {
    const place = placeOf.get(session.date);
    if (place === 0 || Number.isNaN(before)) [before, at] = [open[from] ?? NaN, session.open];
    const between = actions.filter(({ open: due }) => due > at && due < session.close);
    const last = close[to - 1] ?? NaN;
    if (place !== undefined) returns[place] = worthOfOne(last, between) / before - 1;
    [before, at] = [last, session.close - 1];
  }
  return returns;
}

const shortest = (symbol: string, bars: readonly BacktestBars[]): BacktestBars | undefined =>
  bars
    .filter((one) => one.symbol === symbol)
    .sort((a, b) => INTERVAL_MS[a.interval] - INTERVAL_MS[b.interval])[0];
