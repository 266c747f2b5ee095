import type { DayPath } from './dayPath.ts';
import { priceInMinute, tradedThrough } from './seconds.ts';
import type { Shocks } from './shocks.ts';
import { MINUTE_MS } from './timetable.ts';
import { onTick, type Units } from './units.ts';

const SECOND_MS = 1000;

export type Candle = Readonly<{ open: Units; high: Units; low: Units; close: Units; volume: number }>;

/** What is to be seen: nothing after `asOf`, under these shocks. */
export type Sight = Readonly<{ asOf: number; shocks: Shocks }>;

/** Minutes of a session: `from` up to but not with `to`. */
export type Minutes = Readonly<{ from: number; to: number }>;

export const joined = (first: Candle | null, next: Candle): Candle =>
  first
    ? {
        open: first.open,
        high: Math.max(first.high, next.high),
        low: Math.min(first.low, next.low),
        close: next.close,
        volume: first.volume + next.volume,
      }
    : next;

/** Rounding keeps the order of prices, so the extremes of scaled prices are the scaled extremes. */
export const scaled = (candle: Candle, factor: number): Candle => ({
  open: onTick(candle.open * factor),
  high: onTick(candle.high * factor),
  low: onTick(candle.low * factor),
  close: onTick(candle.close * factor),
  volume: candle.volume,
});

const clockOf = (path: DayPath, at: number) => {
  const second = Math.floor((at - path.session.open) / SECOND_MS);
  return { minute: Math.floor(second / 60), second: second % 60 };
};

/** The price at an instant of the session. */
export function sessionPrice(path: DayPath, at: number, shocks: Shocks): Units {
  const { minute, second } = clockOf(path, at);
  return onTick(priceInMinute(path, minute, second) * shocks.factorAt(at));
}

/** Whole shares traded in the session by the end of the second of an instant, which may lie outside of it. */
export function sessionTraded(path: DayPath, at: number): number {
  if (at < path.session.open) return 0;
  const { minute, second } = clockOf(path, Math.min(at, path.session.close - 1));
  return tradedThrough(path, minute, second);
}

/** One minute as far as it has come, price by price: when it is forming, or a shock falls into it. */
function walkedMinute(path: DayPath, minute: number, { asOf, shocks }: Sight): Candle {
  const start = path.session.open + minute * MINUTE_MS;
  const end = Math.min(asOf, start + MINUTE_MS - 1);
  const prices: Units[] = [];
  for (let at = start; at <= end; at += SECOND_MS) prices.push(sessionPrice(path, at, shocks));
  for (const at of shocks.within(start, end)) prices.push(sessionPrice(path, at, shocks));
  return {
    open: sessionPrice(path, start, shocks),
    high: Math.max(...prices),
    low: Math.min(...prices),
    close: sessionPrice(path, end, shocks),
    volume: sessionTraded(path, end) - (path.traded[minute] ?? 0),
  };
}

/** Whole minutes from the columns. */
function wholeMinutes(path: DayPath, { from, to }: Minutes): Candle {
  let high = 0;
  let low = Infinity;
  for (let minute = from; minute < to; minute++) {
    high = Math.max(high, path.high[minute] ?? 0);
    low = Math.min(low, path.low[minute] ?? 0);
  }
  return {
    open: path.open[from] ?? 0,
    high,
    low,
    close: path.close[to - 1] ?? 0,
    volume: (path.traded[to] ?? 0) - (path.traded[from] ?? 0),
  };
}

/** Some minutes of a session as one candle, as far as they have come; null when none of them has begun. */
export function candleOf(path: DayPath, minutes: Minutes, sight: Sight): Candle | null {
  const { from, to } = minutes;
  const start = path.session.open + from * MINUTE_MS;
  const last = path.session.open + to * MINUTE_MS - 1;
  if (sight.asOf < start) return null;
  const whole = sight.asOf >= last && sight.shocks.within(start, last).length === 0;
  if (whole) return scaled(wholeMinutes(path, minutes), sight.shocks.factorAt(start));
  if (to - from === 1) return walkedMinute(path, from, sight);
  let candle: Candle | null = null;
  for (let minute = from; minute < to; minute++) {
    const next = candleOf(path, { from: minute, to: minute + 1 }, sight);
    if (!next) break;
    candle = joined(candle, next);
  }
  return candle;
}
