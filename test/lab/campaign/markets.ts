import type { BacktestAction, BacktestBars } from '../../../src/backtest/options.ts';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import type { Random } from '../../../src/core/random.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { permutedBars } from '../permutedBars.ts';

/** Ten years of sessions. */
const sessions = tradingCalendar.sessions('2012-01-03', '2021-12-31');

const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

/** Daily bars of logarithmic returns. */
function barsOf(returns: readonly number[], random: Random): BacktestBars {
  const rows = returns.length;
  const columns = Array.from({ length: 6 }, () => new Float64Array(rows));
  const [start, open, high, low, close, volume] = columns as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  let price = 100;
  for (const [index, value] of returns.entries()) {
    start[index] = sessions[index]?.open ?? NaN;
    open[index] = price;
    price *= Math.exp(value);
    close[index] = price;
    high[index] = Math.max(open[index] ?? 0, price) * (1 + 0.003 * random.next());
    low[index] = Math.min(open[index] ?? 0, price) * (1 - 0.003 * random.next());
    volume[index] = 1e6;
  }
  return { symbol: 'X', interval: '1d', start, open, high, low, close, volume };
}

const DAILY = 0.012;

/** A market that drifts up by some six percent a year, with its bars permuted: the past says nothing about the future. */
export function noise(seed: number): BacktestBars {
  const random = seededRandom(`noise ${seed}`);
  const bars = barsOf(
    sessions.map(() => 0.0003 + DAILY * normal(random)),
    random,
  );
  const { symbol, interval, ...columns } = bars;
  const [permuted] = permutedBars([columns], random);
  return permuted ? { symbol, interval, ...permuted } : bars;
}

/** Dividends of a part of the price each quarter, paid four weeks after the ex-date. */
export function quarterly({ symbol, start, close }: BacktestBars, part: number): BacktestAction[] {
  const places = Array.from({ length: Math.floor(start.length / 63) }, (_, quarter) => quarter * 63 + 40);
  return places.map((place) => ({
    symbol,
    type: 'cash_dividend',
    exDate: sessions[place]?.date ?? '',
    payableDate: sessions[Math.min(place + 20, sessions.length - 1)]?.date ?? '',
    cashPerShare: ((close[place - 1] ?? NaN) * part).toFixed(6),
  }));
}

/**
 * A market with an edge: it rises for some months, then falls for some months, so that holding it while it rises has a yearly
 * Sharpe ratio of about 1.5 before costs for averages that see the turns in time.
 */
export function planted(seed: number): BacktestBars {
  const random = seededRandom(`planted ${seed}`);
  let [sign, left] = [1, 0];
  const returns = sessions.map(() => {
    if (left-- <= 0) [sign, left] = [-sign, 40 + Math.floor(random.next() * 60)];
    return sign * DRIFT + DAILY * normal(random);
  });
  return barsOf(returns, random);
}

/** Drift per session while it rises, and its opposite while it falls. */
const DRIFT = 0.0027;
