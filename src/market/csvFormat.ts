import { ConfigError } from '../core/errors.ts';
import { suggest } from '../core/suggest.ts';

/**
 * How a source has changed its prices. `raw`: as traded. `splits`: earlier ones divided by later splits. `all`: by later splits and
 * for later dividends, too.
 */
export const PRICE_KINDS = ['raw', 'splits', 'all'] as const;
export type PriceKind = (typeof PRICE_KINDS)[number];

/** Fields of a bar in a file, by the place of their column. */
export type CsvFormat = Readonly<{
  /** Source that writes such files, for messages. */
  source: string;
  time: number;
  /** Time of day in a column of its own; null where it is part of `time`. */
  clock: number | null;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
  /** Symbol of each row; null where all rows are of one. */
  symbol: number | null;
  prices: PriceKind;
}>;

/** Sources whose columns many others write, too, so that they say little about the prices. */
const COMMON: ReadonlySet<string> = new Set(['Stooq']);

/** Kind of the prices of a file by its columns, and why, as the predicate of a sentence about it. */
export function pricesText({ source }: Pick<CsvFormat, 'source'>, prices: PriceKind): string {
  const adjusts = `adjusts prices for later ${prices === 'splits' ? 'splits' : 'splits and dividends'}`;
  return COMMON.has(source)
    ? `has columns that many sources write, and is taken for one of ${source}, which ${adjusts}`
    : `has the columns of ${source}, which ${adjusts}`;
}

const FIELDS = ['ts', 'open', 'high', 'low', 'close', 'volume'] as const;
type Field = (typeof FIELDS)[number];

/** Header of a source: names of its columns, lower case, and those that drover reads. */
type Known = Readonly<{
  source: string;
  columns: readonly string[];
  names: Readonly<Partial<Record<Field | 'symbol' | 'clock', string>>>;
  prices: PriceKind;
}>;

const PLAIN = {
  ts: 'date',
  open: 'open',
  high: 'high',
  low: 'low',
  close: 'close',
  volume: 'volume',
} as const;

/** Headers of known sources. Adjustments as they document them: `docs/data.md`. */
const KNOWN: readonly Known[] = [
  {
    source: 'Yahoo Finance',
    columns: ['date', 'open', 'high', 'low', 'close', 'adj close', 'volume'],
    names: PLAIN,
    prices: 'splits',
  },
  {
    source: 'yfinance',
    columns: ['date', 'open', 'high', 'low', 'close', 'volume', 'dividends', 'stock splits'],
    names: PLAIN,
    prices: 'all',
  },
  {
    source: 'yfinance',
    columns: ['datetime', 'open', 'high', 'low', 'close', 'volume', 'dividends', 'stock splits'],
    names: { ...PLAIN, ts: 'datetime' },
    prices: 'all',
  },
  {
    source: 'Stooq',
    columns: ['date', 'open', 'high', 'low', 'close', 'volume'],
    names: PLAIN,
    prices: 'all',
  },
  {
    source: 'an archive of Stooq',
    columns: [
      '<ticker>',
      '<per>',
      '<date>',
      '<time>',
      '<open>',
      '<high>',
      '<low>',
      '<close>',
      '<vol>',
      '<openint>',
    ],
    names: {
      ts: '<date>',
      clock: '<time>',
      open: '<open>',
      high: '<high>',
      low: '<low>',
      close: '<close>',
      volume: '<vol>',
    },
    prices: 'all',
  },
  {
    source: 'Alpaca',
    columns: ['symbol', 'timestamp', 'open', 'high', 'low', 'close', 'volume', 'trade_count', 'vwap'],
    names: { ...PLAIN, ts: 'timestamp', symbol: 'symbol' },
    prices: 'raw',
  },
  {
    source: 'Alpaca',
    columns: ['timestamp', 'open', 'high', 'low', 'close', 'volume', 'trade_count', 'vwap'],
    names: { ...PLAIN, ts: 'timestamp' },
    prices: 'raw',
  },
  {
    source: 'Polygon',
    columns: ['ticker', 'volume', 'open', 'close', 'high', 'low', 'window_start', 'transactions'],
    names: { ...PLAIN, ts: 'window_start', symbol: 'ticker' },
    prices: 'raw',
  },
  {
    source: 'Interactive Brokers',
    columns: ['date', 'open', 'high', 'low', 'close', 'volume', 'average', 'barcount'],
    names: PLAIN,
    prices: 'splits',
  },
  {
    source: 'Interactive Brokers',
    columns: ['', 'date', 'open', 'high', 'low', 'close', 'volume', 'average', 'barcount'],
    names: PLAIN,
    prices: 'splits',
  },
];

/** Fields of a line of CSV, without quotes and spaces around them. */
export const fieldsOf = (line: string): string[] =>
  line.split(',').map((field) => field.trim().replace(/^"(.*)"$/, '$1'));

const namesOf = (header: string): string[] =>
  fieldsOf(header.replace('\uFEFF', '')).map((name) => name.toLowerCase());

/** Format of a header that a known source writes; null for any other. */
export function knownFormat(header: string): CsvFormat | null {
  const columns = namesOf(header);
  const found = KNOWN.find((known) => known.columns.join(',') === columns.join(','));
  return found ? formatOf(columns, found.names, found) : null;
}

/** Names that a column of times has where none is given. */
const TIME_NAMES = ['ts', 'date', 'datetime', 'timestamp', 'time'];

/**
 * Format by names that a user gives: `ts=Day,open=First,close=Last`. What is not named is looked for under its own name.
 * @throws {ConfigError} for a field that no column has, with the columns there are
 */
export function mappedFormat(header: string, mapping: string): CsvFormat {
  const columns = namesOf(header);
  const names: Record<string, string> = {};
  for (const part of mapping.split(',')) {
    const [, field = '', column = ''] = /^\s*([^=]*?)\s*=\s*(.+?)\s*$/.exec(part) ?? [];
    if (!FIELDS.some((known) => known === field) && field !== 'symbol')
      throw new ConfigError(
        `--columns "${part}": write FIELD=COLUMN with one of ${FIELDS.join(', ')}, symbol`,
      );
    names[field] = column.toLowerCase();
  }
  names['ts'] ??= TIME_NAMES.find((name) => columns.includes(name)) ?? 'ts';
  for (const field of FIELDS) names[field] ??= field;
  for (const [field, name] of Object.entries(names)) {
    if (columns.includes(name)) continue;
    const near = suggest(name, columns);
    throw new ConfigError(
      `--columns: no column is called "${name}", for ${field}. ${near === undefined ? `There are ${columns.join(', ')}` : `Did you mean ${near}?`}`,
    );
  }
  return formatOf(columns, names, { source: 'the file', prices: 'raw' });
}

function formatOf(
  columns: readonly string[],
  names: Known['names'],
  { source, prices }: Pick<Known, 'source' | 'prices'>,
): CsvFormat {
  const place = (name: string | undefined): number => columns.indexOf(name ?? '');
  const optional = (name: string | undefined): number | null => (name === undefined ? null : place(name));
  return {
    source,
    prices,
    time: place(names.ts),
    clock: optional(names.clock),
    open: place(names.open),
    high: place(names.high),
    low: place(names.low),
    close: place(names.close),
    volume: place(names.volume),
    symbol: optional(names.symbol),
  };
}
