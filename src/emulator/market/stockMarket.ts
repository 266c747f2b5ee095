import { SECOND_MS } from '../../core/brand.ts';
import { type DailyPath, createDailyPath, spreadOf, createDayPaths } from './dayPath.ts';
import type { Stock } from './listings.ts';
import { lattice, mix, uniform, type NoiseKey, NO_SHOCKS, type Shocks } from './noise.ts';
import { keepRecent } from './recent.ts';
import { FIRST_DAY, MINUTE_MS, type Recess, type SessionDay, type Timetable } from './timetable.ts';
import { unitsOf, type Units, onTick } from './types.ts';
import { hash32 } from '../../core/seededRandom.ts';
import { candleOf, scaled, sessionPrice, sessionTraded, type StockSessions } from './candles.ts';

/** Volume of an extended hour relative to a regular one. */
const THINNESS = 0.03;
const SECONDS_PER_SESSION = 23_400;
/** Size of the noise between close and open, in daily standard deviations. */
const DRIFT = 0.3;
/** Components of that noise: length in minutes, and size. */
const WAVES = [
  [1, 0.03],
  [8, 0.1],
  [64, 0.25],
  [256, 0.5],
] as const;
const RESTS_KEPT = 8;

/** A stock outside regular sessions. Instants are given with the preceding session, null before the first. */
interface ExtendedHours {
  priceAt(last: SessionDay | null, at: number): Units;
  /** Whole shares traded in the second of an instant. */
  volumeAt(last: SessionDay | null, at: number): number;
}

type ExtendedHoursOptions = Readonly<{
  key: NoiseKey;
  /** Standard deviation of a daily log return. */
  sigma: number;
  stock: Stock;
  daily: DailyPath;
  timetable: Timetable;
}>;

/** The last close, as a price and as a logarithm, and the drift from it; null if the price does not move. */
type Rest = Readonly<{
  close: Units;
  from: number;
  drift: (Recess & Readonly<{ key: NoiseKey; to: number }>) | null;
}>;

/** Minutes of trading in a recess up to an instant. */
const minutesTraded = ({ closedAt, restsFrom, resumesAt }: Recess, at: number): number =>
  Math.floor((Math.min(at, restsFrom) - closedAt + Math.max(at - resumesAt, 0)) / MINUTE_MS);

/** Price on the drift from the close to the next open, one step a minute. */
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

function createExtendedHours(options: ExtendedHoursOptions): ExtendedHours {
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

/** Number of a stock's sessions cached minute by minute, about 16 kB each. */
const PATHS_KEPT = 32;
/** Number of sessions cached as one candle: the whole calendar. */
const CANDLES_KEPT = 16_384;

/** One stock's market. Instants are milliseconds since 1970. */
export interface StockMarket extends StockSessions {
  priceAt(at: number, shocks: Shocks): Units;
  volumeAt(at: number): number;
  /** Shares traded in regular sessions, after the second of `from`, up to the end of the second of `to`. */
  tradedBetween(from: number, to: number): number;
}

type StockMarketOptions = Readonly<{
  stock: Stock;
  seed: number;
  /** Noise of the market, and its Brownian bridge for a session: the same for all stocks. */
  marketKey: NoiseKey;
  marketBridge: (session: SessionDay) => Float64Array;
  timetable: Timetable;
}>;

const DAILY = 1;
const SESSION = 2;
const EXTENDED = 3;

function createModels({ stock, seed, timetable, ...market }: StockMarketOptions) {
  const { listing, profile } = stock;
  const key = hash32(`${seed} ${listing.symbol}`);
  const spread = spreadOf(profile);
  const daily = createDailyPath({
    profile,
    marketKey: market.marketKey,
    ownKey: mix(key, DAILY),
    timetable,
  });
  const draw = createDayPaths({
    spread,
    dailyVolume: profile.dailyVolume,
    ownKey: mix(key, SESSION),
    daily,
    marketBridge: market.marketBridge,
  });
  const sigma = spread.both;
  const extended = createExtendedHours({ key: mix(key, EXTENDED), sigma, stock, daily, timetable });
  return { path: keepRecent(PATHS_KEPT, draw), extended };
}

export function createStockMarket(options: StockMarketOptions): StockMarket {
  const { timetable } = options;
  const { path, extended } = createModels(options);
  const wholeCandle = keepRecent(CANDLES_KEPT, (session: SessionDay) =>
    candleOf(path(session), { from: 0, to: session.minutes }, { asOf: Infinity, shocks: NO_SHOCKS }),
  );

  return {
    path,
    sessionCandle(session, horizon) {
      const { open, close, minutes } = session;
      const last = close - 1;
      const whole = horizon.asOf >= last && horizon.shocks.within(open, last).length === 0;
      if (!whole) return candleOf(path(session), { from: 0, to: minutes }, horizon);
      const candle = wholeCandle(session);
      return candle && scaled(candle, horizon.shocks.factorAt(open));
    },
    priceAt(at, shocks) {
      const session = timetable.openedBy(at);
      if (session && at < session.close) return sessionPrice(path(session), at, shocks);
      return onTick(extended.priceAt(session, at) * shocks.factorAt(at));
    },
    volumeAt(at) {
      const session = timetable.openedBy(at);
      if (!session || at >= session.close) return extended.volumeAt(session, at);
      return sessionTraded(path(session), at) - sessionTraded(path(session), at - SECOND_MS);
    },
    tradedBetween(from, to) {
      let shares = 0;
      let session = timetable.openedBy(to);
      while (session && session.close > from) {
        const day = path(session);
        shares += sessionTraded(day, to) - sessionTraded(day, from);
        session = timetable.before(session.day);
      }
      return shares;
    },
  };
}
