import { DAY_MS } from '../../core/brand.ts';
import { tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { hash32 } from '../../core/seededRandom.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { adjusted } from './shocks.ts';
import { kLines } from './candles.ts';
import { bridge, rhythm } from './intraday.ts';
import { listedStocks } from './listings.ts';
import { mix, shocksOf } from './noise.ts';
import { keepRecent } from './recent.ts';
import { createStockMarket, type StockMarket } from './stockMarket.ts';
import { createTimetable, type SessionDay } from './timetable.ts';
import { type Market, numberOf, priceOf } from './types.ts';

export type { KLine, KLineQuery, ListedSymbol, Market, Shock } from './types.ts';

/** `stocks`: number of listed stocks; by default those with real names. */
export type MarketOptions = Readonly<{ seed: number; stocks?: number; calendar?: TradingCalendar }>;

/** Number of the market's Brownian bridges that are cached: all stocks request the same sessions. */
const BRIDGES_KEPT = 64;
/** Rounds percentages to four places. */
const PERCENT_SCALE = 10_000;

/** Generates prices, volumes and bars for the listed stocks. */
export function createMarket({ seed, stocks, calendar = tradingCalendar }: MarketOptions): Market {
  const listed = listedStocks(stocks);
  const timetable = createTimetable(calendar);
  const marketKey = hash32(`${seed} the market`);
  const marketBridge = keepRecent(BRIDGES_KEPT, (session: SessionDay) =>
    bridge(mix(marketKey, session.day), rhythm(session.minutes)),
  );
  const markets = new Map<Ticker, StockMarket>(
    listed.map((stock) => [
      stock.listing.symbol,
      createStockMarket({ stock, seed, marketKey, marketBridge, timetable }),
    ]),
  );
  const marketOf = (symbol: Ticker): StockMarket => {
    const market = markets.get(symbol);
    if (!market) throw new InvalidValueError(`${symbol} is not listed`, { symbol });
    return market;
  };

  return {
    listings: listed.map(({ listing }) => listing),
    priceAt: (symbol, at, shocks) => priceOf(marketOf(symbol).priceAt(at, shocksOf(symbol, shocks))),
    volumeAt: (symbol, at) => marketOf(symbol).volumeAt(at),
    bars: (query) => kLines({ stock: marketOf(query.symbol), timetable }, query),
    quoteAt(symbol, at, shocks = []) {
      const market = marketOf(symbol);
      const [own, known] = [shocksOf(symbol, shocks), shocksOf(symbol, adjusted(shocks, 'all'))];
      const price = market.priceAt(at, own);
      const volume = market.tradedBetween(at - DAY_MS, at);
      const before = market.priceAt(at - DAY_MS, known);
      const change = (known === own ? price : market.priceAt(at, known)) - before;
      const percent = Math.round((change / before) * 100 * PERCENT_SCALE) / PERCENT_SCALE;
      return { price: numberOf(price), change: numberOf(change), percent, volume };
    },
  };
}
