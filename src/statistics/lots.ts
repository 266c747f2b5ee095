import { DAY_MS } from '../core/brand.ts';
import { missing, type Measure, type RunFigures, type TradeLots } from './figures.ts';
import { TRADES_MIN } from './trades.ts';

/** Source of the trade metrics: round trips or lots. */
export type TradeMetricsFrom = 'trades' | 'lots';

const NO_LOTS: TradeLots = { closed: [], open: [] };

/**
 * Chooses the source of the trade metrics: round trips, or lots if no round trip has closed, or if fewer than 10 have
 * and at least 10 lots have.
 */
export function tradeMetricsFrom({ trades, lots = NO_LOTS }: RunFigures): TradeMetricsFrom {
  const { closed, open } = lots;
  if (trades.length === 0) return closed.length + open.length > 0 ? 'lots' : 'trades';
  return trades.length < TRADES_MIN && closed.length >= TRADES_MIN ? 'lots' : 'trades';
}

/** Counts of lots, and the unrealised gain of those still held. */
export function lotMetrics(figures: RunFigures) {
  const { closed, open } = figures.lots ?? NO_LOTS;
  return { closedLots: closed.length, openLots: open.length, openGain: openGain(figures, open) };
}

function openGain({ closes = {} }: RunFigures, open: TradeLots['open']): Measure {
  const prices = new Map(
    Object.entries(closes).map(([symbol, own]) => [symbol, own.findLast((price) => price !== null)]),
  );
  let gain = 0;
  for (const { symbol, shares, cost } of open) {
    const price = prices.get(symbol);
    if (typeof price !== 'number') return missing(`no price of ${symbol} is known`);
    gain += shares * price - cost;
  }
  return gain;
}

/** Holding time of each open lot until the last mark, in days of 24 hours. */
export function openDays({ marks, lots = NO_LOTS }: RunFigures): number[] {
  const end = marks.at(-1)?.at ?? NaN;
  return lots.open.map(({ at }) => Math.max(end - at, 0) / DAY_MS);
}
