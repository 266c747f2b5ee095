import { bounded, mix, walk, type NoiseKey } from './noise.ts';
import type { Profile } from './listings.ts';
import { weekdaysTo, type Day, type Timetable, type SessionDay } from './timetable.ts';
import { seededRandom } from '../../core/seededRandom.ts';
import { bridge, rhythm, unrestOf } from './intraday.ts';
import { unitsOf } from './types.ts';

const MARKET_VOLATILITY = 0.15;
const DAYS_PER_YEAR = 252;
/** Share of a day's move that happens as a jump at the open. */
const GAP_FOLLOWS = 0.3;
/** Size of the open's own random jump, in daily standard deviations. */
const GAP_OWN = 0.35;
/** Remaining standard deviation from open to close, in daily ones. */
const OPEN_TO_CLOSE = Math.sqrt((1 - GAP_FOLLOWS) ** 2 + GAP_OWN ** 2);

/** Standard deviations of a daily log return: the market's part, the stock's own, and both together. */
type DailySpread = Readonly<{ shared: number; own: number; both: number }>;

export function spreadOf({ volatility, beta }: Profile): DailySpread {
  const perDay = 1 / Math.sqrt(DAYS_PER_YEAR);
  const shared = beta * MARKET_VOLATILITY;
  return {
    shared: shared * perDay,
    own: Math.sqrt(volatility ** 2 - shared ** 2) * perDay,
    both: volatility * perDay,
  };
}

/** Logarithms of the opening and closing prices of regular sessions, in mUSD. */
export interface DailyPath {
  open(day: Day): number;
  close(day: Day): number;
}

type DailyOptions = Readonly<{
  profile: Profile;
  /** Noise of the market, the same for all stocks. */
  marketKey: NoiseKey;
  ownKey: NoiseKey;
  timetable: Timetable;
}>;

const WALK = 1;
const GAP = 2;

/**
 * Creates the daily path: closes fluctuate around the profile's level; an open lies between the last close and its own
 * close, with some noise.
 */
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

/** The minutes of one regular session, in columns. */
export type DayPath = Readonly<{
  session: SessionDay;
  /** Noise of this stock on this day. */
  key: NoiseKey;
  open: Float64Array;
  high: Float64Array;
  low: Float64Array;
  close: Float64Array;
  /** Whole shares traded before each boundary of minutes: one more than there are minutes. */
  traded: Float64Array;
}>;

type DayPathOptions = Readonly<{
  spread: DailySpread;
  dailyVolume: number;
  ownKey: NoiseKey;
  daily: DailyPath;
  /** The market's bridge of a session, the same for all stocks. */
  marketBridge: (session: SessionDay) => Float64Array;
}>;

const BRIDGE = 1;
const UNREST = 2;
const TRADE = 3;
const MINUTES = 4;
/** Minutes of a full session, which volumes refer to. */
const FULL_SESSION = 390;
/** Maximum distance of a minute's first price from the previous close, in standard deviations of the minute. */
const STEP_BETWEEN = 0.25;

/**
 * Draws sessions: from the day's open to its close according to the elapsed share of variance, plus bridges of the
 * market's and the stock's own noise, so that moves within a day are as large as those between days imply.
 */
export function createDayPaths({ spread, dailyVolume, ownKey, daily, marketBridge }: DayPathOptions) {
  const levelsOf = (session: SessionDay, unrest: number): Float64Array => {
    const beat = rhythm(session.minutes);
    const shared = marketBridge(session);
    const own = bridge(mix(mix(ownKey, BRIDGE), session.day), beat);
    const [open, close] = [daily.open(session.day), daily.close(session.day)];
    const width = OPEN_TO_CLOSE * unrest;
    return beat.clock.map(
      (passed, boundary) =>
        open * (1 - passed) +
        close * passed +
        width * (spread.shared * (shared[boundary] ?? 0) + spread.own * (own[boundary] ?? 0)),
    );
  };

  return (session: SessionDay): DayPath => {
    const unrest = unrestOf(mix(ownKey, UNREST), session.day);
    const bustle = unrest * Math.exp(0.25 * bounded(mix(ownKey, TRADE), session.day));
    return drawMinutes({
      session,
      key: mix(mix(ownKey, MINUTES), session.day),
      levels: levelsOf(session, unrest),
      sigma: spread.both * OPEN_TO_CLOSE * unrest,
      shares: (dailyVolume * bustle * session.minutes) / FULL_SESSION,
    });
  };
}

type Outline = Readonly<{
  session: SessionDay;
  key: NoiseKey;
  /** Logarithms of the price at the boundaries of minutes. */
  levels: Float64Array;
  /** Standard deviation of the session's log price. */
  sigma: number;
  shares: number;
}>;

/** Draws the minutes between the boundaries: extremes distributed as in Brownian motion, and matching volume. */
function drawMinutes({ session, key, levels, sigma, shares }: Outline): DayPath {
  const { minutes } = session;
  const beat = rhythm(minutes);
  const random = seededRandom(key);
  const column = () => new Float64Array(minutes);
  const [open, high, low, close] = [column(), column(), column(), column()];
  const traded = new Float64Array(minutes + 1);
  let last = Math.exp(levels[0] ?? 0);
  for (let minute = 0; minute < minutes; minute++) {
    const width = last * sigma * (beat.unrest[minute] ?? 0);
    const first = minute === 0 ? last : last + (random.next() - 0.5) * 2 * STEP_BETWEEN * width;
    last = Math.exp(levels[minute + 1] ?? 0);
    const move = last - first;
    const up = reach(move, width, random.next());
    const down = reach(move, width, random.next());
    const begins = (open[minute] = unitsOf(first));
    const ends = (close[minute] = unitsOf(last));
    high[minute] = Math.max(begins, ends, unitsOf((first + last + up) / 2));
    low[minute] = Math.min(begins, ends, unitsOf((first + last - down) / 2));
    const bustle = 0.3 + 0.6 * random.next() + 0.5 * Math.min(Math.abs(move) / width, 3);
    traded[minute + 1] = (traded[minute] ?? 0) + Math.round(shares * (beat.volume[minute] ?? 0) * bustle);
  }
  return { session, key, open, high, low, close, traded };
}

/** Distance from start to end via the extreme, for Brownian motion of this width: inverse of its distribution function. */
const reach = (move: number, width: number, chance: number): number =>
  Math.sqrt(move * move - 2 * width * width * Math.log(1 - chance));
