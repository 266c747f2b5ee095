import { describe, expect, test } from 'vitest';
import { tradingCalendar as calendar } from '../../src/calendar/index.ts';
import type { Interval } from '../../src/domain/bar.ts';
import { readForeignBars, type ForeignFlags } from '../../src/market/foreign/bars.ts';

const read = (content: string | Uint8Array, flags: ForeignFlags & { interval?: Interval } = {}) =>
  readForeignBars(typeof content === 'string' ? new TextEncoder().encode(content) : content, {
    file: 'a.csv',
    interval: '1d',
    symbol: 'AAPL',
    calendar,
    prices: 'raw',
    ...flags,
  });
const barsOf = (content: string | Uint8Array, flags?: ForeignFlags) => {
  const { start, open, close, volume } = read(content, flags).columns;
  return Array.from(start, (at, index) => [
    new Date(at).toISOString().slice(0, 10),
    ...[open, close, volume].map((column) => column[index]),
  ]);
};

const MANY = 'Price,Close,High,Low,Open,Volume\nTicker,AAPL,AAPL,AAPL,AAPL,AAPL\n';

describe('a CSV of another program', () => {
  test.each([
    ['of yfinance with two rows of names', `${MANY}2025-02-03,230.5,231,229,230,1000\n`],
    ['of yfinance with the name of its index', `${MANY}Date,,,,,\n2025-02-03,230.5,231,229,230,1000\n`],
    [
      'with times in a column without a name',
      ',open,high,low,close,volume\n2025-02-03,230,231,229,230.5,1000\n',
    ],
    [
      'of one row, with semicolons and as many commas before decimals',
      'Fecha;Último;Apertura;Máximo;Mínimo;Vol.;% var.\n03.02.2025;230,50;230,00;231,00;229,00;1,00K;0,1%\n',
    ],
    [
      'with its shares beside a volume in money',
      'Datum;Erster;Hoch;Tief;Schlusskurs;Stuecke;Volumen\n2025-02-03;230,00;231,00;229,00;230,50;1.000;230.500\n',
    ],
    [
      'with a title that has another separator',
      'Report; daily; AAPL\nDate,Open,High,Low,Close,Volume\n2025-02-03,230,231,229,230.5,1000\n',
    ],
    [
      'in lines that end as on an old Mac',
      'Date,Open,High,Low,Close,Volume\r2025-02-03,230,231,229,230.5,1000\r',
    ],
  ])('%s is read', (_name, text) => {
    expect(barsOf(text)).toEqual([['2025-02-03', 230, 230.5, 1000]]);
  });

  test.each([
    [
      '{"Meta Data":{"1. Information":"Daily Prices"}}',
      /^a\.csv:1: the file is JSON, .*It begins: \{"Meta Data"/,
    ],
    ['<!DOCTYPE html><title>Too many requests</title>', /a web page, .*Too many requests/],
    ['PK\u0003\u0004', /a workbook or an archive: save it as CSV/],
    ['PAR1\u0015\u0004', /Parquet, not text: write it as CSV/],
    ['\u001f\u008b', /compressed: unpack it first/],
    [
      '2025.02.03,09:30,230,231,229,230.5,1000\n',
      /--columns "ts=1,clock=2,open=3,.*,volume=7"\. The row is: 2025/,
    ],
    ['AAPL,2025-02-03,230,231,229,230.5,1000\n', /--columns "ts=2,open=3,.*,volume=7"\. The row is: AAPL/],
  ])('is refused with a description of it: %j', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test.each([
    ['2025.02.03,00:00,230,231,229,230.5,1000\n', 'ts=1,clock=2,open=3,high=4,low=5,close=6,volume=7'],
    ['AAPL,03-Feb-2025,230,231,229,230.5,1000\n', 'symbol=1,ts=2,open=3,high=4,low=5,close=6,volume=7'],
    ['AAPL, daily\n20250203,230,231,229,230.5,1000\n', 'ts=1,open=2,high=3,low=4,close=5,volume=6'],
  ])('without a header is read from its first row on, by the numbers of its columns: %j', (text, columns) => {
    expect(barsOf(text, { columns })).toEqual([['2025-02-03', 230, 230.5, 1000]]);
    expect(read(text, { columns }).readAs).toMatch(/without a header/);
  });

  test.each(['"', ';'])("counts as drover's own format with %s, and its prices are as traded", (sign) => {
    const [quote, comma] = sign === ';' ? ['', ';'] : ['"', ','];
    const row = (cells: string) => cells.replace(/[^,]+/g, `${quote}$&${quote}`).replaceAll(',', comma);
    const text = `${row('ts,open,high,low,close,volume')}\n${row('2025-02-03,230,231,229,230.5,1000')}\n`;
    const { prices, readAs } = read(text, { prices: undefined });
    expect([prices, readAs]).toEqual(['raw', expect.stringMatching(/^file of drover; /)]);
  });

  test('with columns that many sources have is not attributed to one', () => {
    const { readAs } = read('Date,Open,High,Low,Close,Volume\n2025-02-03,230,231,229,230.5,1000\n');
    expect(readAs).toMatch(/^columns as of Stooq; .*; prices as traded$/);
  });

  test.each([
    [
      '<DATE>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\n2025.02.03\t230\t231\t229\t230\t9\t0\n',
      'every volume is 0',
    ],
    ['day,o,h,l,c,v\n20250203 00:00,2300000,2310000,2290000,2300000,9\n', 'prices as high as 2300000'],
  ])('has what no stock has in its line', (text, odd) => {
    expect(read(text).readAs).toMatch(new RegExp(`; prices as traded; ${odd}$`));
  });

  test('with bar ends as times is refused, because each bar would be dated too late', () => {
    const rows = (...times: readonly string[]) =>
      `Date,Open,High,Low,Close,Volume\n${times.map((time) => `${time},230,231,229,230.5,1000\n`).join('')}`;
    const hourly = (...times: readonly string[]) =>
      read(rows(...times), { interval: '1h', zone: 'new-york' }).columns.start.length;
    const [first, second] = ['2025-07-02', '2025-07-03'];
    expect(() => hourly(`${first} 10:30`, `${first} 16:00`, `${second} 10:30`, `${second} 13:00`)).toThrow(
      /^a\.csv:3: "2025-07-02 16:00" is the end of a bar: .* subtract their length/,
    );
    expect(hourly(`${first} 09:30`, `${first} 16:00`, `${second} 10:30`, `${second} 13:00`)).toBe(2);
    expect(hourly(`${first} 10:30`, `${first} 16:00`)).toBe(1);
  });
});
