import { zonesNamed } from '../../calendar/zone.ts';
import { ConfigError } from '../../core/errors.ts';
import { suggest } from '../../core/suggest.ts';
import { isEmpty } from './numbers.ts';
import { stampOf } from './stamps.ts';
import { sourceOf, type Source } from './sources.ts';
import type { ForeignTable } from './table.ts';

const BAR_FIELDS = ['ts', 'open', 'high', 'low', 'close', 'volume'] as const;
const FIELDS = [...BAR_FIELDS, 'clock', 'symbol', 'currency', 'dividends', 'splits'] as const;
type Field = (typeof FIELDS)[number];

/** Names of a currency column. */
export const CURRENCY_NAMES = 'currency,ccy,currency code,wahrung,devise,moneda,divisa,valuta,waluta';

/** Column names, ignoring case, accents and punctuation; if a file has several, the first in the list wins. */
const NAMES: Readonly<Record<Field, string>> = {
  ts:
    'ts,timestamp,datetime,date time,dtyyyymmdd,date,day,trade date,trading day,window start,open time,opentime,start time,' +
    'starttime,begins at,start,data,datum,fecha,dato,tarih,дата,data sesji,time,czas,zeit,zeitpunkt,zeitstempel,hora,heure,t',
  clock: 'time,zeit,uhrzeit,heure,hora,czas,godzina,ora,tijd,время',
  open:
    'open,opening,open price,first,otwarcie,eroffnung,eroffnungskurs,erster,ouverture,ouv,apertura,abertura,opening price,' +
    'otevreni,otvorenie,nyito,acilis,openingskoers,открытие,откр,avaus,o',
  high:
    'high,high price,maximum,najwyzszy,maks,hoch,hochst,hochstkurs,tageshoch,plus haut,haut,maximo,massimo,max,maxima,alto,' +
    'hoogste,hoog,nejvyssi,najvyssi,yuksek,высокая,максимум,макс,ylin,h',
  low:
    'low,low price,minimum,najnizszy,tief,tiefst,tiefstkurs,tagestief,plus bas,bas,minimo,min,minima,bajo,baixo,laagste,laag,' +
    'nejnizsi,dusuk,низкая,минимум,мин,alin,l',
  close:
    'close,close last,last,latest,last price,close price,price,zamkniecie,schluss,schlusskurs,schlusspreis,cloture,dernier,' +
    'cierre,ultimo,chiusura,fechamento,slot,slotkoers,zaver,zaveraci,zaro,kapanis,закрытие,закр,paatos,c',
  // Shares before `Volumen`, which is money in files that have both.
  volume:
    'volume,vol,stuck,stucke,stuecke,volumes,volumen,wolumen,volumi,volym,objem,hacim,объем,объём,omsetning,v',
  symbol: 'symbol,ticker,sym,code',
  currency: CURRENCY_NAMES,
  dividends: 'dividends,divcash,dividend amount,ex dividend,dividend',
  splits: 'stock splits,splitfactor,split coefficient,split ratio,splits',
};

/** Columns of a file by the position of each field, with what is known of its source. */
export type Layout = Readonly<{
  source: Source;
  /** First row after the header. */
  first: number;
  /** Names as the file writes them; null for a file without a header. */
  header: readonly string[] | null;
  columns: Readonly<Partial<Record<Field, number>>>;
  /** Zone name that follows the name of the time column. */
  zone: string | null;
}>;

