import type { EpochMs } from '../core/brand.ts';
import type { QuotePhase, Ticker } from './instrument.ts';

export const INTERVALS = ['1m', '3m', '5m', '15m', '1h', '1d', '1w'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Nominal length in ms. A daily or weekly bar ends with its last session instead. */
export const INTERVAL_MS: Readonly<Record<Interval, number>> = {
  '1m': 60_000,
  '3m': 180_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '1d': 86_400_000,
  '1w': 604_800_000,
};

/** True if bars of an interval are parts of a session, unlike daily and weekly ones. */
export const isIntraday = (interval: Interval): boolean => interval !== '1d' && interval !== '1w';

/** Bars of one symbol and interval: of the regular session, or of the given phases. */
export type BarSet<Symbol extends string = Ticker> = Readonly<{
  symbol: Symbol;
  interval: Interval;
  phases?: readonly QuotePhase[] | undefined;
}>;

/** True for bars that start in a phase. */
export const hasPhase = ({ phases }: Pick<BarSet, 'phases'>, phase: QuotePhase | 'closed'): boolean =>
  phases?.some((each) => each === phase) ?? phase === 'regular';

/** Name such as `AAPL 5m`, or `AAPL 5m post, regular` if it has phases other than the regular session. */
export function barSetName({ symbol, interval, phases = [] }: BarSet<string>): string {
  const isOutside = phases.some((phase) => phase !== 'regular');
  return `${symbol} ${interval}${isOutside ? ` ${[...new Set(phases)].sort().join(', ')}` : ''}`;
}

/** One finished bar. Prices in mUSD per share and volume in shares, as float64: for indicators, never for money. */
export type Bar = Readonly<{
  symbol: Ticker;
  interval: Interval;
  /** Start of the bar; a daily bar starts at its session's open. */
  start: EpochMs;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}>;

/** Upper bound of prices, in mUSD per share: a larger number is not a price. */
const PRICE_BELOW = 1e13;

/** Text of the rule that a bar's numbers break; null if they break none. */
export function brokenBar({
  open,
  high,
  low,
  close,
  volume,
}: Omit<Bar, 'symbol' | 'interval' | 'start'>): string | null {
  if (!(low > 0 && open > 0 && close > 0)) return 'a price is not above 0';
  if (!(low <= open && low <= close && high >= open && high >= close))
    return 'high and low do not enclose open and close';
  if (!(high < PRICE_BELOW)) return `a price is not below ${PRICE_BELOW}`;
  return volume >= 0 && volume < Infinity ? null : 'the volume is below 0';
}
