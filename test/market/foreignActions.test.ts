import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/core/errors.ts';
import { tradingCalendar as calendar } from '../../src/calendar/index.ts';
import { joinedActions } from '../../src/market/foreign/actionList.ts';
import { readActions } from '../../src/market/foreign/actions.ts';

const source = { kind: 'file', name: 'a.csv' } as const;
const HEADER = 'exDate,type,oldRate,newRate,cashPerShare';
const read = (...rows: readonly string[]) =>
  readActions([HEADER, ...rows].join('\n'), { file: 'a.csv', source, calendar, symbol: 'AAPL' });

test('splits and dividends are read from a CSV of actions', () => {
  expect(read('2026-06-10,forward_split,1,4,', '', '2026-06-12,cash_dividend,,,0.24')).toEqual([
    { exDate: '2026-06-10', type: 'forward_split', oldRate: '1', newRate: '4', cashPerShare: null, source },
    {
      exDate: '2026-06-12',
      type: 'cash_dividend',
      oldRate: null,
      newRate: null,
      cashPerShare: '0.24',
      source,
    },
  ]);
});

test.each([
  ['2026-06-31x,forward_split,1,4,', /^a\.csv:2: exDate is "2026-06-31x"/],
  ['2026-02-30,forward_split,1,4,', /^a\.csv:2: exDate is "2026-02-30"/],
  ['2026-06-10,split,1,4,', /^a\.csv:2: type is "split": write forward_split/],
  ['2026-06-10,forward_split,1,,', /^a\.csv:2: newRate is "": of a forward_split it is a decimal above 0/],
  [
    '2026-06-10,forward_split,1,4,0.24',
    /^a\.csv:2: cashPerShare is "0\.24" in a forward_split: give each action a row of its own/,
  ],
  [
    '2026-06-10,cash_dividend,1,4,0.24',
    /^a\.csv:2: oldRate is "1" and newRate "4" in a cash_dividend: give each action a row of its own/,
  ],
  [
    '2026-06-10,forward_split,4,1,',
    /^a\.csv:2: 4 for 1 is no forward split: it leaves more shares. Write oldRate before newRate, or reverse_split\. The row is: 2026-06-10,forward_split,4,1,$/,
  ],
  [
    '2026-06-10,reverse_split,1,4,',
    /^a\.csv:2: 1 for 4 is no reverse split: it leaves fewer.*, or forward_split\. The row is/,
  ],
  ['2026-06-10,forward_split,2,2.0,', /^a\.csv:2: 2 for 2.0 is no forward split/],
  ['2026-06-10,cash_dividend,,,0', /^a\.csv:2: cashPerShare is "0"/],
  ['2026-06-10,forward_split,1,4', /^a\.csv:2: 4 fields instead of 5/],
  ['', /^a\.csv: no corporate action/],
])('a CSV of actions with "%s" is refused', (row, message) => {
  expect(() => read(row)).toThrow(ConfigError);
  expect(() => read(row)).toThrow(message);
});

test('a payment per current share, on the day of a split, is for the shares before it', () => {
  const text = 'Date,Dividends,Stock Splits\n2026-06-10,0.25,4.0\n2026-06-12,0.25,0.0\n';
  const all = readActions(text, { file: 'a.csv', source, calendar, symbol: 'AAPL' });
  expect(all.flatMap(({ cashPerShare }) => cashPerShare ?? [])).toEqual(['1', '0.25']);
});

test('a payment in another currency is refused, whatever other columns there are', () => {
  const readWith = (header: string, row: string) =>
    readActions(`${header}\n${row}`, { file: 'a.csv', source, calendar, symbol: 'AAPL' });
  const own = `${HEADER},currency`;
  expect(readWith(own, '2026-06-12,cash_dividend,,,0.24,USD')).toMatchObject([{ cashPerShare: '0.24' }]);
  expect(readWith(own, '2026-06-10,forward_split,1,4,,')).toMatchObject([{ newRate: '4' }]);
  expect(() => readWith(own, '2026-06-12,cash_dividend,,,0.24,EUR')).toThrow(
    /^a\.csv:2: the currency is "EUR": .*The row is: 2026-06-12/,
  );
  expect(() => readWith('ex_dividend_date,cash_amount,currency', '2026-06-12,0.24,CAD')).toThrow(
    /^a\.csv:2: the currency is "CAD"/,
  );
});

