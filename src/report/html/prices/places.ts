import { newYorkDate, newYorkTime } from '../../../calendar/index.ts';
import { MINUTE_MS, epochMs } from '../../../core/brand.ts';
import { placeOfMinute, SESSION_MINUTES } from '../../../figures/intraday.ts';
import { fine } from '../../../figures/scale.ts';
import { placeAmong } from '../../../figures/series.ts';
import { sessionIndex, type RunView } from '../runView.ts';

/** An instant at or after the close still belongs to its session. */
const LAST_MINUTE = 0.999 * SESSION_MINUTES;

/** Index of the last session on or before the New York day of an instant; −1 before the first. */
export const sessionOf = (dates: readonly string[], at: number): number =>
  placeAmong(dates, newYorkDate(epochMs(at)));

/** Minutes of regular sessions from the first open of a run up to an instant. */
export function minuteAlong(dates: readonly string[], at: number): number {
  const session = Math.max(sessionOf(dates, at), 0);
  const minutes = (at - newYorkTime(dates[session] ?? '', '09:30')) / MINUTE_MS;
  return session * SESSION_MINUTES + Math.min(Math.max(minutes, 0), LAST_MINUTE);
}

/** Positions of instants along the sessions, or weeks, of a run. @param starts of the candles of a stock */
export function placesAlong(view: RunView, starts: readonly number[]): (at: number) => number {
  if (view.mark === 'session') return (at) => fine(placeOfMinute(minuteAlong(view.dates, at)));
  const opens = new Map(starts.map((start) => [sessionIndex(view, start), start]));
  return (at) => {
    const week = sessionIndex(view, at);
    const close = view.marks[week]?.at ?? at;
    const open = opens.get(week) ?? close;
    return fine(week + (close > open ? Math.min(Math.max((at - open) / (close - open), 0), 1) : 0));
  };
}
