import type { FillFigures, TradeFigures } from './figures.ts';
import { isNumber, missing } from './figures.ts';
import { durationMetrics, tradeMetrics } from './trades.ts';

/** Fill with its strategy and reason. */
export type LotFill = FillFigures & Readonly<{ strategy: string; reason: string }>;

/** Split of a stock. `per`: present shares for one old share. */
export type LotSplit = Readonly<{ at: number; symbol: string; per: number }>;

type Lot = { at: number; shares: number; cost: number; reason: string };

/** Part of a share that is the rounding of float64 sums, and no lot. */
const DUST = 1e-9;

/**
 * Trades built from lots, oldest lot first: each sell closes the lots, or parts of them, that it takes. Fees are in the cost of a buy
 * and in the proceeds of a sell. Shares that no fill has brought are in no lot. Excursions are not known, and 0.
 */
export function lotTradesOf(fills: readonly LotFill[], splits: readonly LotSplit[] = []): TradeFigures[] {
  const shelves = new Map<string, Lot[]>();
  const trades: TradeFigures[] = [];
  const upcoming = [...splits].sort((a, b) => a.at - b.at);
  for (const fill of fills) {
    for (let next = upcoming[0]; next && next.at <= fill.at; next = upcoming[0]) {
      splitLots(shelves, next);
      upcoming.shift();
    }
    const key = JSON.stringify([fill.symbol, fill.strategy]);
    const lots = shelves.get(key) ?? [];
    shelves.set(key, lots);
    const { at, shares, price, fees, reason } = fill;
    if (fill.side === 'buy') lots.push({ at, shares, cost: shares * price + fees, reason });
    else trades.push(...closeLots(lots, fill));
  }
  return trades;
}

function splitLots(shelves: ReadonlyMap<string, Lot[]>, { symbol, per }: LotSplit): void {
  for (const [key, lots] of shelves)
    if (key.startsWith(`${JSON.stringify([symbol]).slice(0, -1)},`))
      for (const lot of lots) lot.shares *= per;
}

function closeLots(lots: Lot[], fill: LotFill): TradeFigures[] {
  const trades: TradeFigures[] = [];
  const proceeds = fill.shares * fill.price - fill.fees;
  let left = fill.shares;
  for (let lot = lots[0]; lot && left > DUST; lot = lots[0]) {
    const shares = Math.min(lot.shares, left);
    const cost = (lot.cost * shares) / lot.shares;
    trades.push({
      strategy: fill.strategy,
      symbol: fill.symbol,
      entryAt: lot.at,
      exitAt: fill.at,
      shares,
      entryPrice: cost / shares,
      exitPrice: fill.price,
      pnl: (proceeds * shares) / fill.shares - cost,
      mae: 0,
      mfe: 0,
      entryReason: lot.reason,
      exitReason: fill.reason,
    });
    left -= shares;
    lot.cost -= cost;
    lot.shares -= shares;
    if (lot.shares <= DUST) lots.shift();
  }
  return trades;
}

/** Metrics of trades by lots. They do not replace those of round trips, and mean something else: a sell in parts is several trades. */
export type LotMetrics = Readonly<{ metrics: Record<string, number | null>; notes: Record<string, string> }>;

/** Counts, profits and holding times of lots by the formulas of round trips, without those that need excursions. */
export function lotMetricsOf(trades: readonly TradeFigures[], sessions: number): LotMetrics {
  const figures = { trades, marks: [], fills: [], benchmark: null, startEquity: 0 };
  const { commonSense: _tail, tradesPerDay: _rate, ...measured } = tradeMetrics(figures, missing(''));
  const rate = sessions === 0 ? missing('no session was marked') : trades.length / sessions;
  const entries = Object.entries({ ...measured, ...durationMetrics(figures), tradesPerDay: rate });
  return {
    metrics: Object.fromEntries(entries.map(([name, value]) => [name, isNumber(value) ? value : null])),
    notes: Object.fromEntries(
      entries.flatMap(([name, value]) => (isNumber(value) ? [] : [[name, value.reason]])),
    ),
  };
}
