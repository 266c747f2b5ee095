import { epochMs, toSeconds } from '../../core/brand.ts';
import { INTERVAL_MS, type Interval } from '../../domain/bar.ts';
import { candleOf, joined, type Candle, type Sight } from './candles.ts';
import { shocksOf } from './shocks.ts';
import type { StockMarket } from './stockMarket.ts';
import { MINUTE_MS, weekOf, type SessionDay, type Timetable } from './timetable.ts';
import type { KLine, KLineQuery } from './types.ts';
import { numberOf } from './units.ts';

/** A stock's market, with the sessions that it is open in. */
export type BarSource = Readonly<{ stock: StockMarket; timetable: Timetable }>;

type Started = Readonly<{ start: number; candle: Candle }>;

const kLine = ({ start, candle }: Started): KLine => ({
  open: numberOf(candle.open),
  high: numberOf(candle.high),
  low: numberOf(candle.low),
  close: numberOf(candle.close),
  volume: candle.volume,
  timestamp: toSeconds(epochMs(start)),
});

/** What is asked for: bars that start by `latest`, newest first, as far as they are to be seen. */
type Ask = BarSource & Readonly<{ latest: number; sight: Sight }>;

/** Bars of so many minutes, counted from each session's open: the last of a session may be shorter. */
function* intradayBars({ stock, timetable, latest, sight }: Ask, length: number): Generator<Started> {
  for (let session = timetable.openedBy(latest); session; session = timetable.before(session.day)) {
    const path = stock.path(session);
    const newest = Math.min(latest, session.close - 1);
    for (let index = Math.floor((newest - session.open) / MINUTE_MS / length); index >= 0; index--) {
      const from = index * length;
      const candle = candleOf(path, { from, to: Math.min(from + length, session.minutes) }, sight);
      if (candle) yield { start: session.open + from * MINUTE_MS, candle };
    }
  }
}

function* dailyBars({ stock, timetable, latest, sight }: Ask): Generator<Started> {
  for (let session = timetable.openedBy(latest); session; session = timetable.before(session.day)) {
    const candle = stock.sessionCandle(session, sight);
    if (candle) yield { start: session.open, candle };
  }
}

/** All sessions of the week that a session falls into. */
function weekAround(timetable: Timetable, within: SessionDay): SessionDay[] {
  const ofWeek = (day: SessionDay | null) => (day && weekOf(day.day) === weekOf(within.day) ? day : null);
  const before = ({ day }: SessionDay) => ofWeek(timetable.before(day));
  const after = ({ day }: SessionDay) => ofWeek(timetable.after(day));
  const days = [within];
  for (let day = before(within); day; day = before(day)) days.unshift(day);
  for (let day = after(within); day; day = after(day)) days.push(day);
  return days;
}

function* weeklyBars({ stock, timetable, latest, sight }: Ask): Generator<Started> {
  let session = timetable.openedBy(latest);
  while (session) {
    const days = weekAround(timetable, session);
    const first = days[0] ?? session;
    let candle: Candle | null = null;
    for (const day of days) {
      const next = stock.sessionCandle(day, sight);
      if (next) candle = joined(candle, next);
    }
    if (candle) yield { start: first.open, candle };
    session = timetable.before(first.day);
  }
}

function barsOf(ask: Ask, interval: Interval): Generator<Started> {
  if (interval === '1w') return weeklyBars(ask);
  if (interval === '1d') return dailyBars(ask);
  return intradayBars(ask, INTERVAL_MS[interval] / MINUTE_MS);
}

/** The newest bars of a range, at most `limit`, ascending. */
export function kLines(source: BarSource, query: KLineQuery): KLine[] {
  const { symbol, interval, from = -Infinity, to, limit, asOf, shocks } = query;
  const sight = { asOf, shocks: shocksOf(symbol, shocks) };
  const bars: KLine[] = [];
  if (limit < 1) return bars;
  for (const bar of barsOf({ ...source, latest: Math.min(to - 1, asOf), sight }, interval)) {
    if (bar.start < from) break;
    bars.push(kLine(bar));
    if (bars.length >= limit) break;
  }
  return bars.reverse();
}
