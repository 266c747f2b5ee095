import { describe, expect, test } from 'vitest';
import { readSeries, seriesOf } from '../../src/market/seriesCsv.ts';

const read = (text: string, numbers: readonly string[] = ['eps'], texts: readonly string[] = []) =>
  readSeries({ file: 'earnings.csv', text }, { name: 'earnings', numbers, texts });

const at = (iso: string) => Date.parse(iso);

describe('a dated series from CSV', () => {
  test('has the requested columns in any order, as numbers and texts', () => {
    const text =
      '\uFEFFknown, note ,symbol,eps\r\n2026-06-15T20:05:00Z,"up, a lot ""really""",AAPL,1.25\r\n\r\n2026-06-15T20:05:00Z,,MSFT,\r\n';
    expect(read(text, ['eps'], ['symbol', 'note'])).toEqual({
      known: [at('2026-06-15T20:05:00Z'), at('2026-06-15T20:05:00Z')],
      numbers: { eps: [1.25, NaN] },
      texts: { symbol: ['AAPL', 'MSFT'], note: ['up, a lot "really"', ''] },
    });
  });

  test.each([
    ['2026-06-15T16:05:00-04:00', '2026-06-15T20:05:00Z'],
    ['1781553900', '2026-06-15T20:05:00Z'],
    ['800000000', '1995-05-09T06:13:20Z'],
    ['800000000000', '1995-05-09T06:13:20Z'],
    ['1995-05-09T06:13:20Z', '1995-05-09T06:13:20Z'],
    ['2026-06-15 16:05 US/Eastern', '2026-06-15T20:05:00Z'],
    ['Jun 15 2026', '2026-06-16T04:00:00Z'],
    ['1781553900000', '2026-06-15T20:05:00Z'],
    // Dates count from their end in New York, in summer and winter, and when clocks change.
    ['2026-06-15', '2026-06-16T04:00:00Z'],
    ['2026-12-31', '2027-01-01T05:00:00Z'],
    ['2026-10-31', '2026-11-01T04:00:00Z'],
    ['2026-11-01', '2026-11-02T05:00:00Z'],
    ['2028-02-29', '2028-03-01T05:00:00Z'],
  ])('with a known of %s is known from %s on', (known, instant) => {
    expect(read(`known,eps\n${known},1\n`).known).toEqual([at(instant)]);
  });

  test.each([
    ['1', 1],
    ['-1.5e3', -1500],
    ['.5', 0.5],
    ['+2.', 2],
    [' 3 ', 3],
    ['', NaN],
  ])('reads the number "%s" as %s', (field, value) => {
    expect(read(`known,eps\n2026-06-15,${field}`).numbers).toEqual({ eps: [value] });
  });

  test('is read in the format of any exporter, and refused if two readings fit', () => {
    const german = 'known;eps;note\n15.06.2026;1.234,50;a\n16.06.2026;0,25;b\n';
    expect(read(german, ['eps'], ['note'])).toEqual({
      known: [at('2026-06-16T04:00:00Z'), at('2026-06-17T04:00:00Z')],
      numbers: { eps: [1234.5, 0.25] },
      texts: { note: ['a', 'b'] },
    });
    expect(read('known,eps\n13/06/2026,1\n').known).toEqual([at('2026-06-14T04:00:00Z')]);
    expect(() => read('known,eps\n05/06/2026,1\n')).toThrow('known can be read in two ways');
    expect(() => read('known,eps\n2026-06-15,"1,234"\n')).toThrow('earnings.csv:2: "1,234" has thousands or');
    expect(read('known,eps\r\n2026-06-15,1\n2026-06-16,2\r\n').numbers).toEqual({ eps: [1, 2] });
  });

  test.each([
    ['', 'earnings.csv: the file is empty'],
    ['date,eps\n', 'earnings.csv:1: the header is "date,eps": its first column must be known'],
    [
      'known,epss\n',
      'earnings.csv:1: there is no column eps, which the strategy asks for. Did you mean epss? There are epss',
    ],
    ['known,eps,eps\n', 'earnings.csv:1: there are two columns eps'],
    ['known,eps\n2026-06-15\n', 'earnings.csv:2: 1 fields, but the header has 2: known,eps'],
    ['known,eps\n2026-06-15,1\n2026-06-16,"1\n', 'earnings.csv:3: its quotation marks do not match'],
    ['known,eps\n2026-06-15,1\n\n2026-06-16,1.2x\n', 'earnings.csv:4: eps is "1.2x", which is not a number'],
    ['known,eps\n2026-06-15,Infinity\n', 'earnings.csv:2: eps is "Infinity"'],
    [
      'known,eps\n2026-06-15 10:00,1\n',
      'earnings.csv:2: known is "2026-06-15 10:00": write ISO 8601 with a zone',
    ],
    [
      'known,eps\n2026-06-15T10:00:00,1\n',
      'earnings.csv:2: known is "2026-06-15T10:00:00": write ISO 8601 with a zone',
    ],
    ['known,eps\n2026-02-30,1\n', 'earnings.csv:2: known is "2026-02-30": that is no time'],
    [
      'known,eps\n2026-02-30T10:00:00Z,1\n',
      'earnings.csv:2: known is "2026-02-30T10:00:00Z": that is no time',
    ],
    [
      'known,eps\n2026-06-15,1\n2026-06-15T14:00:00Z,2\n',
      'earnings.csv:3: known is 2026-06-15T14:00:00Z, before 2026-06-16T04:00:00Z of the row above',
    ],
  ])('%j is refused with its place', (text, problem) => {
    expect(() => read(text)).toThrow(problem);
  });
});

test('a strategy gets each series it asks for; a missing or surplus one is refused', () => {
  const needs = [{ name: 'earnings', numbers: ['eps'] }];
  const earnings = { file: 'e.csv', text: 'known,eps\n2026-06-15,1\n' };
  const of = (files: Parameters<typeof seriesOf>[0]['files']) => seriesOf({ id: 'alpha', needs, files });
  expect(of({ earnings }).get('earnings')?.numbers).toEqual({ eps: [1] });
  expect(of({ earnings }).get('earnings'), 'read once').toBe(of({ earnings }).get('earnings'));
  expect(() => of({})).toThrow(
    'alpha asks for the series earnings, and is given no file. Name one: --series earnings=FILE',
  );
  expect(() => of({ earnings, eranings: earnings })).toThrow(
    'alpha is given the series eranings, but asks for earnings',
  );
});
