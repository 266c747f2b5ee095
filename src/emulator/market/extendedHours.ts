import type { DailyPath } from './dayPath.ts';
import type { Stock } from './listings.ts';
import { lattice, mix, uniform, type NoiseKey } from './noise.ts';
import { keepRecent } from './recent.ts';
import { FIRST_DAY, MINUTE_MS, type Recess, type SessionDay, type Timetable } from './timetable.ts';
import { unitsOf, type Units } from './types.ts';

/** Trade of an extended hour against a regular one. */
const THINNESS = 0.03;
const SECONDS_PER_SESSION = 23_400;
/** How far prices stray on their way to the open, of a day's standard deviation. */
const DRIFT = 0.3;
/** Waves of that: minutes of each, and its size. */
const WAVES = [
  [1, 0.03],
  [8, 0.1],
  [64, 0.25],
  [256, 0.5],
] as const;
const RESTS_KEPT = 8;

/** A stock outside its regular sessions. Instants come with the session before them, null before the first. */
export interface ExtendedHours {
  priceAt(last: SessionDay | null, at: number): Units;
  /** Whole shares of the second of an instant. */
  volumeAt(last: SessionDay | null, at: number): number;
}

export type ExtendedHoursOptions = Readonly<{
  key: NoiseKey;
  /** Standard deviation of a day's log return. */
  sigma: number;
  stock: Stock;
  daily: DailyPath;
  timetable: Timetable;
}>;

/** The last close, as a price and as a logarithm, and where trade takes it; `drift` is null where it stands still. */
type Rest = Readonly<{
  close: Units;
  from: number;
  drift: (Recess & Readonly<{ key: NoiseKey; to: number }>) | null;
}>;

/** Minutes that a recess has been traded through by an instant. */
const minutesTraded = ({ closedAt, restsFrom, resumesAt }: Recess, at: number): number =>
  Math.floor((Math.min(at, restsFrom) - closedAt + Math.max(at - resumesAt, 0)) / MINUTE_MS);

/** By small steps from the close to the next open, one a minute. */
function driftedPrice({ close, from, drift }: Rest, at: number, sigma: number): Units {
  if (!drift) return close;
  const minute = minutesTraded(drift, at);
  if (minute === 0) return close;
  const passed = minute / minutesTraded(drift, drift.opensAt);
  let stray = 0;
  for (const [span, size] of WAVES) stray += size * lattice(mix(drift.key, span), span, minute);
  const line = from + (drift.to - from) * passed;
  return unitsOf(Math.exp(line + DRIFT * sigma * 4 * passed * (1 - passed) * stray));
}

export function createExtendedHours(options: ExtendedHoursOptions): ExtendedHours {
  const { key, sigma, stock, daily, timetable } = options;
  const usualVolume = (THINNESS * stock.profile.dailyVolume) / SECONDS_PER_SESSION;
  const restAfter = keepRecent(RESTS_KEPT, (last: SessionDay | null): Rest => {
    const day = last?.day ?? FIRST_DAY - 1;
    const from = daily.close(day);
    const recess = stock.listing.overnightTradable && last ? timetable.recessAfter(last) : null;
    const drift = recess && { ...recess, key: mix(key, day), to: daily.open(recess.next.day) };
    return { close: unitsOf(Math.exp(from)), from, drift };
  });

  return {
    priceAt: (last, at) => driftedPrice(restAfter(last), at, sigma),
    volumeAt(last, at) {
      const { drift } = restAfter(last);
      if (!drift || (at >= drift.restsFrom && at < drift.resumesAt)) return 0;
      const second = Math.floor((at - drift.closedAt) / 1000);
      return Math.floor(2 * usualVolume * uniform(drift.key, second));
    },
  };
}