/** Name without case, accents and punctuation. */
export const plainName = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ł/g, 'l')
    .replace(/[<>*"'()[\].%]/g, '')
    .replace(/[\s_/-]+/g, ' ')
    .trim();

/**
 * Layout inferred from column names, in any language that exporters use, or from names that a user gives:
 * `ts=Day,close=Last`.
 * @throws {ConfigError} naming the existing columns, and the flag that maps them
 */
export function layoutOf(table: ForeignTable, symbol: string, mapping: string | undefined): Layout {
  const many = manyLevels(table, symbol);
  if (many)
    return placed(many.header, {
      first: many.first,
      source: sourceOf(many.header.map(plainName), 'yfinance'),
    });
  const given = mapping === undefined ? {} : mapped(mapping);
  for (const [row, cells] of table.rows.slice(0, 20).entries()) {
    const header = cells.map((name) => name.trim());
    if (header[0] === '' && stampOf(table.cell(row + 1, 0))) header[0] = 'ts';
    const isFirst = isBar(header);
    const first = isFirst ? row : row + 1;
    const layout = placed(header, { first, source: sourceOf(header.map(plainName)) }, given);
    if (missingIn(layout).length === 0 && Object.keys(given).length === 0) return layout;
    if (Object.keys(given).length > 0 && Object.values(given).every((name) => placeOf(header, name) >= 0)) {
      const lost = missingIn(layout);
      if (lost.length > 0) throw noColumn(table, row, { field: lost[0] ?? '', given });
      return {
        ...layout,
        header: isFirst ? null : header,
        source: { ...layout.source, prices: layout.source.isKnown ? layout.source.prices : 'raw' },
      };
    }
  }
  return headerless(table, given);
}

const missingIn = ({ columns }: Layout): string[] =>
  BAR_FIELDS.filter((field) => columns[field] === undefined);

function placed(
  header: readonly string[],
  found: Readonly<{ first: number; source: Source }>,
  given: Readonly<Record<string, string>> = {},
): Layout {
  const names = header.map(plainName);
  const columns: Partial<Record<Field, number>> = {};
  let zone: string | null = null;
  for (const field of FIELDS) {
    const known = given[field];
    const index = known === undefined ? knownPlace(names, field) : placeOf(header, known);
    if (index >= 0) columns[field] = index;
  }
  if (columns.ts === undefined) {
    const [index, name] = names
      .map((each, at) => [at, /^(.+?) ?([a-z]{2,4})$/.exec(each)] as const)
      .find(
        ([, match]) =>
          match && NAMES.ts.split(',').includes(match[1] ?? '') && zonesNamed(match[2] ?? '').length > 0,
      ) ?? [-1, null];
    if (index >= 0) [columns.ts, zone] = [index, name?.[2]?.toUpperCase() ?? null];
  }
  if (columns.clock === columns.ts) delete columns.clock;
  return { ...found, header, columns, zone };
}

function knownPlace(names: readonly string[], field: Field): number {
  for (const name of NAMES[field].split(',')) {
    const index = names.indexOf(name);
    if (index >= 0) return index;
  }
  return -1;
}

/** Position of a column by its name or its number from 1. */
function placeOf(header: readonly string[], name: string): number {
  const index = header.findIndex((each) => each.toLowerCase() === name.toLowerCase());
  if (index >= 0 || !/^\d+$/.test(name)) return index;
  return Number(name) <= header.length ? Number(name) - 1 : -1;
}

/** Fields by the column names that a user gives. @throws {ConfigError} for any other form */
function mapped(mapping: string): Record<string, string> {
  const names: Record<string, string> = {};
  for (const part of mapping.split(',')) {
    const [, field = '', column = ''] = /^\s*([^=]*?)\s*=\s*(.+?)\s*$/.exec(part) ?? [];
    if (!BAR_FIELDS.some((known) => known === field) && field !== 'symbol' && field !== 'clock')
      throw new ConfigError(
        `--columns "${part}": write FIELD=COLUMN with one of ${BAR_FIELDS.join(', ')}, symbol, clock`,
      );
    names[field] = column;
  }
  return names;
}

/** Field without a column, and the names given by the user. */
type MissingField = Readonly<{ field: string; given: Readonly<Record<string, string>> }>;

function noColumn(table: ForeignTable, row: number, { field, given }: MissingField): ConfigError {
  const header = (table.rows[row] ?? []).map((name) => name.trim());
  const name = given[field] ?? field;
  const near = suggest(name, header);
  const there = near === undefined ? `There are ${header.join(', ')}` : `Did you mean ${near}?`;
  return table.error(
    row,
    `no column is called "${name}", for ${field}. ${there}. Name the column by --columns ${field}=NAME`,
  );
}

/** Columns of Binance klines, which have no header. */
const KLINES =
  'open time,open,high,low,close,volume,close time,quote volume,count,taker buy volume,taker buy quote volume,ignore';

/** True for a row with a bar, which is not a header: a time and at least four numbers. */
const isBar = (cells: readonly string[]): boolean =>
  timeIn(cells) >= 0 && cells.filter((cell) => /^[\d.,]+$/.test(cell)).length >= 4;

const timeIn = (cells: readonly string[]): number => cells.findIndex((cell) => stampOf(cell) !== null);

/** Layout of a file without a header. @throws {ConfigError} if its columns are unknown and not named by the user */
function headerless(table: ForeignTable, given: Readonly<Record<string, string>>): Layout {
  const cells = (table.rows[0] ?? []).map((cell) => cell.trim());
  const isRow = isBar(cells);
  const names = KLINES.split(',');
  if (isRow && cells.length === names.length && Object.keys(given).length === 0)
    return { ...placed(names, { first: 0, source: sourceOf(names) }), header: null };
  const time = timeIn(cells);
  const clock = /^\d{1,2}:\d{2}/.test(cells[time + 1] ?? '') ? ['clock'] : [];
  const numbers = ['ts', ...clock, ...BAR_FIELDS.slice(1)].map((field, at) => `${field}=${time + at + 1}`);
  if (isRow)
    throw table.error(0, `the file has no header. Number its columns by --columns "${numbers.join(',')}"`);
  const row = Math.max(
    0,
    table.rows.findIndex((each) => each.length > 3),
  );
  const layout = placed(
    (table.rows[row] ?? []).map((name) => name.trim()),
    { first: 1, source: { name: '', prices: null, isKnown: false } },
    {},
  );
  const wrong = Object.keys(given).find((field) => placeOf(layout.header ?? [], given[field] ?? '') < 0);
  throw noHeader(table, row, { field: wrong ?? missingIn(layout)[0] ?? 'ts', given });
}

function noHeader(table: ForeignTable, row: number, { field, given }: MissingField): ConfigError {
  if (given[field] !== undefined) return noColumn(table, row, { field, given });
  const header = table.rows[row] ?? [];
  return table.error(
    row,
    `no column has the ${field === 'ts' ? 'time' : field}: the header is "${header.join(table.separator)}". ` +
      `Write ts,open,high,low,close,volume, or name the column by --columns ${field}=NAME`,
  );
}

/** Multi-line header of yfinance: fields, symbols, and usually the name of the index. */
function manyLevels(
  table: ForeignTable,
  symbol: string,
): Readonly<{ header: string[]; first: number }> | null {
  const [top = [], below = [], index = []] = table.rows;
  const isIndex =
    /^(date|datetime)$/i.test(index[0]?.trim() ?? '') && index.slice(1).every((name) => name.trim() === '');
  const isRow = /^(ticker|price|)$/i.test(below[0]?.trim() ?? '') && stampOf(index[0]?.trim() ?? '') !== null;
  if (top.length < 5 || !(isIndex || isRow) || top.length !== below.length) return null;
  const isField = (cells: readonly string[]) => cells.some((name) => plainName(name) === 'close');
  const [fields, symbols] = isField(top) ? [top, below] : [below, top];
  if (!isField(fields)) return null;
  const isOwn = (name: string) => name.trim().toUpperCase().replace('-', '.') === symbol;
  if (!symbols.some(isOwn)) {
    const there = [...new Set(symbols.slice(1).map((name) => name.trim()))].join(', ');
    throw table.error(0, `the file has bars of ${there}, not of ${symbol}`);
  }
  const header = fields.map((name, at) => (at === 0 ? 'Date' : isOwn(symbols[at] ?? '') ? name.trim() : ''));
  return { header, first: isIndex ? 3 : 2 };
}

/** @throws {ConfigError} with the row of an amount in a currency other than that of all prices */
export function requireDollars(table: ForeignTable, row: number, column: number | undefined): void {
  const currency = column === undefined ? '' : table.cell(row, column);
  if (isEmpty(currency) || /^(us ?dollars?|usd|us?\$)$/i.test(currency)) return;
  throw table.error(
    row,
    `the currency is "${currency}": prices and payments are in USD. Convert the amounts`,
  );
}

/** True for a source's name of a symbol: `AAPL`, `aapl.us`, `BRK-B`. */
export const isSymbol = (name: string, symbol: string): boolean => {
  const own = name.toUpperCase();
  return own === symbol || own.replace(/\.US$/, '').replace(/[-/]/, '.') === symbol;
};
