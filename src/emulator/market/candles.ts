import type { DayPath } from './dayPath.ts';
import { mix, uniform, type Shocks, shocksOf } from './noise.ts';
import { onTick, type Units, type KLine, type KLineQuery, numberOf } from './types.ts';
import { MINUTE_MS, weekOf, type SessionDay, type Timetable } from './timetable.ts';
import { SECOND_MS, epochMs, toSeconds } from '../../core/brand.ts';
import { INTERVAL_MS, type Interval } from '../../domain/bar.ts';

const SECONDS = 60;
/** One extreme of a minute lies in each half, never in its first or last second. */
const EARLY_FIRST = 1;
const LATE_FIRST = 30;
const HALF = 29;
/** Maximum distance of a second from the line between those points, as a fraction of the minute's range. */
const STRAY = 0.12;

/**
 * The price of a second (0 to 59) of a minute. The first is the minute's open, the last its close, and both extremes
 * are reached: straight lines join these four points, and the seconds in between vary around them within the extremes.
 */
function priceInMinute(path: DayPath, minute: number, second: number): Units {
  const [open, close] = [path.open[minute] ?? 0, path.close[minute] ?? 0];
  const [high, low] = [path.high[minute] ?? 0, path.low[minute] ?? 0];
  const key = mix(path.key, minute);
  const early = EARLY_FIRST + (((key >>> 1) & 0xfff) % HALF);
  const late = LATE_FIRST + (((key >>> 13) & 0xfff) % HALF);
  const [earlyPrice, latePrice] = (key & 1) === 0 ? [low, high] : [high, low];

  if (second === 0) return open;
  if (second === early) return earlyPrice;
  if (second === late) return latePrice;
  if (second === SECONDS - 1) return close;

  const [left, right, from, to] =
    second < early
      ? [0, early, open, earlyPrice]
      : second < late
        ? [early, late, earlyPrice, latePrice]
        : [late, SECONDS - 1, latePrice, close];
  const line = from + ((to - from) * (second - left)) / (right - left);
  const strayed = line + (uniform(key, second) - 0.5) * 2 * STRAY * (high - low);
  return onTick(Math.min(Math.max(strayed, low), high));
}

/** Whole shares traded in a session up to the end of a second. */
function tradedThrough(path: DayPath, minute: number, second: number): number {
  const before = path.traded[minute] ?? 0;
  const shares = (path.traded[minute + 1] ?? 0) - before;
  const passed = second + 1;
  if (passed >= SECONDS) return before + shares;
  const uneven = uniform(mix(path.key, ~minute), second);
  return before + Math.floor((shares * (passed + uneven)) / SECONDS);
}

export type Candle = Readonly<{ open: Units; high: Units; low: Units; close: Units; volume: number }>;

/** Limits of visibility: nothing after `asOf`, with these shocks. */
export type Horizon = Readonly<{ asOf: number; shocks: Shocks }>;

/** Minutes of a session from `from` up to, but not including, `to`. */
type Minutes = Readonly<{ from: number; to: number }>;

const joined = (first: Candle | null, next: Candle): Candle =>
  first
    ? {
        open: first.open,
        high: Math.max(first.high, next.high),
        low: Math.min(first.low, next.low),
        close: next.close,
        volume: first.volume + next.volume,
      }
    : next;

/** Scales a candle. Rounding keeps the order of prices, so scaled extremes remain extremes. */
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

export function sessionPrice(path: DayPath, at: number, shocks: Shocks): Units {
  const { minute, second } = clockOf(path, at);
  return onTick(priceInMinute(path, minute, second) * shocks.factorAt(at));
}

/** Whole shares traded in the session by the end of a second, which may be outside the session. */
export function sessionTraded(path: DayPath, at: number): number {
  if (at < path.session.open) return 0;
  const { minute, second } = clockOf(path, Math.min(at, path.session.close - 1));
  return tradedThrough(path, minute, second);
}

