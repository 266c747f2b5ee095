import { bounded, mix, walk, type NoiseKey } from './noise.ts';
import type { Profile } from './listings.ts';
import { weekdaysTo, type Day, type Timetable } from './timetable.ts';

const MARKET_VOLATILITY = 0.15;
const DAYS_PER_YEAR = 252;
/** Of a day's move, the part that the open brings at once… */
const GAP_FOLLOWS = 0.3;
/** …and what the open brings beside it, of a day's standard deviation. */
const GAP_OWN = 0.35;
/** Standard deviation from open to close that this leaves, of a day's. */
export const OPEN_TO_CLOSE = Math.sqrt((1 - GAP_FOLLOWS) ** 2 + GAP_OWN ** 2);

/** Standard deviations of a day's log return: the market's part, the stock's own, and both together. */
export type DailySpread = Readonly<{ shared: number; own: number; both: number }>;

export function spreadOf({ volatility, beta }: Profile): DailySpread {
  const perDay = 1 / Math.sqrt(DAYS_PER_YEAR);
  const shared = beta * MARKET_VOLATILITY;
  return {
    shared: shared * perDay,
    own: Math.sqrt(volatility ** 2 - shared ** 2) * perDay,
    both: volatility * perDay,
  };
}

/** Logarithms of the prices, in mUSD, that the regular session of a day opens and closes at. */
export interface DailyPath {
  open(day: Day): number;
  close(day: Day): number;
}

export type DailyOptions = Readonly<{
  profile: Profile;
  /** Noise of the market, the same for all stocks. */
  marketKey: NoiseKey;
  ownKey: NoiseKey;
  timetable: Timetable;
}>;

const WALK = 1;
const GAP = 2;

/** Closes walk around the profile's level; an open lies between the last close and its own, and somewhat beside. */
export function createDailyPath({ profile, marketKey, ownKey, timetable }: DailyOptions): DailyPath {
  const spread = spreadOf(profile);
  const level = Math.log(profile.level);
  const blend = (shared: number, own: number) => spread.shared * shared + spread.own * own;
  const [marketWalk, ownWalk] = [mix(marketKey, WALK), mix(ownKey, WALK)];
  const [marketGap, ownGap] = [mix(marketKey, GAP), mix(ownKey, GAP)];

  const close = (day: Day): number => {
    const step = weekdaysTo(day);
    return level + blend(walk(marketWalk, step), walk(ownWalk, step));
  };
  const open = (day: Day): number => {
    const last = close(timetable.before(day)?.day ?? day - 1);
    const gap = GAP_OWN * blend(bounded(marketGap, day), bounded(ownGap, day));
    return last + GAP_FOLLOWS * (close(day) - last) + gap;
  };
  return { open, close };
}
