import { countWhile } from '../core/countWhile.ts';
import type { FillFigures, OpenLot, RunFigures, TradeFigures, TradeLots } from './figures.ts';

/** Fill with its strategy and reason, and its position among the fills of a backtest. */
export type LotFill = FillFigures & Readonly<{ strategy: string; reason: string; place?: number }>;

/** Shares of a strategy that left it without a sale, oldest first. `left`: shares that remain. */
export type LotMove = Readonly<{ at: number; symbol: string; strategy: string; left: number }>;

/**
 * Change of all lots of a stock at once: a split (`per`: present shares for one old share), or a write-off. `after`:
 * number of earlier fills of the run, including those at the same instant.
 */
export type LotAction = Readonly<{ at: number; symbol: string; after?: number }> &
  Readonly<{ kind: 'split'; per: number } | { kind: 'writtenOff'; reason: string }>;

type Lot = { -readonly [Key in keyof OpenLot]: OpenLot[Key] };

type Sale = Readonly<{ at: number; shares: number; price: number; fees: number; reason: string }>;

/** Fraction of a share that counts as float64 rounding, not as a lot. */
const DUST = 1e-9;

/** Lots by stock, then by strategy, oldest first. */
type Shelves = Map<string, Map<string, Lot[]>>;

/**
 * Lots of fills in time order, first in, first out: each sell closes the oldest lots, or parts of them. Fees are in the
 * cost of a buy and in the proceeds of a sell. Shares not received by a fill are in no lot. Excursions are 0 until
 * `withExcursions` adds them. In float64, like the fills of a backtest, which are not stored otherwise; the exact lots
 * of an account (`src/domain/lots`) follow the same rules.
 */
export function tradeLotsOf(
  fills: readonly (LotFill | LotMove)[],
  actions: readonly LotAction[] = [],
): TradeLots {
  const shelves: Shelves = new Map();
  const closed: TradeFigures[] = [];
  const coming = actions.toSorted((a, b) => a.at - b.at);
  let next = 0;
  const actUntil = (at: number, place = Infinity) => {
    for (let action = coming[next]; action && action.at <= at; action = coming[++next]) {
      if (action.at === at && place < (action.after ?? 0)) return;
      closed.push(...actOn(shelves, action));
    }
  };
  for (const fill of fills) {
    actUntil(fill.at, 'left' in fill ? Infinity : fill.place);
    const lots = lotsIn(shelves, fill);
    if ('left' in fill) {
      closeLots(lots, { at: fill.at, shares: sharesIn(lots) - fill.left, price: 0, fees: 0, reason: '' });
      continue;
    }
    const { at, strategy, symbol, shares, price, fees, reason } = fill;
    if (fill.side === 'buy') lots.push({ strategy, symbol, at, shares, cost: shares * price + fees, reason });
    else closed.push(...closeLots(lots, fill));
  }
  actUntil(Infinity);
  const open = [...shelves.values()].flatMap((own) => [...own.values()].flat());
  return { closed, open: open.sort((a, b) => a.at - b.at) };
}

function lotsIn(shelves: Shelves, { symbol, strategy }: Pick<LotMove, 'symbol' | 'strategy'>): Lot[] {
  const own = shelves.get(symbol) ?? new Map<string, Lot[]>();
  shelves.set(symbol, own);
  const lots = own.get(strategy) ?? [];
  own.set(strategy, lots);
  return lots;
}

/** Rescales the lots of a stock, or closes them at a price of 0. */
function actOn(shelves: Shelves, action: LotAction): TradeFigures[] {
  const all = [...(shelves.get(action.symbol)?.values() ?? [])];
  if (action.kind === 'split') {
    for (const lots of all) for (const lot of lots) lot.shares *= action.per;
    return [];
  }
  const { at, reason } = action;
  return all.flatMap((lots) => closeLots(lots, { at, shares: sharesIn(lots), price: 0, fees: 0, reason }));
}

const sharesIn = (lots: readonly Lot[]): number => lots.reduce((sum, lot) => sum + lot.shares, 0);

function closeLots(lots: Lot[], sale: Sale): TradeFigures[] {
  const trades: TradeFigures[] = [];
  const proceeds = sale.shares * sale.price - sale.fees;
  let left = sale.shares;
  for (let lot = lots[0]; lot && left > DUST; lot = lots[0]) {
    const shares = Math.min(lot.shares, left);
    const cost = (lot.cost * shares) / lot.shares;
    trades.push({
      strategy: lot.strategy,
      symbol: lot.symbol,
      entryAt: lot.at,
      exitAt: sale.at,
      shares,
      entryPrice: cost / shares,
      exitPrice: sale.price,
      pnl: (proceeds * shares) / sale.shares - cost,
      mae: 0,
      mfe: 0,
      entryReason: lot.reason,
      exitReason: sale.reason,
    });
    left -= shares;
    lot.cost -= cost;
    lot.shares -= shares;
    if (lot.shares <= DUST) lots.shift();
  }
  return trades;
}

/**
 * Adds excursions to closed lots: from the prices at the marks while they were held, and at the sale, as fractions of
 * the cost per share. `closes`: in shares of the end of the run.
 */
export function withExcursions(
  closed: readonly TradeFigures[],
  { marks, closes }: Readonly<{ marks: RunFigures['marks']; closes: NonNullable<RunFigures['closes']> }>,
  actions: readonly LotAction[] = [],
): TradeFigures[] {
  const times = marks.map(({ at }) => at);
  return closed.map((trade) => {
    const { symbol, entryAt, exitAt, entryPrice, exitPrice } = trade;
    const own = closes[symbol] ?? [];
    const scale = sharesSince(actions, symbol, exitAt);
    let [low, high] = [Math.min(entryPrice, exitPrice), Math.max(entryPrice, exitPrice)];
    for (let index = countWhile(times, (at) => at < entryAt); (times[index] ?? Infinity) < exitAt; index++) {
      const close = own[index] ?? null;
      if (close === null) continue;
      low = Math.min(low, close * scale);
      high = Math.max(high, close * scale);
    }
    return { ...trade, mae: low / entryPrice - 1, mfe: high / entryPrice - 1 };
  });
}

/** Shares at the end of the run per share of a stock at an earlier time, by the splits since. */
export function sharesSince(actions: readonly LotAction[], symbol: string, at: number): number {
  let shares = 1;
  for (const action of actions)
    if (action.kind === 'split' && action.symbol === symbol && action.at > at) shares *= action.per;
  return shares;
}