/** One minute so far, built second by second: for a forming minute, or one with a shock. */
function walkedMinute(path: DayPath, minute: number, { asOf, shocks }: Horizon): Candle {
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

/** Minutes of a session so far as one candle; null when none has begun. */
export function candleOf(path: DayPath, minutes: Minutes, horizon: Horizon): Candle | null {
  const { from, to } = minutes;
  const start = path.session.open + from * MINUTE_MS;
  const last = path.session.open + to * MINUTE_MS - 1;
  if (horizon.asOf < start) return null;
  const whole = horizon.asOf >= last && horizon.shocks.within(start, last).length === 0;
  if (whole) return scaled(wholeMinutes(path, minutes), horizon.shocks.factorAt(start));
  if (to - from === 1) return walkedMinute(path, from, horizon);
  let candle: Candle | null = null;
  for (let minute = from; minute < to; minute++) {
    const next = candleOf(path, { from: minute, to: minute + 1 }, horizon);
    if (!next) break;
    candle = joined(candle, next);
  }
  return candle;
}

/** Sessions of a stock, minute by minute, and each as one candle so far; null before it begins. */
export interface StockSessions {
  path(session: SessionDay): DayPath;
  sessionCandle(session: SessionDay, horizon: Horizon): Candle | null;
}

type BarSource = Readonly<{ stock: StockSessions; timetable: Timetable }>;

type StartedCandle = Readonly<{ start: number; candle: Candle }>;

const kLine = ({ start, candle }: StartedCandle): KLine => ({
  open: numberOf(candle.open),
  high: numberOf(candle.high),
  low: numberOf(candle.low),
  close: numberOf(candle.close),
  volume: candle.volume,
  timestamp: toSeconds(epochMs(start)),
});

/** Query for visible bars that start by `latest`, newest first. */
type Ask = BarSource & Readonly<{ latest: number; horizon: Horizon }>;

/** Bars of `length` minutes, counted from each session's open: the last of a session may be shorter. */
function* intradayBars({ stock, timetable, latest, horizon }: Ask, length: number): Generator<StartedCandle> {
  for (let session = timetable.openedBy(latest); session; session = timetable.before(session.day)) {
    const path = stock.path(session);
    const newest = Math.min(latest, session.close - 1);
    for (let index = Math.floor((newest - session.open) / MINUTE_MS / length); index >= 0; index--) {
      const from = index * length;
      const candle = candleOf(path, { from, to: Math.min(from + length, session.minutes) }, horizon);
      if (candle) yield { start: session.open + from * MINUTE_MS, candle };
    }
  }
}

function* dailyBars({ stock, timetable, latest, horizon }: Ask): Generator<StartedCandle> {
  for (let session = timetable.openedBy(latest); session; session = timetable.before(session.day)) {
    const candle = stock.sessionCandle(session, horizon);
    if (candle) yield { start: session.open, candle };
  }
}

function weekAround(timetable: Timetable, within: SessionDay): SessionDay[] {
  const ofWeek = (day: SessionDay | null) => (day && weekOf(day.day) === weekOf(within.day) ? day : null);
  const before = ({ day }: SessionDay) => ofWeek(timetable.before(day));
  const after = ({ day }: SessionDay) => ofWeek(timetable.after(day));
  const days = [within];
  for (let day = before(within); day; day = before(day)) days.unshift(day);
  for (let day = after(within); day; day = after(day)) days.push(day);
  return days;
}

function* weeklyBars({ stock, timetable, latest, horizon }: Ask): Generator<StartedCandle> {
  let session = timetable.openedBy(latest);
  while (session) {
    const days = weekAround(timetable, session);
    const first = days[0] ?? session;
    let candle: Candle | null = null;
    for (const day of days) {
      const next = stock.sessionCandle(day, horizon);
      if (next) candle = joined(candle, next);
    }
    if (candle) yield { start: first.open, candle };
    session = timetable.before(first.day);
  }
}

function barsOf(ask: Ask, interval: Interval): Generator<StartedCandle> {
  if (interval === '1w') return weeklyBars(ask);
  if (interval === '1d') return dailyBars(ask);
  return intradayBars(ask, INTERVAL_MS[interval] / MINUTE_MS);
}

/** The newest bars of a range, at most `limit`, ascending. */
export function kLines(source: BarSource, query: KLineQuery): KLine[] {
  const { symbol, interval, from = -Infinity, to, limit, asOf, shocks } = query;
  const horizon = { asOf, shocks: shocksOf(symbol, shocks) };
  const bars: KLine[] = [];
  if (limit < 1) return bars;
  for (const bar of barsOf({ ...source, latest: Math.min(to - 1, asOf), horizon }, interval)) {
    if (bar.start < from) break;
    bars.push(kLine(bar));
    if (bars.length >= limit) break;
  }
  return bars.reverse();
}