test('a sixth column gives the payable date of a dividend', () => {
  const read6 = (row: string) =>
    readActions(`${HEADER},payableDate\n${row}`, { file: 'a.csv', source, calendar, symbol: 'AAPL' });
  expect(read6('2026-06-12,cash_dividend,,,0.24,2026-07-01')).toMatchObject([{ payableDate: '2026-07-01' }]);
  expect(read6('2026-06-10,forward_split,1,4,,')[0]).not.toHaveProperty('payableDate');
  expect(() => read6('2026-06-12,cash_dividend,,,0.24,July')).toThrow(/^a\.csv:2: payableDate is "July"/);
  expect(read6('2026-06-12,cash_dividend,,,0.24,2026-06-12')).toMatchObject([{ payableDate: '2026-06-12' }]);
  expect(() => read6('2026-06-12,cash_dividend,,,0.24,2026-06-11')).toThrow(
    /^a\.csv:2: payableDate is "2026-06-11", before the ex-date/,
  );
  expect(() => read6('2026-06-12,cash_dividend,,,0.24')).toThrow(/5 fields instead of 6/);
});

test('a CSV of actions with another header is refused', () => {
  expect(() => readActions('date,type\n', { file: 'a.csv', source, calendar, symbol: 'AAPL' })).toThrow(
    /^a\.csv:1: the header is "date,type"/,
  );
});

test('two actions of the same day and type count once, from the first list', () => {
  const [first, later] = read('2026-06-10,forward_split,1,4,', '2026-06-12,cash_dividend,,,1');
  const other = { ...first, newRate: '5' };
  expect(joinedActions([later, first] as never, [other] as never)).toEqual([first, later]);
});

test('two payments of one day both count, each once', () => {
  const [regular, special] = read('2026-06-12,cash_dividend,,,1', '2026-06-12,cash_dividend,,,15');
  const both = [regular, special] as never;
  expect(joinedActions([], both)).toEqual([regular, special]);
  expect(joinedActions(both, [])).toEqual([regular, special]);
  expect(joinedActions(both, both)).toEqual([regular, special]);
  expect(joinedActions([], [special, regular, special] as never)).toEqual([regular, special]);
});

test('the first list replaces all actions of the same day and type in the other list', () => {
  const [wrong, other, corrected] = read(
    ...['2026-06-12,cash_dividend,,,1', '2026-06-12,spin_off,,,2', '2026-06-12,cash_dividend,,,0.9'],
  );
  expect(joinedActions([corrected] as never, [wrong, other] as never)).toEqual([corrected, other]);
});

describe('corporate actions of other sources', () => {
  const foreign = (text: string) =>
    readActions(text, { file: 'a.csv', source, calendar, symbol: 'AAPL', shares: 'ex-date' });

  test.each([
    ['20:1', '20:1'],
    ['20/1', '20:1'],
    ['20-for-1', '20:1'],
    ['1/8', '1:8'],
    ['0.05', '1:20'],
    ['3:2', '3:2'],
  ])('may write a split as %s: %s', (text, rates) => {
    const [split] = foreign(`Date,Stock Splits\n2022-06-06,${text}\n`);
    expect(`${split?.newRate ?? ''}:${split?.oldRate ?? ''}`).toBe(rates);
  });

  test('have no split of 1:1', () => {
    expect(foreign('Date,Stock Splits\n2022-06-06,1:1\n2022-06-07,2:1\n')).toMatchObject([
      { exDate: '2022-06-07' },
    ]);
  });

  test('add up a regular and a special dividend of equal amounts, and count a repeated one once', () => {
    const rows = (second: string) =>
      foreign(`Ex-Date,Dividend Type,Amount\n2026-06-12,Regular,0.25\n2026-06-12,${second},0.25\n`);
    expect(rows('Special')).toMatchObject([{ cashPerShare: '0.5' }]);
    expect(rows('Regular')).toMatchObject([{ cashPerShare: '0.25' }]);
  });

  test('have the payable date of their source, nasdaq.com with the month first', () => {
    const nasdaq = 'Ex/EFF DATE,TYPE,CASH AMOUNT,PAYMENT DATE\n02/10/2025,Cash,$0.25,03/04/2025\n';
    expect(foreign(nasdaq)).toMatchObject([{ exDate: '2025-02-10', payableDate: '2025-03-04' }]);
  });
});
