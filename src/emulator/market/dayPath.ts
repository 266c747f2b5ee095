import { seededRandom } from '../../core/random.ts';
import { OPEN_TO_CLOSE, type DailyPath, type DailySpread } from './dailyPath.ts';
import { bridge, rhythm, unrestOf } from './intraday.ts';
import { bounded, mix, type NoiseKey } from './noise.ts';
import type { SessionDay } from './timetable.ts';
import { unitsOf } from './units.ts';

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

export type DayPathOptions = Readonly<{
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
/** Minutes of a full session, for which volumes are given. */
const FULL_SESSION = 390;
/** How far a minute's first price may lie from the last one's close, of the minute's standard deviation. */
const STEP_BETWEEN = 0.25;

/**
 * Draws sessions: from the day's open to its close along the variance that has passed, with a bridge of the market's
 * and the stock's own unrest on top, so that moves within a day are as large as moves between days say.
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

/** Fills in what lies between the boundaries: extremes as a Brownian path would have them, and trade to match. */
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

/** From end to end over the extreme, by way of a Brownian path of so much width: the inverse of its distribution. */
const reach = (move: number, width: number, chance: number): number =>
  Math.sqrt(move * move - 2 * width * width * Math.log(1 - chance));
