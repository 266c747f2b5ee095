import type { DayPath } from './dayPath.ts';
import { mix, uniform } from './noise.ts';
import { onTick, type Units } from './units.ts';

const SECONDS = 60;
/** The extremes of a minute fall one into each half, never on its first or last second. */
const EARLY_FIRST = 1;
const LATE_FIRST = 30;
const HALF = 29;
/** How far a second may stray from the line between those points, of the minute's range. */
const STRAY = 0.12;

/**
 * The price of a second, 0 to 59, of a minute. The first is the minute's open, the last its close, and both extremes
 * are reached: straight lines join these four points, and the seconds between stray from them within the extremes.
 */
export function priceInMinute(path: DayPath, minute: number, second: number): Units {
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

/** Whole shares traded in a session up to the end of a second of a minute. */
export function tradedThrough(path: DayPath, minute: number, second: number): number {
  const before = path.traded[minute] ?? 0;
  const shares = (path.traded[minute + 1] ?? 0) - before;
  const passed = second + 1;
  if (passed >= SECONDS) return before + shares;
  const uneven = uniform(mix(path.key, ~minute), second);
  return before + Math.floor((shares * (passed + uneven)) / SECONDS);
}
