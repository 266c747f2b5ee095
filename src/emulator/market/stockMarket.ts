import { hash32 } from '../../core/random.ts';
import { candleOf, scaled, sessionPrice, sessionTraded, type StockSessions } from './candles.ts';
import { createDailyPath, spreadOf, createDayPaths } from './dayPath.ts';
import { createExtendedHours } from './extendedHours.ts';
import type { Stock } from './listings.ts';
import { mix, type NoiseKey, NO_SHOCKS, type Shocks } from './noise.ts';
import { keepRecent } from './recent.ts';
import type { SessionDay, Timetable } from './timetable.ts';
import { onTick, type Units } from './types.ts';

/** Sessions of a stock that are kept minute by minute, some 16 kB each. */
const PATHS_KEPT = 32;
/** Sessions that are kept as one candle: all that the calendar has. */
const CANDLES_KEPT = 16_384;
const SECOND_MS = 1000;

/** One stock's market. Instants are milliseconds since 1970. */
export interface StockMarket extends StockSessions {
  priceAt(at: number, shocks: Shocks): Units;
  volumeAt(at: number): number;
  /** Shares traded in the newest sessions, after the second of `from`, up to the end of the second of `to`. */
  tradedBetween(from: number, to: number): number;
}

export type StockMarketOptions = Readonly<{
  stock: Stock;
  seed: number;
  /** Noise of the market, and its bridge of a session: the same for all stocks. */
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
