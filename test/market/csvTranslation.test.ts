import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { knownFormat, mappedFormat } from '../../src/market/csvFormat.ts';
import { CsvTranslation, type TimeZone } from '../../src/market/csvTranslation.ts';
import type { Interval } from '../../src/domain/bar.ts';

type Given = Readonly<{
  header: string;
  row: string;
  interval?: Interval;
  zone?: TimeZone;
  columns?: string;
}>;

function translated({ header, row, interval = '1d', zone, columns }: Given) {
  const format = columns === undefined ? knownFormat(header) : mappedFormat(header, columns);
  if (!format) throw new Error('no known header');
  const options = {
    format,
    file: 'a.csv',
    interval,
    symbol: 'AAPL',
    zone: zone ?? null,
    calendar: tradingCalendar,
  };
  const translation = new CsvTranslation(options);
  return { line: translation.line(row, 2), leftOut: translation.leftOut, format };
}

/** Headers and rows as the sources write them. */
test.each<readonly [name: string, prices: string, given: Given, expected: string]>([
  [
    'Yahoo',
    'splits',
    {
      header: 'Date,Open,High,Low,Close,Adj Close,Volume',
      row: '2024-01-02,187.15,188.44,183.89,185.64,184.94,82488700',
    },
    '2024-01-02,187.15,188.44,183.89,185.64,82488700',
  ],
  [
    'yfinance, days',
    'all',
    {
      header: 'Date,Open,High,Low,Close,Volume,Dividends,Stock Splits',
      row: '2024-01-02 00:00:00-05:00,187.1,188.4,183.8,185.6,82488700,0.0,0.0',
    },
    '2024-01-02,187.1,188.4,183.8,185.6,82488700',
  ],
  [
    'yfinance, minutes',
    'all',
    {
      header: 'Datetime,Open,High,Low,Close,Volume,Dividends,Stock Splits',
      row: '2024-01-02 09:30:00-05:00,1,2,1,2,9,0,0',
      interval: '1m',
    },
    '2024-01-02T14:30:00Z,1,2,1,2,9',
  ],
  [
    'Stooq, table',
    'all',
    { header: 'Date,Open,High,Low,Close,Volume', row: '2024-01-02,1,2,1,2,9' },
    '2024-01-02,1,2,1,2,9',
  ],
  [
    'Stooq, archive',
    'all',
    {
      header: '<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>',
      row: 'AAPL.US,D,20240102,000000,1,2,1,2,9,0',
    },
    '2024-01-02,1,2,1,2,9',
  ],
  [
    'Alpaca, days',
    'raw',
    {
      header: 'symbol,timestamp,open,high,low,close,volume,trade_count,vwap',
      row: 'AAPL,2024-01-02 05:00:00+00:00,1,2,1,2,9.0,3.0,1.5',
    },
    '2024-01-02,1,2,1,2,9.0',
  ],
  [
    'Alpaca, minutes',
    'raw',
    {
      header: 'timestamp,open,high,low,close,volume,trade_count,vwap',
      row: '2024-01-02 14:30:00+00:00,1,2,1,2,9,3,1.5',
      interval: '1m',
    },
    '2024-01-02T14:30:00Z,1,2,1,2,9',
  ],
  [
    'Polygon, flat file',
    'raw',
    {
      header: 'ticker,volume,open,close,high,low,window_start,transactions',
      row: 'AAPL,9,1,2,2,1,1704205800000000000,3',
      interval: '1m',
    },
    '2024-01-02T14:30:00Z,1,2,1,2,9',
  ],
  [
    'IBKR, days',
    'splits',
    { header: 'date,open,high,low,close,volume,average,barCount', row: '2024-01-02,1,2,1,2,9,1.5,3' },
    '2024-01-02,1,2,1,2,9',
  ],
  [
    'IBKR, minutes with an index',
    'splits',
    {
      header: ',date,open,high,low,close,volume,average,barCount',
      row: '0,2024-01-02 09:30:00-05:00,1,2,1,2,9,1.5,3',
      interval: '1m',
    },
    '2024-01-02T14:30:00Z,1,2,1,2,9',
  ],
  [
    'IBKR, old times',
    'splits',
    {
      header: 'date,open,high,low,close,volume,average,barCount',
      row: '20240102  09:30:00,1,2,1,2,9,1.5,3',
      interval: '1m',
      zone: 'new-york',
    },
    '2024-01-02T14:30:00Z,1,2,1,2,9',
  ],
  [
    'own names',
    'raw',
    {
      header: 'Day,First,Max,Min,Last,Pieces',
      row: '1/2/2024,1,2,1,2,9',
      columns: 'ts=Day,open=First,high=Max,low=Min,close=Last,volume=Pieces',
    },
    '2024-01-02,1,2,1,2,9',
  ],
])('%s: prices %s', (...row) => {
  const [, prices, given, expected] = row;
  const { line, format } = translated(given);
  expect(line).toBe(expected);
  expect(format.prices).toBe(prices);
});

describe('rows', () => {
  const alpaca = 'symbol,timestamp,open,high,low,close,volume,trade_count,vwap';
  test('outside the session, of others and without prices are left out and counted', () => {
    const minutes = { header: alpaca, interval: '1m' } as const;
    expect(translated({ ...minutes, row: 'AAPL,2024-01-02 12:00:00+00:00,1,2,1,2,9,3,1' })).toMatchObject({
      line: '',
      leftOut: { outside: 1 },
    });
    expect(translated({ ...minutes, row: 'MSFT,2024-01-02 14:30:00+00:00,1,2,1,2,9,3,1' })).toMatchObject({
      line: '',
      leftOut: { others: 1 },
    });
    expect(
      translated({
        header: 'Date,Open,High,Low,Close,Adj Close,Volume',
        row: '2024-01-02,null,null,null,null,null,null',
      }),
    ).toMatchObject({ line: '', leftOut: { empty: 1 } });
  });
  test.each([
    ['AAPL,2024-01-02 09:30:00,1,2,1,2,9,3,1', '1m', 'a.csv:2: the time "2024-01-02 09:30" names no zone'],
    ['AAPL,yesterday,1,2,1,2,9,3,1', '1d', 'a.csv:2: the time "yesterday" is not understood'],
    ['AAPL,2024-01-02,1,2,1,2,9,3,1', '1m', 'a.csv:2: "2024-01-02" is a date alone'],
  ] as const)('%s of %s are refused', (row, interval, why) => {
    expect(() => translated({ header: alpaca, row, interval })).toThrow(why);
  });
  test.each([
    ['open=Frist', 'no column is called "frist", for open. Did you mean first?'],
    ['opening=First', 'write FIELD=COLUMN with one of ts, open, high, low, close, volume, symbol'],
  ])('columns %s are refused', (columns, why) => {
    expect(() => mappedFormat('ts,first,high,low,close,volume,open', columns)).toThrow(why);
  });
});
