import { getAddress } from 'viem/utils';
import { hashHex } from '../../core/random.ts';
import { chanceOf } from '../../core/seededRandom.ts';
import { ticker } from '../../domain/instrument.ts';
import type { ListedSymbol } from './types.ts';

/** Statistical behaviour of a stock's price. */
export type Profile = Readonly<{
  /** Price that it reverts to, in mUSD. */
  level: number;
  /** Standard deviation of annual returns: 0.25 is 25 %. Larger than its market part, `beta` times the market's. */
  volatility: number;
  /** Sensitivity to the market's moves. */
  beta: number;
  /** Shares traded in a typical full session. */
  dailyVolume: number;
}>;

export type Stock = Readonly<{ listing: ListedSymbol; profile: Profile }>;

type Row = Profile &
  Readonly<{
    symbol: string;
    name: string;
    exchange: string;
    tradable?: false;
    fractionable?: false;
    overnight?: true;
  }>;

// prettier-ignore
const ROWS: readonly Row[] = [
  { symbol: 'AAPL', name: 'Apple Inc.', exchange: 'NASDAQ', overnight: true,
    level: 230, volatility: 0.26, beta: 1.15, dailyVolume: 55e6 },
  { symbol: 'MSFT', name: 'Microsoft Corporation', exchange: 'NASDAQ', overnight: true,
    level: 430, volatility: 0.24, beta: 1.1, dailyVolume: 22e6 },
  { symbol: 'NVDA', name: 'NVIDIA Corporation', exchange: 'NASDAQ', overnight: true,
    level: 135, volatility: 0.45, beta: 1.7, dailyVolume: 220e6 },
  { symbol: 'TSLA', name: 'Tesla, Inc.', exchange: 'NASDAQ', overnight: true,
    level: 260, volatility: 0.48, beta: 1.6, dailyVolume: 95e6 },
  { symbol: 'AMZN', name: 'Amazon.com, Inc.', exchange: 'NASDAQ',
    level: 200, volatility: 0.3, beta: 1.2, dailyVolume: 40e6 },
  { symbol: 'GOOGL', name: 'Alphabet Inc. Class A', exchange: 'NASDAQ',
    level: 175, volatility: 0.28, beta: 1.1, dailyVolume: 28e6 },
  { symbol: 'META', name: 'Meta Platforms, Inc.', exchange: 'NASDAQ',
    level: 560, volatility: 0.34, beta: 1.25, dailyVolume: 15e6 },
  { symbol: 'SPY', name: 'SPDR S&P 500 ETF Trust', exchange: 'ARCA', overnight: true,
    level: 575, volatility: 0.155, beta: 1, dailyVolume: 60e6 },
  { symbol: 'QQQ', name: 'Invesco QQQ Trust', exchange: 'NASDAQ', overnight: true,
    level: 490, volatility: 0.2, beta: 1.2, dailyVolume: 40e6 },
  { symbol: 'KO', name: 'The Coca-Cola Company', exchange: 'NYSE',
    level: 66, volatility: 0.17, beta: 0.5, dailyVolume: 13e6 },
  { symbol: 'JPM', name: 'JPMorgan Chase & Co.', exchange: 'NYSE',
    level: 215, volatility: 0.24, beta: 0.95, dailyVolume: 9e6 },
  { symbol: 'F', name: 'Ford Motor Company', exchange: 'NYSE',
    level: 11.5, volatility: 0.34, beta: 1.2, dailyVolume: 60e6 },
  { symbol: 'PLUG', name: 'Plug Power Inc.', exchange: 'NASDAQ',
    level: 0.3, volatility: 0.55, beta: 1.4, dailyVolume: 30e6 },
  { symbol: 'TWTR', name: 'Twitter, Inc.', exchange: 'NYSE', tradable: false,
    level: 43, volatility: 0.36, beta: 0.9, dailyVolume: 12e6 },
  { symbol: 'BRK.B', name: 'Berkshire Hathaway Inc. Class B', exchange: 'NYSE', fractionable: false,
    level: 450, volatility: 0.19, beta: 0.8, dailyVolume: 3.5e6 },
];

const stockOf = (row: Row): Stock => ({
  profile: row,
  listing: {
    symbol: ticker(row.symbol),
    name: row.name,
    exchange: row.exchange,
    address: getAddress(hashHex(`stock token ${row.symbol}`).slice(0, 42)),
    contractSymbol: `m${row.symbol}`,
    contractName: `${row.name} (tokenized)`,
    tradable: row.tradable ?? true,
    fractionable: row.fractionable ?? true,
    overnightTradable: row.overnight ?? false,
    fractionalEhEnabled: row.overnight ?? false,
  },
});

/** Stocks with real names. */
export const stocks: readonly Stock[] = ROWS.map(stockOf);

/** Maximum number of stocks that a venue can list. */
export const STOCKS_MAX = 5_000;

/** The first `count` stocks of a venue: those with real names, then invented ones. Their symbols determine their behaviour. */
export const listedStocks = (count: number = stocks.length): readonly Stock[] =>
  Array.from({ length: count }, (_, index) => stocks[index] ?? stockOf(inventedRow(index + 1)));

/** Row of an invented stock: `S0500` is the five hundredth stock. */
function inventedRow(number: number): Row {
  const symbol = `S${String(number).padStart(4, '0')}`;
  const between = (what: string, least: number, most: number) =>
    least * (most / least) ** chanceOf(`${symbol} ${what}`);
  const beta = between('beta', 0.4, 1.8);
  return {
    symbol,
    name: `Stock ${number}, Inc.`,
    exchange: 'NYSE',
    beta,
    level: between('level', 5, 500),
    // More than its market part; the market moves by about 15 % a year.
    volatility: 0.16 * beta + between('own volatility', 0.05, 0.4),
    dailyVolume: between('volume', 1e6, 50e6),
  };
}
