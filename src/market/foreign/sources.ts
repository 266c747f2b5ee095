import { CSV_HEADER } from '../csvBars.ts';

/**
 * How a source has adjusted its prices. `raw`: as traded. `splits`: divided by later splits. `all`: adjusted for later
 * splits and dividends.
 */
export const PRICE_KINDS = ['raw', 'splits', 'all'] as const;
export type PriceKind = (typeof PRICE_KINDS)[number];

/** Day on whose shares a per-share amount is based: its own ex-date, or the day on which the file was written. */
export const SHARE_DAYS = ['ex-date', 'today'] as const;
export type ShareDay = (typeof SHARE_DAYS)[number];

/** Source of a file, with what its columns do not say; null for unknown values. */
export type Source = Readonly<{
  name: string;
  /** False if the columns match no known source. */
  isKnown: boolean;
  /** True if many other sources write the same columns. */
  isCommon?: boolean;
  prices: PriceKind | null;
  /** Adjustment of bars shorter than a day, if different. */
  intraday?: PriceKind;
  dates?: 'mdy';
  /** Zone of times that name none. */
  zone?: string;
  /** Share basis of dividend amounts. */
  shares?: ShareDay;
  /** True for a source that is recognised only if the latest row comes first. */
  isNewestFirst?: boolean;
}>;

type Entry = Omit<Source, 'isKnown'> &
  Readonly<{
    /** Plain names of columns that must all be present or, with `only`, the whole header. */
    columns: string;
    only?: boolean;
  }>;

/** Sources by their columns, most specific first. Adjustments as the sources document them: `docs/data.md`. */
const SOURCES: readonly Entry[] = [
  // Our own format as written by another program: in quotes, or with another separator.
  { name: 'drover', columns: CSV_HEADER, only: true, prices: 'raw' },
  { name: 'Tiingo', columns: 'date,close,adjclose,divcash,splitfactor', prices: 'raw', shares: 'ex-date' },
  { name: 'Financial Modeling Prep', columns: 'date,close,adjclose,unadjustedvolume', prices: 'splits' },
  {
    name: 'Alpha Vantage',
    columns: 'timestamp,close,adjusted close,dividend amount,split coefficient',
    prices: 'raw',
    shares: 'ex-date',
  },
  {
    name: 'Quandl',
    columns: 'date,close,ex dividend,split ratio,adj close',
    prices: 'raw',
    shares: 'ex-date',
  },
  { name: 'yfinance', columns: 'close,adj close,dividends,stock splits', prices: 'splits', shares: 'today' },
  { name: 'yfinance', columns: 'close,volume,dividends,stock splits', prices: 'all', shares: 'today' },
  { name: 'Yahoo Finance', columns: 'date,open,high,low,close,adj close,volume', prices: 'splits' },
  { name: 'EOD Historical Data', columns: 'date,close,adjusted close,volume', prices: 'raw' },
  { name: 'EOD Historical Data', columns: 'timestamp,gmtoffset,datetime,close', prices: null, zone: 'UTC' },
  {
    name: 'an archive of Stooq',
    columns: 'ticker,per,date,time,open,high,low,close,vol,openint',
    prices: 'all',
  },
  { name: 'Alpaca', columns: 'timestamp,close,trade count,vwap', prices: 'raw' },
  { name: 'Polygon', columns: 'ticker,close,window start,transactions', prices: 'raw' },
  { name: 'Polygon', columns: 'timestamp,close,vwap,transactions', prices: 'splits' },
  { name: 'Interactive Brokers', columns: 'date,close,average,barcount', prices: 'splits' },
  { name: 'Interactive Brokers', columns: 'date,close,wap,count', prices: 'splits' },
  { name: 'nasdaq.com', columns: 'date,close last,volume,open', prices: 'splits', dates: 'mdy' },
  { name: 'Barchart', columns: 'time,open,high,low,last,change', prices: 'splits', dates: 'mdy' },
  { name: 'Barchart', columns: 'time,open,high,low,latest,change', prices: 'splits', dates: 'mdy' },
  { name: 'Investing.com', columns: 'date,price,open,high,low,vol', prices: 'splits' },
  { name: 'klines', columns: 'open time,open,high,low,close,volume', prices: 'raw' },
  { name: 'klines', columns: 'opentime,open,high,low,close,volume', prices: 'raw' },
  {
    name: 'Alpha Vantage',
    columns: 'timestamp,open,high,low,close,volume',
    only: true,
    isNewestFirst: true,
    isCommon: true,
    prices: 'raw',
    intraday: 'all',
    zone: 'America/New_York',
  },
  { name: 'TradingView', columns: 'time,open,high,low,close,volume', isCommon: true, prices: 'splits' },
  { name: 'Stooq', columns: 'date,open,high,low,close,volume', only: true, isCommon: true, prices: 'all' },
  {
    name: 'Stooq',
    columns: 'data,otwarcie,najwyzszy,najnizszy,zamkniecie,wolumen',
    isCommon: false,
    prices: 'all',
  },
];

const UNKNOWN: Source = { name: 'a source that is not known', isKnown: false, prices: null };

/** Source that writes a header. @param among name of the source, if it is known otherwise */
export function sourceOf(names: readonly string[], among?: string): Source {
  if (among === 'yfinance')
    return {
      name: among,
      isKnown: true,
      prices: names.includes('adj close') ? 'splits' : 'all',
      shares: 'today',
    };
  const found = SOURCES.find(({ columns, only }) =>
    only ? names.join(',') === columns : columns.split(',').every((name) => names.includes(name)),
  );
  return found ? { ...found, isKnown: true } : UNKNOWN;
}

/** Adjustment of a file's prices as its columns show it, and why, as the predicate of a sentence about the file. */
export function pricesText({ name, isCommon }: Source, prices: PriceKind | null): string {
  if (prices === null) return 'does not say whether its prices are as traded';
  const adjusts = `adjusts prices for later ${prices === 'splits' ? 'splits' : 'splits and dividends'}`;
  return isCommon
    ? `has columns that many sources write, and is taken for one of ${name}, which ${adjusts}`
    : `has the columns of ${name}, which ${adjusts}`;
}

/** More mUSD than any stock has cost. */
const PRICE_MAX = 1_000_000;

/** Signs of a column that does not hold what its name says: no volume at all, or prices in fractions of a cent. */
export function oddities([open = [], , , , volume = []]: readonly (readonly number[])[]): string[] {
  const dear = open.find((price) => price > PRICE_MAX);
  return [
    ...(volume.every((each) => each === 0) ? ['every volume is 0'] : []),
    ...(dear === undefined ? [] : [`prices as high as ${dear}`]),
  ];
}
